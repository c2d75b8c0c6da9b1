#pragma once
// A dense solver for strictly convex quadratic programs, without allocation:
//   minimise 1/2 x^T H x + c^T x   subject to   a_i^T x = b_i  (i < m_e),   a_i^T x >= b_i  (else)
//
// It is the dual active-set method of Goldfarb and Idnani (1983). It starts at the minimum without
// constraints. Each step adds a violated constraint a to the active ones and keeps
//   H x + c = N u,   N^T x = b on the active set,   u_i >= 0 of its inequalities
// where the columns of N are the active a_i. With J J^T = H^-1 and J^T N = (R; 0), the step is
//   d = J^T a = (d_1, d_2),   z = J_2 d_2,   r = R^-1 d_1,   x += t z,   u -= t r,   u_a += t
// t ends at a^T x = b, or earlier where a multiplier becomes zero, whose constraint then leaves the
// active set. The dual objective increases with each constraint that is added, so no active set
// occurs twice.
//
// If d_2 is zero, a depends on the active constraints. z is then zero and only multipliers change.
// If no multiplier decreases, the constraints contradict each other.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

namespace torsor::sdk {

class QuadraticProgram {
 public:
  enum class Outcome {
    solved,
    infeasible,   // the constraints contradict each other
    not_convex,   // H is not positive definite
    not_finished  // too many steps, for example because a number is NaN
  };

  // Returns the size of the work area for n unknowns and m constraints.
  static constexpr size_t work_doubles(size_t n, size_t m) {
    return 2 * n * n + 6 * n + (n + 1) / 2 + (m + 1) / 2;
  }
  // n, m: the largest numbers of unknowns and constraints. work: [work_doubles(n, m)].
  QuadraticProgram(size_t n, size_t m, double* work) {
    Jt_ = std::exchange(work, work + n * n);
    R_ = std::exchange(work, work + n * n);
    double** const vectors[] = {&d_, &r_, &z_, &u_, &y_, &residual_};
    for (double** vector : vectors) *vector = std::exchange(work, work + n);
    active_ = ::new (static_cast<void*>(std::exchange(work, work + (n + 1) / 2))) int[n + 1];
    place_ = ::new (static_cast<void*>(work)) int[m + 1];
  }

  // A problem of n unknowns and m constraints, of which the first `equalities` are equations.
  // H [n][n] is symmetric; A [m][n].
  struct Problem {
    size_t n, m, equalities;
    const double *H, *c, *A, *b;
  };
  // Writes x [n] and the multipliers u [m] with H x + c = A^T u. They are valid if the outcome is
  // `solved`.
  Outcome solve(const Problem& problem, double* x, double* u) {
    p_ = problem, x_ = x, n_active_ = 0;
    std::fill_n(u, p_.m, 0.0);
    std::fill_n(place_, p_.m, -1);
    if (!factorise()) return Outcome::not_convex;
    minimise_without_constraints();
    Outcome outcome = add_equalities();
    if (outcome == Outcome::solved) outcome = add_inequalities();
    refine();
    for (size_t k = 0; k < n_active_; ++k) u[active_[k]] = u_[k];
    return outcome;
  }
  // Returns the number of constraints that were added by the last call.
  int steps() const { return steps_; }

 private:
  static constexpr double infinite = std::numeric_limits<double>::max();
  // A constraint depends on the active ones if |d_2| is below this part of |d|. d has rounding
  // errors of n eps cond(H)^(1/2) |d|, which is 1e-11 for 50 unknowns and a condition of 1e6.
  static constexpr double dependent = 1e-10;
  // A violation counts above this part of |a| |x| + |b|, which is 1e5 rounding errors.
  static constexpr double violated = 1e-11;

  static double product(const double* a, const double* b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
  static double largest(const double* a, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; ++i) most = std::max(most, std::abs(a[i]));
    return most;
  }
  static void add(double* y, double f, const double* x, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] += f * x[i];
  }
  const double* row(int i) const { return p_.A + size_t(i) * p_.n; }
  double* Jt(size_t j) { return Jt_ + j * p_.n; }          // column j of J
  double* R(size_t column) { return R_ + column * p_.n; }  // column of R
  bool is_equality(size_t k) const { return size_t(active_[k]) < p_.equalities; }
  double slack(int i) const { return product(row(i), x_, p_.n) - p_.b[i]; }
  // Returns the violation of a slack that counts as zero.
  double tolerance(int i) const {
    const double a = std::sqrt(product(row(i), row(i), p_.n)), x = std::sqrt(product(x_, x_, p_.n));
    return violated * (a * x + std::abs(p_.b[i]));
  }

