#pragma once
// Solves Coulomb's law of one contact while all other multipliers keep their values.
//
// In the units of Contact, y = A x + b with the block A of G. Let S be the Schur complement of A_nn
// for the rows t of a friction group, h = b_t - A_tn b_n / A_nn, p = -b_n / A_nn, and
// g = -A_nt / A_nn. If y_n = 0, then x_n = p + g x_t and y_t = S x_t + h. With y_t = -k x_t, k >=
// 0,
//   x_t(k) = -(S + k)^-1 h,   x_n(k) = p + g x_t(k)
// - b_n >= 0 and lower = 0: the contact separates, x = 0.
// - Otherwise p > 0. If |x_t(0)| <= m x_n(0), it sticks.
// - Otherwise it slides. |x_t| - m x_n is positive for k = 0 and negative for k -> infinity, so a
//   root k exists. r(k) = m x_n / |x_t| is a linear function of k if S is a multiple of 1. Newton's
//   method therefore finds r = 1 in few steps. Bisection safeguards it.
// If x_n is at a bound, the same equations hold with S = A_tt, h = b_t + A_tn x_n, p = x_n, g = 0.
//
// A may be singular, for example if a contact can move in one direction only. The diagonal of A is
// therefore increased by a small e, and b is decreased by e times the present x (a proximal step).
// The fixed points of repeated steps are those of e = 0.

#include <array>
#include <limits>

#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor::sdk {

// The equations of the rows t of a friction group, after x_n has been eliminated.
class SlidingEquations {
 public:
  // Rows are scaled, so that the squares do not overflow.
  static double length(double a, double b) { return std::sqrt(a * a + b * b); }

  // S = {S_11, S_12, S_22}. For a group of one row, S_12 = h_2 = g_2 = 0.
  SlidingEquations(const std::array<double, 3>& S, const double* h, const double* g, double p,
                   double m)
      : p_(p), m_(m) {
    // Rotates to the principal axes of S, by the angle a with (cos 2a, sin 2a) half = (difference,
    // S_12).
    const double mean = 0.5 * (S[0] + S[2]), difference = 0.5 * (S[0] - S[2]),
                 half = length(difference, S[1]);
    if (half > 0) {
      const double larger = std::sqrt(0.5 * (1 + std::abs(difference) / half)),
                   smaller = 0.5 * S[1] / half / larger;
      cos_ = difference >= 0 ? larger : std::abs(smaller);
      sin_ = difference >= 0 ? smaller : std::copysign(larger, S[1]);
    }
    s_[0] = mean + half, s_[1] = std::max(mean - half, 0.0);
    h_[0] = cos_ * h[0] + sin_ * h[1], h_[1] = cos_ * h[1] - sin_ * h[0];
    g_[0] = cos_ * g[0] + sin_ * g[1], g_[1] = cos_ * g[1] - sin_ * g[0];
  }

  // Writes x_t [2] that satisfies Coulomb's law. Returns x_n.
  double solve(double* x_t) {
    const double size = length(h_[0], h_[1]);
    double k = 0;
    if (size > 0 && !sticks()) k = sliding_rate(size);
    if (k < unbounded && size > 0)
      evaluate(k);
    else
      x_[0] = x_[1] = 0, normal_ = p_;
    x_t[0] = cos_ * x_[0] - sin_ * x_[1];
    x_t[1] = sin_ * x_[0] + cos_ * x_[1];
    return normal_;
  }

 private:
  // Evaluates x_t and x_n for k. A row with s = k = 0 needs h = 0, and then x = 0.
  void evaluate(double k) {
    normal_ = p_;
    for (int i = 0; i < 2; ++i) {
      x_[i] = h_[i] == 0 ? 0 : -h_[i] / (s_[i] + k);
      normal_ += g_[i] * x_[i];
    }
  }
  bool sticks() {
    for (int i = 0; i < 2; ++i)
      if (h_[i] != 0 && !(s_[i] > 0)) return false;
    evaluate(0);
    return length(x_[0], x_[1]) <= m_ * normal_;
  }
  // Returns the root k > 0, or a number that is not below `unbounded` if x_t = 0.
  double sliding_rate(double size) {
    if (!(m_ * p_ > 0)) return unbounded;
    // |x_t| <= size / k, and x_n >= p - |g| size / k. So r >= 1 at the upper end.
    double low = 0, high = size * (1 / (m_ * p_) + length(g_[0], g_[1]) / p_);
    double k = std::min(high, std::max(size / (m_ * p_) - 0.5 * (s_[0] + s_[1]), 0.0));
    for (int step = 0; step < 100; ++step) {
      if (!(k > low && k < high)) k = 0.5 * (low + high);
      evaluate(k);
      const double r = length(x_[0], x_[1]), value = m_ * normal_ / r - 1;
      (value < 0 ? low : high) = k;
      double normal_rate = 0, r_rate = 0;
      for (int i = 0; i < 2; ++i) {
        const double rate = -x_[i] / (s_[i] + k);
        normal_rate += g_[i] * rate;
        r_rate += x_[i] * rate / r;
      }
      const double slope = m_ * (normal_rate * r - normal_ * r_rate) / (r * r);
      if (std::abs(value) <= 4 * std::numeric_limits<double>::epsilon()) break;
      const double next = slope > 0 ? k - value / slope : low;
      if (next == k || high - low <= std::numeric_limits<double>::epsilon() * high) break;
      k = next;
    }
    return k;
  }

