#pragma once
// A primal-dual interior point method for torsor_constraint_problem whose G has a factor X. It is
// for large sets of contacts, such as heaps: it needs few iterations for redundant contacts, and
// the matrix of each one has the size of the dof.
//
// In the units of Contact, with the velocities v = X^T x and De Saxce's shift s_n = sum m |y_t|:
//   y = X v + c,   w = y + s(y)
// Each contact or row has cones K_k: x^_k = S_k x + o_k in K_k. A friction group has the cone
// m x_n >= |x_t|, and a finite bound of a row has a half-line. The law of contact is
//   w = sum S_k^T w^_k,   x^_k in K_k,   w^_k in K_k,   x^_k o w^_k = 0
// The tangential parts of w and y are equal, so that s is a function of w^. The central path has
// x^_k o w^_k = mu e instead. A step of Newton's method along it, in the scaling of Nesterov and
// Todd (symmetric_cone.hpp), is
//   dw^_k = W_k rho_k - Q_k S_k dx,    rho_k = l_k \ (mu e - l_k o l_k),   l_k = W_k x^_k
//   Q dx + T X dv = R - r,             Q = sum S_k^T Q_k S_k,  R = sum S_k^T W_k rho_k
//   dv = X^T dx                        r = y + s - w,  T = 1 + e_n a^T,  a_t = m w_t / |w_t|
// and therefore
//   (1 + X^T Q^-1 T X) dv = X^T Q^-1 (R - r)
// It is preceded by a step to mu = 0, which gives the next mu and terms of second order (Mehrotra,
// *On the implementation of a primal-dual interior point method*, 1992). The shift is not monotone:
// if a step is short, the next ones keep the shift, T = 1. The problem of a step is then convex.
// The treatment of the shift follows Acary, Armand, Nguyen and Shpakovych (*Second-order cone
// programming for frictional contact mechanics using interior point algorithm*, 2022).

#include <iterator>

#include "torsor/sdk/constraints/dof_matrix.hpp"
#include "torsor/sdk/constraints/path_cone.hpp"

namespace torsor::sdk {

class InteriorPoint {
 public:
  struct Settings {
    double tolerance = 1e-9;   // residual at which the iteration ends
    double sufficient = 1e-7;  // residual at which it ends if progress is slow
    int most_iterations = 80;
  };

  static size_t work_doubles(const torsor_constraint_size& size) {
    const auto n = size_t(size.n), n_dofs = size_t(size.n_dofs);
    return DofMatrix::work_doubles(size) + n_vectors * n + 3 * n_dofs + n * Contact::most_rows +
           n * ((sizeof(PathCone) + sizeof(double) - 1) / sizeof(double)) * 2;
  }
  // The problem has a factor. blocks: those of the problem. d: [n] the units of its rows. work:
  // [work_doubles()] of the problem, or of a larger one.
  InteriorPoint(const torsor_constraint_problem& problem, const Blocks& blocks, const double* d,
                const Settings& settings, double* work)
      : problem_(problem), blocks_(blocks), d_(d), settings_(settings), n_(problem.n) {
    double** const vectors[] = {&c_, &x_, &y_, &w_, &r_, &dx_, &right_, &best_};
    static_assert(std::size(vectors) == n_vectors);
    for (double** vector : vectors) *vector = std::exchange(work, work + n_);
    v_ = std::exchange(work, work + problem.factor->n_dofs);
    gap_ = std::exchange(work, work + problem.factor->n_dofs);
    dv_ = std::exchange(work, work + problem.factor->n_dofs);
    Q_ = std::exchange(work, work + size_t(n_) * most);
    cones_ = reinterpret_cast<PathCone*>(work);
    work += 2 * size_t(n_) * ((sizeof(PathCone) + sizeof(double) - 1) / sizeof(double));
    matrix_ = DofMatrix(problem, d, work);
    for (int i = 0; i < n_; ++i) c_[i] = d[i] > 0 ? problem.c[i] / d[i] : 0;
    add_cones();
  }