  // Computes J^T = L^-1 with H = L L^T.
  bool factorise() {
    const size_t n = p_.n;
    double* L = R_;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        const double sum = p_.H[i * n + j] - product(L + i * n, L + j * n, j);
        if (j < i) {
          L[i * n + j] = sum / L[j * n + j];
        } else {
          if (!(sum > 0)) return false;
          L[i * n + i] = std::sqrt(sum);
        }
      }
    for (size_t i = 0; i < n; ++i) {
      std::fill_n(Jt(i), n, 0.0);
      Jt(i)[i] = 1;
      for (size_t j = 0; j < i; ++j) add(Jt(i), -L[i * n + j], Jt(j), j + 1);
      for (size_t j = 0; j <= i; ++j) Jt(i)[j] /= L[i * n + i];
    }
    return true;
  }
  void minimise_without_constraints() {
    std::fill_n(x_, p_.n, 0.0);
    for (size_t j = 0; j < p_.n; ++j) add(x_, -product(Jt(j), p_.c, j + 1), Jt(j), j + 1);
  }

  // Computes d, r and z for a constraint. Returns a^T z = |d_2|^2, or 0 if the constraint depends
  // on the active ones.
  double find_direction(int i) {
    const size_t n = p_.n, q = n_active_;
    for (size_t j = 0; j < n; ++j) d_[j] = product(Jt(j), row(i), n);
    std::copy_n(d_, q, r_);
    for (size_t k = q; k-- > 0;) {
      r_[k] /= R(k)[k];
      add(r_, -r_[k], R(k), k);
    }
    std::fill_n(z_, n, 0.0);
    const double free = product(d_ + q, d_ + q, n - q), all = free + product(d_, d_, q);
    if (!(free > dependent * dependent * all)) return 0;
    for (size_t j = q; j < n; ++j) add(z_, d_[j], Jt(j), n);
    return free;
  }

  // Rotates the rows x and y so that (a, b) becomes (|(a, b)|, 0).
  struct Rotation {
    double c, s;
    Rotation(double a, double b) {
      const double h = std::hypot(a, b);
      c = h > 0 ? a / h : 1, s = h > 0 ? b / h : 0;
    }
    void apply(double& a, double& b) const {
      const double first = c * a + s * b;
      b = c * b - s * a, a = first;
    }
  };

  // Adds a constraint with the multiplier u. Its direction is that of find_direction().
  void activate(int i, double u) {
    const size_t n = p_.n, q = n_active_;
    for (size_t j = n - 1; j > q; --j) {
      const Rotation turn(d_[j - 1], d_[j]);
      turn.apply(d_[j - 1], d_[j]);
      for (size_t k = 0; k < n; ++k) turn.apply(Jt(j - 1)[k], Jt(j)[k]);
    }
    std::copy_n(d_, q + 1, R(q));
    active_[q] = i, u_[q] = u, place_[i] = int(q);
    ++n_active_, ++steps_;
  }
  // Removes the k-th active constraint.
  void release(size_t k) {
    const size_t n = p_.n;
    place_[active_[k]] = -1;
    for (; k + 1 < n_active_; ++k) {
      std::copy_n(R(k + 1), k + 2, R(k));
      active_[k] = active_[k + 1], u_[k] = u_[k + 1], place_[active_[k]] = int(k);
      const Rotation turn(R(k)[k], R(k)[k + 1]);
      turn.apply(R(k)[k], R(k)[k + 1]);
      for (size_t c = k + 2; c < n_active_; ++c) turn.apply(R(c)[k], R(c)[k + 1]);
      for (size_t j = 0; j < n; ++j) turn.apply(Jt(k)[j], Jt(k + 1)[j]);
    }
    --n_active_;
  }

  Outcome add_equalities() {
    steps_ = 0;
    for (int i = 0; size_t(i) < p_.equalities; ++i) {
      const double s = slack(i), free = find_direction(i);
      if (free == 0) {
        // The residuals of the active constraints, which refine() removes, are part of s.
        if (!(std::abs(s) <= 1e3 * tolerance(i))) return Outcome::infeasible;
        continue;
      }
      const double t = -s / free;
      add(x_, t, z_, p_.n);
      add(u_, -t, r_, n_active_);
      activate(i, t);
    }
    return Outcome::solved;
  }

  // Returns the inequality with the largest violation relative to |a|, or -1 if there is none.
  int worst() const {
    int found = -1;
    double least = 0;
    for (int i = int(p_.equalities); size_t(i) < p_.m; ++i) {
      if (place_[i] >= 0) continue;
      const double s = slack(i);
      if (!(s < -tolerance(i))) continue;
      const double size = std::sqrt(product(row(i), row(i), p_.n));
      const double relative = size > 0 ? s / size : -infinite;
      if (relative < least) least = relative, found = i;
    }
    return found;
  }

  Outcome add_inequalities() {
    const int most = 20 * int(p_.n + p_.m);
    int changes = 0;
    for (int i = worst(); i >= 0; i = worst()) {
      double u = 0;
      for (;;) {
        if (++changes > most) return Outcome::not_finished;
        const double free = find_direction(i), to_bound = free > 0 ? -slack(i) / free : infinite;
        double t = to_bound;
        int leaving = -1;
        const double least = dependent * largest(r_, n_active_);
        for (size_t k = 0; k < n_active_; ++k)
          if (!is_equality(k) && r_[k] > least && u_[k] < t * r_[k])
            t = u_[k] / r_[k], leaving = int(k);
        if (t == infinite) return Outcome::infeasible;
        if (free > 0) add(x_, t, z_, p_.n);
        add(u_, -t, r_, n_active_);
        u += t;
        if (leaving < 0) break;
        release(size_t(leaving));
      }
      activate(i, u);
    }
    return Outcome::solved;
  }

  // Removes the rounding errors of the active constraints: x += J_1 R^-T (b - N^T x). H x + c stays
  // in the range of N.
  void refine() {
    const size_t q = n_active_;
    for (size_t k = 0; k < q; ++k) residual_[k] = -slack(active_[k]);
    for (size_t k = 0; k < q; ++k) y_[k] = (residual_[k] - product(R(k), y_, k)) / R(k)[k];
    for (size_t k = 0; k < q; ++k) add(x_, y_[k], Jt(k), p_.n);
  }

  double *Jt_, *R_, *d_, *r_, *z_, *u_, *y_, *residual_;
  int *active_, *place_;  // the active constraints, and the place of each constraint among them
  Problem p_{};
  double* x_ = nullptr;
  size_t n_active_ = 0;
  int steps_ = 0;
};

}  // namespace torsor::sdk
