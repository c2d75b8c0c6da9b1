#include "torsor/constraints/islands/row_factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace torsor {

// Finds the components of the rows of each contact. Returns false if there are held rows.
bool RowFactor::find_columns(const HalfRows& halves, std::span<const int> rows,
                             std::span<const int> head) {
  const size_t n_u = halves.node.size();
  contact_.clear(), contact_columns_.clear(), columns_.clear();
  contact_first_.assign(1, 0);
  for (size_t i = 0; i < rows.size();) {
    size_t end = i;
    const auto begin = std::ptrdiff_t(contact_columns_.size());
    for (; end < rows.size() && head[size_t(rows[end])] == head[size_t(rows[i])]; ++end) {
      const size_t row = size_t(rows[end]);
      for (size_t k = halves.first[row]; k < halves.first[row + 1]; ++k) {
        if (size_t(halves.components[k].index) >= n_u) return false;
        contact_columns_.push_back(halves.components[k].index);
      }
      if (halves.compliance[row] > 0) contact_columns_.push_back(int(n_u + row));
    }
    std::sort(contact_columns_.begin() + begin, contact_columns_.end());
    contact_columns_.erase(std::unique(contact_columns_.begin() + begin, contact_columns_.end()),
                           contact_columns_.end());
    columns_.insert(columns_.end(), contact_columns_.begin() + begin, contact_columns_.end());
    contact_.push_back(int(i));
    contact_first_.push_back(int(contact_columns_.size()));
    i = end;
  }
  contact_.push_back(int(rows.size()));
  std::ranges::sort(columns_);
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  local_.resize(std::max(local_.size(), columns_.empty() ? 0 : size_t(columns_.back()) + 1));
  for (size_t k = 0; k < columns_.size(); ++k) local_[size_t(columns_[k])] = int(k);
  for (int& column : contact_columns_) column = local_[size_t(column)];
  return true;
}

// Sets the nodes of the columns, and the nodes that each contact couples.
void RowFactor::find_nodes(const HalfRows& halves) {
  const size_t n_u = halves.node.size();
  node_mark_.assign(n_u + 1, -1);
  weights_.clear(), column_node_.clear();
  for (const int column : columns_) {
    int node = int(weights_.size());
    if (size_t(column) < n_u) {
      int& mark = node_mark_[size_t(halves.node[size_t(column)])];
      if (mark < 0) mark = node;
      node = mark;
    }
    if (size_t(node) == weights_.size()) weights_.push_back(0);
    ++weights_[size_t(node)];
    column_node_.push_back(node);
  }
  clique_first_.assign(1, 0);
  clique_nodes_.clear();
  for (size_t c = 0; c + 1 < contact_first_.size(); ++c) {
    const auto begin = std::ptrdiff_t(clique_nodes_.size());
    for (int k = contact_first_[c]; k < contact_first_[c + 1]; ++k)
      clique_nodes_.push_back(column_node_[size_t(contact_columns_[size_t(k)])]);
    std::sort(clique_nodes_.begin() + begin, clique_nodes_.end());
    clique_nodes_.erase(std::unique(clique_nodes_.begin() + begin, clique_nodes_.end()),
                        clique_nodes_.end());
    clique_first_.push_back(int(clique_nodes_.size()));
  }
}

// Numbers the columns by the places of their nodes.
void RowFactor::number_columns() {
  node_start_.assign(1, 0);
  for (const int node : order_.order)
    node_start_.push_back(node_start_.back() + weights_[size_t(node)]);
  place_.resize(columns_.size());
  weights_.assign(weights_.size(), 0);
  for (size_t k = 0; k < columns_.size(); ++k) {
    const auto node = size_t(column_node_[k]);
    place_[k] = node_start_[size_t(order_.place[node])] + weights_[node]++;
  }
}

void RowFactor::write_rows(const HalfRows& halves, std::span<const int> rows) {
  const size_t n_u = halves.node.size();
  row_start_.assign(1, 0);
  column_.clear(), value_.clear();
  scratch_.assign(columns_.size(), 0.0);
  for (size_t c = 0; c + 1 < contact_.size(); ++c) {
    const auto begin = contact_columns_.begin() + contact_first_[c],
               end = contact_columns_.begin() + contact_first_[c + 1];
    for (auto column = begin; column != end; ++column) *column = place_[size_t(*column)];
    std::sort(begin, end);
    for (int i = contact_[c]; i < contact_[c + 1]; ++i) {
      const size_t row = size_t(rows[size_t(i)]);
      const auto entry = [&](int component) -> double& {
        return scratch_[size_t(place_[size_t(local_[size_t(component)])])];
      };
      for (size_t k = halves.first[row]; k < halves.first[row + 1]; ++k)
        entry(halves.components[k].index) = halves.components[k].factor;
      if (halves.compliance[row] > 0) entry(int(n_u + row)) = std::sqrt(halves.compliance[row]);
      for (auto column = begin; column != end; ++column) {
        column_.push_back(*column);
        value_.push_back(std::exchange(scratch_[size_t(*column)], 0.0));
      }
      row_start_.push_back(int(column_.size()));
    }
  }
}

const torsor_constraint_factor* RowFactor::evaluate(const HalfRows& halves,
                                                    std::span<const int> rows,
                                                    std::span<const int> head) {
  if (!find_columns(halves, rows, head)) return nullptr;
  find_nodes(halves);
  order_.compute(weights_, clique_first_, clique_nodes_);
  number_columns();
  write_rows(halves, rows);
  factor_ = {.struct_size = sizeof factor_,
             .n_dofs = int32_t(columns_.size()),
             .row_start = row_start_.data(),
             .column = column_.data(),
             .value = value_.data(),
             .node_start = node_start_.data(),
             .fill_start = order_.fill_start.data(),
             .fill = order_.fill.data(),
             .n_nodes = int32_t(weights_.size()),
             .n_values = int32_t(value_.size())};
  return &factor_;
}

}  // namespace torsor
