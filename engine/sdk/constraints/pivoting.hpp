#pragma once
// A direct solver for torsor_constraint_problem without friction groups. Plugins and the engine
// share it.
//
// The rows are scaled to G_ii = 1: x_i = sqrt(G_ii) lambda_i. In these units, with the set F of the
// rows that are not at a bound, the solver determines
//   w = A x - b,   A_FF x_F = b_F - A_FB x_B,   x_B at its bounds
// A_FF is singular if rows are redundant. x_F is then the least-squares solution of least norm, so
// it does not depend on the order of the rows.
//
// F is found in two phases. Block pivoting moves all rows with a wrong sign at once, and needs few
// steps. If the number of wrong rows stops falling, the active-set method takes over. It decreases
//   1/2 x^T A x - b^T x
// in each step and therefore ends.

#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor::sdk {

// The pseudoinverse of a semidefinite matrix A with the diagonal 1. Cholesky decomposition with the
// largest remaining diagonal entry as pivot finds r independent rows. With the rows in this order,
//   A = C U_1^T U_1 C^T,   C = (1, W),   W^T = U_1^-1 U_2
//   A^+ = C (C^T C)^-1 (U_1^T U_1)^-1 (C^T C)^-1 C^T
//   (C^T C)^-1 = 1 - W^T K^-1 W,   K = 1 + W W^T
// U = (U_1, U_2) is [r x m], and U_1 is upper triangular. C^T C and K are well conditioned, because
// the pivots keep W small. The inner loops run along rows of U, so that compilers vectorise them.
class SemidefiniteFactor {
 public:
  // n: the largest number of rows, at least 1.
  static constexpr size_t work_doubles(size_t n) { return 2 * n * n + 3 * n + (n + 1) / 2; }
  SemidefiniteFactor(size_t n, double* work)
      : U_(work), K_(U_ + n * n), left_(K_ + n * n), y_(left_ + n), t_(y_ + n) {
    order_ = ::new (static_cast<void*>(t_ + n)) int[2 * ((n + 1) / 2)];
  }

  // Factorises the submatrix of A [.. x stride] with these m rows and columns.
  void compute(const double* A, size_t stride, const int* rows, int m) {
    m_ = m, rank_ = 0;
    for (int i = 0; i < m; ++i) {
      order_[i] = rows[i];
      left_[i] = A[size_t(rows[i]) * stride + size_t(rows[i])];
    }
    for (int k = 0; k < m; ++k) {
      int pivot = k;
      for (int i = k + 1; i < m; ++i)
        if (left_[i] > left_[pivot]) pivot = i;
      if (!(left_[pivot] > least_pivot)) break;
      for (int j = 0; j < k; ++j) std::swap(U(j)[k], U(j)[pivot]);
      std::swap(order_[k], order_[pivot]);
      std::swap(left_[k], left_[pivot]);
      double* u = U(k);
      const double* from = A + size_t(order_[k]) * stride;
      for (int i = k + 1; i < m; ++i) u[i] = from[order_[i]];
      for (int j = 0; j < k; ++j) subtract(u, U(j)[k], U(j), k + 1, m);
      u[k] = std::sqrt(left_[k]);
      for (int i = k + 1; i < m; ++i) {
        u[i] /= u[k];
        left_[i] -= u[i] * u[i];
      }
      ++rank_;
    }
    if (rank_ < m_) factor_redundant();
  }

  // Replaces the entries b[rows] of compute() by A^+ b.
  void solve(double* b) {
    for (int i = 0; i < m_; ++i) y_[i] = b[order_[i]];
    if (rank_ < m_) {
      for (int j = 0; j < rank_; ++j)
        for (int i = rank_; i < m_; ++i) y_[j] += U(j)[i] * y_[i];
      remove_redundant();
    }
    for (int i = 0; i < rank_; ++i) {
      y_[i] /= U(i)[i];
      subtract(y_, y_[i], U(i), i + 1, rank_);
    }
    for (int i = rank_; i-- > 0;) {
      for (int j = i + 1; j < rank_; ++j) y_[i] -= U(i)[j] * y_[j];
      y_[i] /= U(i)[i];
    }
    if (rank_ < m_) remove_redundant();
    for (int i = 0; i < m_; ++i) b[order_[i]] = y_[i];
  }