  // Iterates from x [n], and replaces it by the point with the smallest residual. Returns this
  // residual. distance: that of the start from the boundary of the cones, relative to the largest
  // rate.
  double solve(double* x, double distance, int32_t& iterations) {
    begin(x, distance);
    double best = unbounded, step = 1, mark = unbounded;
    for (int k = 0, last_halved = 0, kept = 0;; ++k) {
      // Rounding errors at the boundary of the cones may end in numbers that are not finite.
      if (!evaluate()) break;
      const double residual = this->residual();
      if (residual < best) {
        best = residual;
        std::copy_n(x_, n_, best_);
      }
      if (best < 0.5 * mark) mark = best, last_halved = k;
      const int patience = best <= settings_.sufficient ? few_steps : most_steps;
      if (best <= settings_.tolerance || k - last_halved > patience ||
          k >= settings_.most_iterations || !(step > 0))
        break;
      ++iterations;
      if (step < short_step) kept = kept_steps;
      keeps_shift_ = kept > 0;
      if (kept > 0) --kept;
      if (!factorize()) break;
      step = take_step();
    }
    std::copy_n(best_, n_, x);
    return best;
  }

 private:
  static constexpr size_t n_vectors = 8;
  static constexpr int most = Contact::most_rows;
  // A short step is followed by some with T = 1. The iteration ends if few steps do not halve a
  // sufficient residual, or most_steps a larger one.
  static constexpr double short_step = 0.1;
  static constexpr int kept_steps = 3, few_steps = 3, most_steps = 15;
  static constexpr double part = 0.99;  // of the largest step

  void add_bounds(int row, double lower, double upper) {
    if (lower > -unbounded) append({row, row, 1, 1, lower});
    if (upper < unbounded) append({row, row, 1, -1, upper});
  }
  void append(const PathCone& cone) {
    ::new (static_cast<void*>(cones_ + n_cones_++)) PathCone(cone);
  }

  // A contact whose normal force is fixed at 0 has no cones, and is left out.
  void add_cones() {
    blocks_.for_each(
        [&](int row) {
          if (is_movable(row))
            add_bounds(row, d_[row] * problem_.lower[row], d_[row] * problem_.upper[row]);
        },
        [&](const Contact& contact) {
          if (!is_active(contact)) return;
          bool has_group = false;
          for (int k = 0; k < contact.n_groups(); ++k) {
            const Contact::Group& group = contact.group(k);
            if (!is_active(group)) continue;
            has_group = true;
            append({contact.first(), contact.first() + group.begin, 1 + group.end - group.begin,
                    group.m, 0});
          }
          const bool needs_lower = !has_group || contact.lower() > 0;
          add_bounds(contact.first(), needs_lower ? contact.lower() : -2 * unbounded,
                     contact.upper());
        });
  }
  bool is_movable(int row) const {
    return d_[row] > 0 && problem_.lower[row] < problem_.upper[row];
  }
  static bool is_active(const Contact& contact) { return contact.lower() < contact.upper(); }
  static bool is_active(const Contact::Group& group) { return group.is_moved && group.m > 0; }

  // Moves x to the interior of the cones, and sets w^ near the rates.
  void begin(const double* x, double distance) {
    double size = 0;
    for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(c_[i]));
    const double least = distance * size;
    std::copy_n(x, n_, x_);
    for (PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone) {
      double at[SymmetricCone::most];
      cone->read(x_, at);
      const double missing = SymmetricCone::tail(at, cone->dim) + least - at[0];
      if (missing > 0) x_[cone->normal] += missing / cone->factor;
    }
    // Both bounds of a narrow interval may not leave the distance.
    for (PathCone* cone = cones_; cone + 1 < cones_ + n_cones_; ++cone)
      if (cone->dim == 1 && cone[1].dim == 1 && cone[1].normal == cone->normal)
        move_between(cone->normal, cone->offset, cone[1].offset);
    matrix_.multiply_transposed(x_, v_);
    matrix_.multiply(v_, y_);
    for (PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone) {
      double rate[SymmetricCone::most] = {(y_[cone->normal] + c_[cone->normal]) / cone->factor};
      for (int i = 1; i < cone->dim; ++i)
        rate[i] = cone->w[i] = y_[cone->row(i)] + c_[cone->row(i)];
      const double tail = SymmetricCone::tail(rate, cone->dim);
      cone->w[0] = std::max(rate[0] + tail, tail + 0.1 * least);
    }
    keeps_shift_ = false;
  }
  void move_between(int row, double lower, double upper) {
    const double margin = 0.1 * (upper - lower);
    x_[row] = std::min(std::max(x_[row], lower + margin), upper - margin);
  }

