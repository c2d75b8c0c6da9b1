#include "torsor/dynamics/tree_factor.hpp"

namespace torsor {

TreeFactor::TreeFactor(const Model& model)
    : n_(model.n_v), L_(size_t(model.n_v) * model.n_v, 0.0), y_(model.n_v) {
  std::vector<int> last(model.n_body, -1);  // last pivot of a body's joint
  for (int i = 1; i < model.n_body; ++i) {
    last[i] = last[model.parent[i]];
    for (int k = 0; k < model.v_count[i]; ++k) {
      ancestor_.push_back(last[i]);
      last[i] = int(column_.size());
      column_.push_back(model.v_index[i] + k);
      body_.push_back(i);
      min_pivot_.push_back(model.min_pivot[i]);
    }
  }
}

int TreeFactor::factor(const double* M) {
  for (int k = 0; k < n_; ++k)
    for (int i = k; i >= 0; i = ancestor_[i]) L_[k * n_ + i] = M[column_[k] * n_ + column_[i]];
  for (int k = n_ - 1; k >= 0; --k) {
    double* row = &L_[k * n_];
    const double pivot = row[k];
    if (!(pivot > min_pivot_[k])) return body_[k];
    for (int i = ancestor_[k]; i >= 0; i = ancestor_[i]) {
      const double a = row[i] / pivot;
      for (int j = i; j >= 0; j = ancestor_[j]) L_[i * n_ + j] -= a * row[j];
      row[i] = a;
    }
  }
  return -1;
}

void TreeFactor::solve(double* x) const {
  for (int k = 0; k < n_; ++k) y_[k] = x[column_[k]];
  for (int k = n_ - 1; k >= 0; --k)
    for (int i = ancestor_[k]; i >= 0; i = ancestor_[i]) y_[i] -= L_[k * n_ + i] * y_[k];
  for (int k = 0; k < n_; ++k) y_[k] /= L_[k * n_ + k];
  for (int k = 0; k < n_; ++k)
    for (int i = ancestor_[k]; i >= 0; i = ancestor_[i]) y_[k] -= L_[k * n_ + i] * y_[i];
  for (int k = 0; k < n_; ++k) x[column_[k]] = y_[k];
}

}  // namespace torsor
