#include "torsor/constraints/islands/elimination_order.hpp"

#include <algorithm>
#include <functional>

namespace torsor {

void EliminationOrder::push(int node) {
  queue_.push_back({degree_[size_t(node)], node});
  std::ranges::push_heap(queue_, std::greater<>());
}

void EliminationOrder::start(std::span<const int> weights, std::span<const int> first,
                             std::span<const int> nodes) {
  const size_t n = weights.size();
  for (std::vector<std::vector<int>>* lists : {&neighbours_, &elements_, &below_}) {
    if (lists->size() < n) lists->resize(n);
    for (size_t k = 0; k < n; ++k) (*lists)[k].clear();
  }
  for (std::vector<int>* list : {&degree_, &weight_below_, &rest_, &rest_mark_, &mark_, &place})
    list->assign(n, 0);
  is_eliminated_.assign(n, 0);
  is_absorbed_.assign(n, 0);
  eliminated_.clear();
  queue_.clear();
  stamp_ = remaining_ = 0;
  for (size_t c = 0; c + 1 < first.size(); ++c)
    for (int i = first[c]; i < first[c + 1]; ++i)
      for (int j = first[c]; j < first[c + 1]; ++j)
        if (i != j) neighbours_[size_t(nodes[size_t(i)])].push_back(nodes[size_t(j)]);
  for (size_t k = 0; k < n; ++k) {
    std::vector<int>& list = neighbours_[k];
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const int other : list) degree_[k] += weights[size_t(other)];
    remaining_ += weights[k];
    push(int(k));
  }
}

// Replaces a node by an element: the nodes that its elimination couples.
void EliminationOrder::eliminate(int node, std::span<const int> weights) {
  std::vector<int>& below = below_[size_t(node)];
  ++stamp_;
  mark_[size_t(node)] = stamp_;
  const auto add = [&](int other) {
    if (mark_[size_t(other)] == stamp_) return;
    mark_[size_t(other)] = stamp_;
    below.push_back(other);
    weight_below_[size_t(node)] += weights[size_t(other)];
  };
  for (const int other : neighbours_[size_t(node)]) add(other);
  for (const int element : elements_[size_t(node)]) {
    for (const int other : below_[size_t(element)]) add(other);
    is_absorbed_[size_t(element)] = 1;
  }
  is_eliminated_[size_t(node)] = 1;
  remaining_ -= weights[size_t(node)];
  eliminated_.push_back(node);
}

// Updates the degrees of the nodes that an elimination couples. The degree of a node is bounded by
// its neighbours, the other nodes of the new element, and the nodes of its other elements that are
// not in the new one.
void EliminationOrder::update_degrees(int node, std::span<const int> weights) {
  const std::vector<int>& below = below_[size_t(node)];
  for (const int i : below) {
    std::erase_if(neighbours_[size_t(i)], [&](int j) { return mark_[size_t(j)] == stamp_; });
    std::erase_if(elements_[size_t(i)], [&](int e) { return is_absorbed_[size_t(e)] != 0; });
    for (const int e : elements_[size_t(i)]) {
      if (rest_mark_[size_t(e)] != stamp_) rest_[size_t(e)] = weight_below_[size_t(e)];
      rest_mark_[size_t(e)] = stamp_;
      rest_[size_t(e)] -= weights[size_t(i)];
    }
  }
  for (const int i : below) {
    const int others = weight_below_[size_t(node)] - weights[size_t(i)];
    int degree = others;
    for (const int j : neighbours_[size_t(i)]) degree += weights[size_t(j)];
    for (const int e : elements_[size_t(i)]) degree += rest_[size_t(e)];
    degree_[size_t(i)] =
        std::min({degree, degree_[size_t(i)] + others, remaining_ - weights[size_t(i)]});
    elements_[size_t(i)].push_back(node);
    push(i);
  }
}

// Sets `order` to a postorder of the elimination tree, in which the parent of a node is the first
// one that is eliminated after it and is coupled with it.
void EliminationOrder::sort_subtrees() {
  const size_t n = eliminated_.size();
  for (size_t k = 0; k < n; ++k) place[size_t(eliminated_[k])] = int(k);
  parent_.assign(n, -1), first_child_.assign(n, -1), next_child_.assign(n, -1);
  for (size_t k = n; k-- > 0;) {
    const int node = eliminated_[k];
    int parent = -1;
    for (const int other : below_[size_t(node)])
      if (parent < 0 || place[size_t(other)] < place[size_t(parent)]) parent = other;
    parent_[size_t(node)] = parent;
    if (parent < 0) continue;
    next_child_[size_t(node)] = first_child_[size_t(parent)];
    first_child_[size_t(parent)] = node;
  }
  order.clear();
  for (const int root : eliminated_) {
    if (parent_[size_t(root)] >= 0) continue;
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const int node = stack_.back();
      if (const int child = first_child_[size_t(node)]; child >= 0) {
        first_child_[size_t(node)] = next_child_[size_t(child)];
        stack_.push_back(child);
      } else {
        stack_.pop_back();
        order.push_back(node);
      }
    }
  }
}

void EliminationOrder::write_pattern(std::span<const int> weights) {
  for (size_t k = 0; k < order.size(); ++k) place[size_t(order[k])] = int(k);
  fill_start.assign(1, 0);
  fill.clear();
  entries = 0;
  for (const int node : order) {
    for (const int other : below_[size_t(node)]) fill.push_back(place[size_t(other)]);
    std::sort(fill.begin() + fill_start.back(), fill.end());
    fill_start.push_back(int(fill.size()));
    const size_t size = size_t(weights[size_t(node)]);
    entries += size * (size + 1) / 2 + size * size_t(weight_below_[size_t(node)]);
  }
}

void EliminationOrder::compute(std::span<const int> weights, std::span<const int> first,
                               std::span<const int> nodes) {
  start(weights, first, nodes);
  while (eliminated_.size() < weights.size()) {
    std::ranges::pop_heap(queue_, std::greater<>());
    const auto [degree, node] = queue_.back();
    queue_.pop_back();
    if (is_eliminated_[size_t(node)] || degree != degree_[size_t(node)]) continue;
    eliminate(node, weights);
    update_degrees(node, weights);
  }
  sort_subtrees();
  write_pattern(weights);
}

}  // namespace torsor