 private:
  // A row is redundant if the square of the part of it outside of the span of the others is below
  // this. The square has rounding errors of n eps.
  static constexpr double least_pivot = 1e-12;

  double* U(int i) { return U_ + size_t(i) * size_t(m_); }
  double& K(int i, int j) { return K_[size_t(i) * size_t(m_ - rank_) + size_t(j)]; }
  // Subtracts f times the entries from `first` to before `end` of x from those of y.
  static void subtract(double* y, double f, const double* x, int first, int end) {
    for (int i = first; i < end; ++i) y[i] -= f * x[i];
  }

  // Replaces U_2 by W^T, and factorises K.
  void factor_redundant() {
    for (int j = rank_; j-- > 0;) {
      for (int k = j + 1; k < rank_; ++k) subtract(U(j), U(j)[k], U(k), rank_, m_);
      for (int i = rank_; i < m_; ++i) U(j)[i] /= U(j)[j];
    }
    const int n = m_ - rank_;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b <= a; ++b) {
        double x = a == b ? 1 : 0;
        for (int j = 0; j < rank_; ++j) x += U(j)[rank_ + a] * U(j)[rank_ + b];
        for (int j = 0; j < b; ++j) x -= K(a, j) * K(b, j);
        K(a, b) = a == b ? std::sqrt(x) : x / K(b, b);
      }
  }
  // Replaces the first r entries of y by (C^T C)^-1 of them, and the others by K^-1 W of them.
  void remove_redundant() {
    const int n = m_ - rank_;
    for (int a = 0; a < n; ++a) {
      t_[a] = 0;
      for (int j = 0; j < rank_; ++j) t_[a] += U(j)[rank_ + a] * y_[j];
      for (int b = 0; b < a; ++b) t_[a] -= K(a, b) * t_[b];
      t_[a] /= K(a, a);
    }
    for (int a = n; a-- > 0;) {
      t_[a] /= K(a, a);
      for (int b = 0; b < a; ++b) t_[b] -= K(a, b) * t_[a];
      for (int j = 0; j < rank_; ++j) y_[j] -= U(j)[rank_ + a] * t_[a];
      y_[rank_ + a] = t_[a];
    }
  }

  double *U_, *K_, *left_, *y_, *t_;
  int* order_;
  int m_ = 0, rank_ = 0;
};

class Pivoting {
 public:
  // Returns the size of the work area for n rows.
  static constexpr size_t work_doubles(size_t n) {
    n = std::max<size_t>(n, 1);
    return SemidefiniteFactor::work_doubles(n) + n * n + n_vectors * n + n_lists * ((n + 1) / 2);
  }
  // work: [work_doubles(n)].
  Pivoting(const torsor_constraint_problem& problem, double* work)
      : problem_(problem), n_(problem.n), factor_(std::max<size_t>(size_t(n_), 1), work) {
    const size_t n = std::max<size_t>(size_t(n_), 1), pairs = (n + 1) / 2;
    work += SemidefiniteFactor::work_doubles(n);
    A_ = std::exchange(work, work + n * n);
    double** const vectors[] = {&scale_, &b_,      &b_terms_, &lower_, &upper_,
                                &x_,     &target_, &w_,       &terms_};
    static_assert(std::size(vectors) == n_vectors);
    for (double** vector : vectors) *vector = std::exchange(work, work + n);
    int** const lists[] = {&at_, &inner_, &released_};
    static_assert(std::size(lists) == n_lists);
    for (int** list : lists)
      *list = ::new (static_cast<void*>(std::exchange(work, work + pairs))) int[2 * pairs];
  }