  double p_, m_, cos_ = 1, sin_ = 0, s_[2], h_[2], g_[2], x_[2] = {0, 0}, normal_ = 0;
};

// Solves a contact for the present multipliers of the others.
class ContactBlock {
 public:
  static constexpr int most = Contact::most_rows;

  // A: [n_rows][most] the block of G in the units of the contact. x: [n_rows] within the cones.
  // y: [n_rows] the rates for x. solve() replaces x by the solution.
  ContactBlock(const Contact& contact, const double* A, const double* y, double* x)
      : contact_(contact), A_(A), x_(x) {
    for (int i = 0; i < contact.n_rows(); ++i) {
      b_[i] = y[i];
      for (int j = 0; j < contact.n_rows(); ++j) b_[i] -= a(i, j) * x[j];
    }
  }

  // Solves for the normal force and the first group together. The other groups follow, for this
  // normal force.
  void solve() {
    solve_normal();
    contact_.limit(x_, x_[0]);
    for (int k = 1; k < contact_.n_groups(); ++k) solve_group(k, false);
    contact_.limit(x_, x_[0]);
  }

 private:
  // The increase e of the diagonal of A.
  static constexpr double proximity = 1e-10;

  double a(int i, int j) const { return A_[i * most + j] + (i == j ? proximity : 0); }
  // Returns the rate of a row with all multipliers of the contact but those of the given group, and
  // but the normal force if without_normal.
  double rate_without(int row, const Contact::Group& group, bool without_normal) const {
    double sum = b_[row];
    for (int j = without_normal ? 1 : 0; j < contact_.n_rows(); ++j)
      if (j < group.begin || j >= group.end) sum += a(row, j) * x_[j];
    return sum;
  }

  void solve_normal() {
    const Contact::Group& group = contact_.group(0);
    const double b = rate_without(0, group, true);
    double normal = contact_.lower();
    if (contact_.lower() < contact_.upper() && !(b >= 0 && contact_.lower() <= 0)) {
      if (group.is_moved)
        solve_group(0, true);
      else
        x_[0] = -b / a(0, 0);
      normal = std::min(std::max(x_[0], contact_.lower()), contact_.upper());
      if (normal == x_[0]) return;
    }
    x_[0] = normal;
    solve_group(0, false);
  }

  // Solves for the rows of a group, with or without the normal force.
  void solve_group(int k, bool with_normal) {
    const Contact::Group& group = contact_.group(k);
    if (!group.is_moved) return;
    const int count = group.end - group.begin, t[] = {group.begin, group.end - 1};
    const double b_n = with_normal ? rate_without(0, group, true) : 0;
    std::array<double, 3> S = {a(t[0], t[0]), count == 2 ? a(t[0], t[1]) : 0,
                               count == 2 ? a(t[1], t[1]) : 1};
    double h[2] = {0, 0}, g[2] = {0, 0}, x_t[2];
    for (int i = 0; i < count; ++i) {
      h[i] = rate_without(t[i], group, with_normal);
      if (!with_normal) continue;
      g[i] = -a(t[i], 0) / a(0, 0);
      h[i] += g[i] * b_n;
    }
    S[0] += g[0] * a(t[0], 0);
    if (count == 2) S[1] += g[0] * a(t[1], 0), S[2] += g[1] * a(t[1], 0);
    const double p = with_normal ? -b_n / a(0, 0) : x_[0];
    x_[0] = SlidingEquations(S, h, g, p, group.m).solve(x_t);
    for (int i = 0; i < count; ++i) x_[t[i]] = x_t[i];
  }

  const Contact& contact_;
  const double* A_;
  double* x_;
  double b_[most];  // y - (A + e) x before solve()
};

}  // namespace torsor::sdk
