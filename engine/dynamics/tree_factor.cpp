#include "torsor/dynamics/tree_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor {

MinPivots::MinPivots(const Model& model)
    : parent_(model.parent.begin(), model.parent.end()),
      weight_(model.n_body),
      composite_(model.n_body),
      out_(model.n_body) {
  for (int i = 0; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    own_.push_back({std::abs(M.m), norm(M.h), std::abs(M.I.xx) + std::abs(M.I.yy) + std::abs(M.I.zz)});
    Weight& weight = weight_[i];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const double w = norm(model.S_B[k].w), v = norm(model.S_B[k].v);
      weight = {std::max(weight.t, w * w), std::max(weight.h, 2 * w * v), std::max(weight.m, v * v),
                std::max(weight.armature, model.armature[k])};
    }
  }
  at(model.X_PB0);
  constant_ = std::all_of(model.S_B.begin(), model.S_B.end(),
                          [](const Twist<double>& S) { return dot(S.v, S.v) == 0; });
}

std::span<const double> MinPivots::at(std::span<const Pose<double>> X_PB) {
  if (constant_) return out_;
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  std::copy(own_.begin(), own_.end(), composite_.begin());
  for (int i = int(parent_.size()) - 1; i > 0; --i) {
    const auto [m, h, t] = composite_[i];
    const Weight& weight = weight_[i];
    out_[i] = rounding * (weight.t * t + weight.h * h + weight.m * m + weight.armature);
    const double L = norm(X_PB[i].p);
    Bound& parent = composite_[parent_[i]];
    parent.m += m;
    parent.h += h + m * L;
    parent.t += t + 4 * h * L + 2 * m * L * L;
  }
  return out_;
}

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
    }
  }
}

int TreeFactor::factor(const double* M, std::span<const double> min_pivot) {
  for (int k = 0; k < n_; ++k)
    for (int i = k; i >= 0; i = ancestor_[i]) L_[k * n_ + i] = M[column_[k] * n_ + column_[i]];
  for (int k = n_ - 1; k >= 0; --k) {
    double* row = &L_[k * n_];
    const double pivot = row[k];
    if (!(pivot > min_pivot[body_[k]])) return body_[k];
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