  // Writes lambda [n]. Returns the number of factorisations.
  int solve(double* lambda) {
    scale_rows();
    if (!pivot_blocks()) descend();
    for (int i = 0; i < n_; ++i) {
      const double bound = at_[i] < 0 ? problem_.lower[i] : problem_.upper[i];
      lambda[i] = at_[i] == unmoved  ? unmoved_multiplier(problem_, i)
                  : at_[i] == inside ? clamped(problem_, i, scale_[i] * x_[i])
                                     : bound;
    }
    return factorisations_;
  }

 private:
  // The place of a row: at a bound, between them, or moved by no multiplier (G_ii = 0).
  enum : int { at_lower = -1, inside = 0, at_upper = 1, unmoved = 2 };
  // A violation of A_FF x_F = b_F - A_FB x_B by more than this part of its terms means that the
  // rows of F contradict one another.
  static constexpr double contradiction = 1e-9;
  static constexpr size_t n_vectors = 9, n_lists = 3;

  const double* row(int i) const { return A_ + size_t(i) * size_t(n_); }

  void scale_rows() {
    const auto n = size_t(n_);
    for (size_t i = 0; i < n; ++i) {
      const double g = entry(problem_, int(i), int(i)), root = g > 0 ? std::sqrt(g) : 0;
      scale_[i] = root > 0 ? 1 / root : 0;
      at_[i] = root > 0 ? inside : unmoved;
      b_[i] = -scale_[i] * problem_.c[i];
      b_terms_[i] = scale_[i] * problem_.c_terms[i];
      lower_[i] = root > 0 ? root * problem_.lower[i] : 0;
      upper_[i] = root > 0 ? root * problem_.upper[i] : 0;
      x_[i] = 0;
    }
    for (size_t i = 0; i < n; ++i) {
      std::fill_n(A_ + n * i, n, 0.0);
      for_each_entry(problem_, int(i), [&](int j, double g) {
        A_[n * i + size_t(j)] = scale_[i] * g * scale_[size_t(j)];
      });
      if (at_[i] == inside) A_[(n + 1) * i] = 1;
    }
  }

  double bound(int i) const { return at_[i] == at_lower ? lower_[i] : upper_[i]; }

  // Sets w_ = A target_ - b, and the sizes of its terms.
  void evaluate_target() {
    for (int i = 0; i < n_; ++i) w_[i] = -b_[i], terms_[i] = b_terms_[i];
    for (int j = 0; j < n_; ++j) {
      const double* a = row(j);
      const double x = target_[j];
      if (x == 0) continue;
      for (int i = 0; i < n_; ++i) {
        const double term = a[i] * x;
        w_[i] += term;
        terms_[i] += std::abs(term);
      }
    }
  }

  // Writes the solution on the present face to target_, with w_ and terms_. Sets the tolerance of
  // w. Returns whether the rows of the face do not contradict one another.
  bool solve_face() {
    int m = 0;
    for (int i = 0; i < n_; ++i) {
      if (at_[i] == inside) inner_[m++] = i;
      target_[i] = at_[i] == inside || at_[i] == unmoved ? 0 : bound(i);
    }
    ++factorisations_;
    factor_.compute(A_, size_t(n_), inner_, m);
    evaluate_target();
    // The second solution refines the first.
    for (int pass = 0; pass < 2; ++pass) {
      factor_.solve(w_);
      for (int k = 0; k < m; ++k) target_[inner_[k]] -= w_[inner_[k]];
      evaluate_target();
    }
    double error = 0;
    for (int k = 0; k < m; ++k)
      if (const int i = inner_[k]; terms_[i] > 0)
        error = std::max(error, std::abs(w_[i]) / terms_[i]);
    // A redundant row may be at its bound while the other rows prevent it from moving. The sign of
    // its w is then only a rounding error.
    tolerance_ = 64 * std::numeric_limits<double>::epsilon() * n_;
    if (error > contradiction) return false;
    tolerance_ = std::max(tolerance_, 4 * error);
    return true;
  }

  // Returns whether a row at a bound must leave it.
  bool is_pulled_off(int i) const {
    return (at_[i] == at_lower && w_[i] < -tolerance_ * terms_[i]) ||
           (at_[i] == at_upper && w_[i] > tolerance_ * terms_[i]);
  }