  // Sets y_, w_ = sum S^T w^, r_, gap_ = X^T x - v and mu_. Returns whether x and r are finite.
  bool evaluate() {
    matrix_.multiply_transposed(x_, gap_);
    for (int i = 0; i < matrix_.n_dofs(); ++i) gap_[i] -= v_[i];
    matrix_.multiply(v_, y_);
    std::fill_n(w_, n_, 0.0);
    double sum = 0;
    for (int i = 0; i < n_; ++i) y_[i] += c_[i], r_[i] = y_[i];
    for (const PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone) {
      double at[SymmetricCone::most];
      cone->read(x_, at);
      for (int i = 0; i < cone->dim; ++i) sum += at[i] * cone->w[i];
      cone->add(cone->w, w_);
      r_[cone->normal] += cone->shift(cone->w);
    }
    double size = 0;
    for (int i = 0; i < n_; ++i) {
      r_[i] -= w_[i];
      size += std::abs(r_[i]) + std::abs(x_[i]);
    }
    mu_ = n_cones_ > 0 ? sum / n_cones_ : 0;
    return size < unbounded;
  }
  double residual() const {
    Residual out;
    blocks_.for_each(
        [&](int row) {
          if (d_[row] > 0) out.add(problem_, row, d_[row] * d_[row], x_[row] / d_[row], rate(row));
        },
        [&](const Contact& contact) {
          RowRate rates[most];
          for (int i = 0; i < contact.n_rows(); ++i) rates[i] = rate(contact.first() + i);
          out.add(problem_, contact, x_ + contact.first(), rates);
        });
    return out.value();
  }
  RowRate rate(int row) const { return {d_[row] * y_[row], problem_.c_terms[row]}; }

  // Sets the scalings, Q_ = Q^-1 of each block, and the matrix, and factorises it.
  bool factorize() {
    matrix_.reset();
    for_each_cone_block([&](int first, int n_rows, PathCone* begin, PathCone* end) {
      for (PathCone* cone = begin; cone != end; ++cone) cone->set_scaling(x_);
      double* const Q = Q_ + size_t(first) * most;
      std::fill_n(Q, n_rows * most, 0.0);
      if (begin == end && !is_free(first)) return;
      invert(begin, end, first, n_rows, Q);
      add_to_matrix(begin, end, first, n_rows, Q);
    });
    return matrix_.compute();
  }
  bool is_free(int row) const {
    return d_[row] > 0 && !(problem_.lower[row] > -unbounded) && !(problem_.upper[row] < unbounded);
  }

  // Adds X^T Q^-1 T X.
  void add_to_matrix(const PathCone* begin, const PathCone* end, int first, int n_rows,
                     const double* Q) {
    double a[most] = {}, QT[most * most];
    for (const PathCone* cone = begin; cone != end && !keeps_shift_; ++cone)
      cone->shift_slope(first, a);
    for (int i = 0; i < n_rows; ++i)
      for (int j = 0; j < n_rows; ++j)
        QT[i * most + j] = Q[i * most + j] + (j > 0 ? Q[i * most] * a[j] : 0);
    matrix_.add(first, n_rows, QT);
  }

  // Writes Q^-1 of a block. Rows in no cone have 0. A free row is held with the small compliance
  // 1e-10.
  void invert(const PathCone* begin, const PathCone* end, int first, int n_rows,
              double* out) const {
    constexpr double compliance = 1e-10;
    if (begin == end) {
      out[0] = 1 / compliance;
      return;
    }
    if (end - begin == 1) {
      for (int i = 0; i < begin->dim; ++i)
        for (int j = 0; j < begin->dim; ++j)
          out[(begin->row(i) - first) * most + begin->row(j) - first] =
              begin->scaling.inverse_entry(i, j) / (begin->scale(i) * begin->scale(j));
      return;
    }
    double Q[most][most] = {};
    for (const PathCone* cone = begin; cone != end; ++cone)
      for (int i = 0; i < cone->dim; ++i)
        for (int j = 0; j < cone->dim; ++j)
          Q[cone->row(i) - first][cone->row(j) - first] +=
              cone->scale(i) * cone->scaling.entry(i, j) * cone->scale(j);
    invert_dense(Q, n_rows, out);
  }
  // Inverts a symmetric matrix by Gauss-Jordan elimination without rows whose diagonal is 0.
  static void invert_dense(double (*Q)[most], int n, double* out) {
    bool is_zero[most];
    for (int i = 0; i < n; ++i) {
      is_zero[i] = !(Q[i][i] > 0);
      out[i * most + i] = is_zero[i] ? 0 : 1;
    }
    for (int k = 0; k < n; ++k) {
      if (is_zero[k]) continue;
      const double inverse = 1 / Q[k][k];
      for (int j = 0; j < n; ++j) Q[k][j] *= inverse, out[k * most + j] *= inverse;
      for (int i = 0; i < n; ++i) {
        if (i == k) continue;
        const double factor = Q[i][k];
        for (int j = 0; j < n; ++j)
          Q[i][j] -= factor * Q[k][j], out[i * most + j] -= factor * out[k * most + j];
      }
    }
  }

