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

TreeFactor::TreeFactor(const Model& model)
    : pattern_(model.view()),
      L_(pattern_.row_doubles() / lanes<double>),
      D_inverse_(size_t(model.n_v)),
      y_(size_t(model.n_v)),
      columns_(size_t(model.n_v) * sdk::groups_at_once) {
  static_assert(sdk::FactorPattern::row_step % lanes<double> == 0);
}

// The first entries of two rows are entries of the same pivots. Rows are combined in groups of
// lanes. This also changes entries after the end of a row, which are never read.
int TreeFactor::factor(const double* M, std::span<const double> min_pivot) {
  const int n = pattern_.size();
  for (int k = n - 1; k >= 0; --k) {
    const double* from = M + size_t(pattern_.column(k)) * size_t(n);
    double* row = L() + pattern_.row(k);
    for (int at = pattern_.row(k); at < pattern_.row(k + 1); at += lanes<double>)
      store_lanes(L() + at, Lanes(0.0));
    for (const int a : pattern_.path(k)) *row++ = from[pattern_.column(a)];
  }
  for (int k = n - 1; k >= 0; --k) {
    const auto path = pattern_.path(k);
    const int before = int(path.size()) - 1;
    double* row = L() + pattern_.row(k);
    const double pivot = row[before];
    if (!(pivot > min_pivot[size_t(pattern_.body(k))])) return pattern_.body(k);
    const double inverse = D_inverse_[size_t(k)] = 1 / pivot;
    for (int a = before - 1; a >= 0; --a) {
      const Lanes f(row[a] * inverse);
      double* to = L() + pattern_.row(path[size_t(a)]);
      for (int at = 0; at <= a; at += lanes<double>)
        store_lanes(to + at, load_lanes(to + at) - f * load_lanes(row + at));
    }
    for (int at = 0; at < before; at += lanes<double>)
      store_lanes(row + at, Lanes(inverse) * load_lanes(row + at));
  }
  return -1;
}

void TreeFactor::solve(double* x) const {
  const int n = pattern_.size();
  for (int k = 0; k < n; ++k) y_[size_t(k)] = x[pattern_.column(k)];
  for (int k = n - 1; k >= 0; --k) {
    const double* row = L() + pattern_.row(k);
    const auto path = pattern_.path(k);
    for (size_t a = 0; a + 1 < path.size(); ++a) y_[size_t(path[a])] -= row[a] * y_[size_t(k)];
  }
  for (int k = 0; k < n; ++k) {
    const double* row = L() + pattern_.row(k);
    const auto path = pattern_.path(k);
    double sum = y_[size_t(k)] * D_inverse_[size_t(k)];
    for (size_t a = 0; a + 1 < path.size(); ++a) sum -= row[a] * y_[size_t(path[a])];
    x[pattern_.column(k)] = y_[size_t(k)] = sum;
  }
}

void TreeFactor::multiply(const sdk::InverseProduct<double>& product) const {
  sdk::inverse_product(pattern_, L(), D_inverse_.data(), product, columns_.data());
}

void TreeFactor::multiply(const sdk::InverseProduct<double> (&products)[3]) const {
  sdk::inverse_products(pattern_, L(), D_inverse_.data(), products, columns_.data());
}

double TreeFactor::operations_of_inverse() const {
  double squares = 0;
  for (int k = 0; k < pattern_.size(); ++k) squares += std::pow(pattern_.path_length(k), 2);
  return squares + 4 * double(pattern_.size()) * double(pattern_.entries());
}

}  // namespace torsor
