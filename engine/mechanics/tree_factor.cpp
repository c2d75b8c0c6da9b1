#include "torsor/mechanics/tree_factor.hpp"

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
    own_.push_back(
        {std::abs(M.m), norm(M.h), std::abs(M.I.xx) + std::abs(M.I.yy) + std::abs(M.I.zz)});
    Weight& weight = weight_[i];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const double w = norm(model.S_B[k].w), v = norm(model.S_B[k].v);
      weight = {std::max(weight.t, w * w), std::max(weight.h, 2 * w * v), std::max(weight.m, v * v),
                std::max(weight.armature, model.armature[k])};
    }
  }
  evaluate(model.X_PB0);
  constant_ = std::all_of(model.S_B.begin(), model.S_B.end(),
                          [](const Twist<double>& S) { return dot(S.v, S.v) == 0; });
}

std::span<const double> MinPivots::at(std::span<const Pose<double>> X_PB) {
  if (!constant_) evaluate(X_PB);
  return out_;
}

void MinPivots::evaluate(std::span<const Pose<double>> X_PB) {
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
}

TreeFactor::TreeFactor(const Model& model) : y_(size_t(model.n_v)) {
  std::vector<int> last(size_t(model.n_body), -1);  // last pivot of a body's joint
  for (int i = 1; i < model.n_body; ++i) {
    last[i] = last[model.parent[i]];
    for (int k = 0; k < model.v_count[i]; ++k) {
      const int before = last[i];
      last[i] = int(column_.size());
      column_.push_back(model.v_index[i] + k);
      body_.push_back(i);
      if (before >= 0)
        for (int a = start_[before]; a < start_[before + 1]; ++a) path_.push_back(path_[a]);
      path_.push_back(last[i]);
      start_.push_back(int(path_.size()));
    }
  }
  L_.resize(path_.size());
}

namespace {
// Computes y -= f x. x and y are [n].
void subtract(int n, double f, const double* __restrict x, double* __restrict y) {
  for (int j = 0; j < n; ++j) y[j] -= f * x[j];
}
}  // namespace

int TreeFactor::factor(const double* M, std::span<const double> min_pivot) {
  const size_t n = column_.size();
  for (size_t k = 0; k < n; ++k)
    for (int a = start_[k]; a < start_[k + 1]; ++a) L_[a] = M[column_[k] * n + column_[path_[a]]];
  for (size_t k = n; k-- > 0;) {
    const int before = start_[k + 1] - start_[k] - 1;
    double* row = &L_[start_[k]];
    const double pivot = row[before];
    if (!(pivot > min_pivot[body_[k]])) return body_[k];
    for (int a = before - 1; a >= 0; --a) {
      const double f = row[a] / pivot;
      subtract(a + 1, f, row, &L_[start_[path_[start_[k] + a]]]);
      row[a] = f;
    }
  }
  return -1;
}

void TreeFactor::solve(double* x) const {
  const size_t n = column_.size();
  for (size_t k = 0; k < n; ++k) y_[k] = x[column_[k]];
  for (size_t k = n; k-- > 0;)
    for (int a = start_[k]; a < start_[k + 1] - 1; ++a) y_[path_[a]] -= L_[a] * y_[k];
  for (size_t k = 0; k < n; ++k) y_[k] /= L_[start_[k + 1] - 1];
  for (size_t k = 0; k < n; ++k)
    for (int a = start_[k]; a < start_[k + 1] - 1; ++a) y_[k] -= L_[a] * y_[path_[a]];
  for (size_t k = 0; k < n; ++k) x[column_[k]] = y_[k];
}

double TreeFactor::operations_of_inverse() const {
  double squares = 0;
  for (size_t k = 0; k < column_.size(); ++k) squares += std::pow(start_[k + 1] - start_[k], 2);
  return squares + 4 * double(column_.size()) * double(path_.size());
}

}  // namespace torsor