  // Block pivoting. Returns false if it does not find the solution. The last point is then in x_,
  // within the bounds.
  bool pivot_blocks() {
    int least = n_ + 1;
    for (int patience = 3; patience > 0;) {
      const bool consistent = solve_face();
      int wrong = 0;
      for (int i = 0; i < n_; ++i) {
        x_[i] = std::min(std::max(target_[i], lower_[i]), upper_[i]);
        wrong += next_place(i) != at_[i];
      }
      if (wrong == 0 && consistent) return true;
      if (wrong == 0) break;
      if (wrong < least)
        least = wrong, patience = 3;
      else
        --patience;
      for (int i = 0; i < n_; ++i) at_[i] = next_place(i);
    }
    for (int i = 0; i < n_; ++i)
      if (at_[i] == at_lower || at_[i] == at_upper) x_[i] = bound(i);
    return false;
  }
  // Returns the place of a row after a block step.
  int next_place(int i) const {
    if (at_[i] == inside && target_[i] < lower_[i]) return at_lower;
    if (at_[i] == inside && target_[i] > upper_[i]) return at_upper;
    return is_pulled_off(i) ? inside : at_[i];
  }

  // The active-set method, from x_ within the bounds. A row that is released may return to its
  // bound at once, by rounding. It is not released again before x_ has moved.
  void descend() {
    std::fill_n(released_, n_, 0);
    for (int k = 0; k < 30 * n_ + 30; ++k) {
      const bool consistent = solve_face();
      const double part = move_on_face(consistent);
      if (part > 0) std::fill_n(released_, n_, 0);
      if (part < 0) return;  // no bound ends the descent: the rows contradict one another
      if (part < 1 || !consistent) continue;
      int worst = -1;
      for (int i = 0; i < n_; ++i)
        if (is_pulled_off(i) && !released_[i] &&
            (worst < 0 || std::abs(w_[i]) > std::abs(w_[worst])))
          worst = i;
      if (worst < 0) return;
      at_[worst] = inside, released_[worst] = 1;
    }
  }
  // Moves x_ towards the solution on the face, up to the first bound, and adds the rows there to
  // those at a bound. If the rows of the face contradict one another, x_ moves along -w_F, in which
  // the function to be minimised decreases without a minimum. Returns the part of the way that is
  // within the bounds; or -1 if no bound ends it, with the least-squares solution in x_.
  double move_on_face(bool consistent) {
    double part = consistent ? 1 : unbounded;
    const auto direction = [&](int i) { return consistent ? target_[i] - x_[i] : -w_[i]; };
    const auto reach = [&](int i) {
      const double d = direction(i), limit = d < 0 ? lower_[i] : upper_[i];
      return d != 0 && std::abs(limit) < unbounded ? std::max((limit - x_[i]) / d, 0.0) : unbounded;
    };
    for (int i = 0; i < n_; ++i)
      if (at_[i] == inside) part = std::min(part, reach(i));
    if (part >= unbounded) {
      for (int i = 0; i < n_; ++i) x_[i] = std::min(std::max(target_[i], lower_[i]), upper_[i]);
      return -1;
    }
    for (int i = 0; i < n_; ++i) {
      if (at_[i] != inside) continue;
      const double d = direction(i);
      if (reach(i) <= part && (part < 1 || !consistent))
        x_[i] = d < 0 ? lower_[i] : upper_[i], at_[i] = d < 0 ? at_lower : at_upper;
      else
        x_[i] = std::min(std::max(x_[i] + part * d, lower_[i]), upper_[i]);
    }
    return part;
  }

  double *A_, *scale_, *b_, *b_terms_, *lower_, *upper_, *x_, *target_, *w_, *terms_;
  int *at_, *inner_, *released_;
  const torsor_constraint_problem& problem_;
  int n_, factorisations_ = 0;
  double tolerance_ = 0;
  SemidefiniteFactor factor_;
};

}  // namespace torsor::sdk