  // Takes a step and returns its part of the full step.
  double take_step() {
    find_direction(0, false);
    const double to_boundary = std::min(1.0, largest_step());
    const double rest = 1 - to_boundary;
    const double centering = std::min(std::max(rest * rest * rest, 1e-4), 0.8);
    find_direction(centering, true, to_boundary);
    const double step = std::min(1.0, part * largest_step());
    for (int i = 0; i < n_; ++i) x_[i] += step * dx_[i];
    for (int i = 0; i < matrix_.n_dofs(); ++i) v_[i] += step * dv_[i];
    for (PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone)
      for (int i = 0; i < cone->dim; ++i) cone->w[i] += step * cone->dw[i];
    return step;
  }
  double largest_step() const {
    double step = unbounded;
    for (const PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone)
      step = std::min(step, cone->largest_step(x_));
    return step;
  }

  // Sets dv_, dx_, and dx^ and dw^ of the cones, for mu times `centering`. second_order: with the
  // terms of second order of the last direction, of which `before` could be taken.
  void find_direction(double centering, bool second_order, double before = 0) {
    std::copy_n(r_, n_, right_);
    for (PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone) {
      if (second_order) right_[cone->normal] += cone->shift_curvature(before, keeps_shift_);
      cone->set_target(centering * mu_, second_order);
    }
    respond(right_, dx_);
    matrix_.multiply_transposed(dx_, dv_);
    for (int i = 0; i < matrix_.n_dofs(); ++i) dv_[i] += gap_[i];
    matrix_.solve(dv_);
    matrix_.multiply(dv_, dx_);
    for (int i = 0; i < n_; ++i) right_[i] += dx_[i];
    if (!keeps_shift_)
      for (const PathCone* cone = cones_; cone != cones_ + n_cones_; ++cone)
        right_[cone->normal] += cone->shift_change(dx_);
    respond(right_, dx_);
  }
  // Writes dx = Q^-1 (R - dw) [n], and sets dx^ and dw^ of the cones. The difference would cancel
  // in a block with one cone, in which both are on the boundary: then dx^ = W^-1 rho - Q_k^-1 dw^.
  void respond(const double* dw, double* dx) {
    for_each_cone_block([&](int first, int n_rows, PathCone* begin, PathCone* end) {
      std::fill_n(dx + first, n_rows, 0.0);
      if (end - begin == 1) return begin->respond_alone(dw, dx);
      double right[most];
      for (int i = 0; i < n_rows; ++i) right[i] = -dw[first + i];
      for (const PathCone* cone = begin; cone != end; ++cone) {
        double force[SymmetricCone::most];
        cone->scaling.apply(cone->rho, force);
        for (int i = 0; i < cone->dim; ++i)
          right[cone->row(i) - first] += cone->scale(i) * force[i];
      }
      for (int i = 0; i < n_rows; ++i) {
        double sum = 0;
        for (int j = 0; j < n_rows; ++j) sum += Q_[size_t(first + i) * most + size_t(j)] * right[j];
        dx[first + i] = sum;
      }
      for (PathCone* cone = begin; cone != end; ++cone) cone->respond(dx);
    });
  }
  // Calls visit(first, n_rows, begin, end) for each block of rows and its cones. It has none if it
  // is fixed or free.
  template <class Visit>
  void for_each_cone_block(Visit visit) {
    PathCone* begin = cones_;
    const auto next = [&](int first, int n_rows) {
      PathCone* end = begin;
      while (end != cones_ + n_cones_ && end->normal == first) ++end;
      visit(first, n_rows, std::exchange(begin, end), end);
    };
    blocks_.for_each([&](int row) { next(row, 1); },
                     [&](const Contact& contact) { next(contact.first(), contact.n_rows()); });
  }

  const torsor_constraint_problem& problem_;
  const Blocks& blocks_;
  const double* d_;
  Settings settings_;
  int n_, n_cones_ = 0;
  DofMatrix matrix_;
  PathCone* cones_ = nullptr;
  bool keeps_shift_ = false;  // T = 1
  double mu_ = 0;
  double *c_, *x_, *y_, *w_, *r_, *dx_, *right_, *best_;
  double *v_, *gap_, *dv_;  // [n_dofs]
  double* Q_;               // [n][most] Q^-1 by blocks
};

}  // namespace torsor::sdk
