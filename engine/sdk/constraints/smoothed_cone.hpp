#pragma once
// The projection P on the cones of a contact, its derivative D, and its smoothed form. For a width
// d > 0,
//   (z)_+ = max(z, 0)  becomes  (z + sqrt(z^2 + 4 d^2)) / 2
// The projection on the cone |x_t| <= m x_n consists of two such functions. With r = v_t / |v_t|,
//   P(v) = (l_1)_+ c_1 + (l_2)_+ c_2
//   l_1 = v_n - |v_t| / m,   c_1 = (m^2, -m r) / (1 + m^2)
//   l_2 = v_n + m |v_t|,     c_2 = (1, m r) / (1 + m^2)
// c_1 and c_2 are orthogonal eigenvectors of D (Zhou and Chen, *Properties of circular cone and
// spectral factorization associated with circular cone*, 2013).

#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor::sdk {

// (z)_+ of the smoothed map, and its derivative.
inline double positive_part(double z, double width) {
  const double root = std::sqrt(z * z + 4 * width * width);
  return z > 0 ? (z + root) / 2 : 2 * width * width / (root - z);
}
inline double positive_slope(double z, double width) {
  const double root = std::sqrt(z * z + 4 * width * width);
  return z > 0 ? (1 + z / root) / 2 : 2 * width * width / (root * (root - z));
}
// The smoothed projection of v [n_rows] of a contact.
class SmoothedCone {
 public:
  static constexpr int most = Contact::most_rows;

  SmoothedCone(const Contact& contact, const double* v, double width)
      : group_(contact.group(0)),
        m_(group_.m),
        weight_(1 / (1 + m_ * m_)),
        v_t_(Contact::norm(group_, v)) {
    const double l_1 = v[0] - v_t_ / m_, l_2 = v[0] + m_ * v_t_;
    value_1_ = positive_part(l_1, width), value_2_ = positive_part(l_2, width);
    slope_1_ = positive_slope(l_1, width), slope_2_ = positive_slope(l_2, width);
    for (int i = group_.begin; i < group_.end; ++i)
      r_[i] = v_t_ > 0 ? v[i] / v_t_ : i == group_.begin ? 1 : 0;
  }
  void project(double* x) const {
    x[0] = weight_ * (m_ * m_ * value_1_ + value_2_);
    for (int i = group_.begin; i < group_.end; ++i) x[i] = x_t() * r_[i];
  }
  // Writes E = D^-1 - 1. `least` replaces smaller eigenvalues of D. The slopes are the eigenvalues
  // of D for c_1 and c_2, and |x_t| / |v_t| is that of the tangent perpendicular to r.
  void derive(double least, double (*E)[most]) const {
    const auto inverse = [least](double slope) { return 1 / std::max(slope, least); };
    const double e_1 = inverse(slope_1_) - 1, e_2 = inverse(slope_2_) - 1,
                 across =
                     inverse(v_t_ > 0 ? x_t() / v_t_ : weight_ * (slope_1_ + m_ * m_ * slope_2_)) -
                     1;
    const double coupling = weight_ * m_ * (e_2 - e_1), along = weight_ * (e_1 + m_ * m_ * e_2);
    E[0][0] = weight_ * (m_ * m_ * e_1 + e_2);
    for (int i = group_.begin; i < group_.end; ++i) {
      E[0][i] = E[i][0] = coupling * r_[i];
      for (int j = group_.begin; j < group_.end; ++j)
        E[i][j] = along * r_[i] * r_[j] + across * ((i == j ? 1 : 0) - r_[i] * r_[j]);
    }
  }

 private:
  double x_t() const { return weight_ * m_ * (value_2_ - value_1_); }

  const Contact::Group& group_;
  double m_, weight_, v_t_, value_1_, value_2_, slope_1_, slope_2_;
  double r_[most] = {};
};

// Writes E = D^-1 - 1 [n_rows][n_rows] of a contact at v. Let r_t = v_t / |v_t| for the groups at
// their cones, q = e_n + sum m r_t, and z the normal part of P(v). D has these eigenvectors:
// - In the space of e_n and the r_t: q with the eigenvalue 1, or 0 if z is at a bound. 0 for the
//   others.
// - The direction of a group at its cone that is perpendicular to r_t: m z / |v_t|.
// - The rows of the other groups: 1.
// `least` replaces smaller eigenvalues.
inline void derive_projection(const Contact& contact, const double* v, double least,
                              double (*E)[Contact::most_rows]) {
  constexpr int most = Contact::most_rows;
  const double large = 1 / least - 1;
  double p[most], q[most] = {1}, weight = 1;
  const int n = contact.n_rows();
  std::copy_n(v, n, p);
  const unsigned at_cone = contact.project(p);
  const bool is_at_bound = !(p[0] > contact.lower() && p[0] < contact.upper());
  for (int i = 0; i < n; ++i) std::fill_n(E[i], n, 0.0);
  E[0][0] = large;
  for (int k = 0; k < contact.n_groups(); ++k) {
    if (!(at_cone >> k & 1u)) continue;
    const Contact::Group& group = contact.group(k);
    const double size = Contact::norm(group, v);
    const double slope = std::max(group.m * p[0] / size, least);
    weight += group.m * group.m;
    for (int i = group.begin; i < group.end; ++i) {
      const double r_i = v[i] / size;
      q[i] = group.m * r_i;
      for (int j = group.begin; j < group.end; ++j) {
        const double r = r_i * v[j] / size;
        E[i][j] = large * r + (1 / slope - 1) * ((i == j ? 1 : 0) - r);
      }
    }
  }
  if (is_at_bound) return;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) E[i][j] -= large * q[i] * q[j] / weight;
}

}  // namespace torsor::sdk
