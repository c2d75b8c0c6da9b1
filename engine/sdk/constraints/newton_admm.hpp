#pragma once
// Newton's method and ADMM for torsor_constraint_problem with friction. Plugins and the engine
// share it. It is for problems on which Gauss-Seidel converges slowly: mass ratios, stacks, and
// redundant contacts.
//
// In the units of Contact, y = A x + c. A solution is a root of De Saxce's natural map
//   F(x) = x - P(v),   v = x - y - s(y),   s_n = sum m |y_t|
// with the projection P on the bounds and cones. Newton's method uses a derivative D of P at v. D
// is symmetric with eigenvalues from 0 to 1. With T = 1 + e_n a^T, a_t = m y_t / |y_t|,
//   dF = (1 - D + D T A) dx = -F
// Eigenvalues of D near 0 are replaced by a small number, so that D can be inverted. Then, with
// E = D^-1 - 1,
//   (A + T^-1 E) dx = -T^-1 (F + E F),   T^-1 = 1 - e_n a^T
// E consists of blocks of single contacts. The matrix therefore has the profile of A. A shift of
// its diagonal makes it regular if rows are redundant: dx then has no large part along which F does
// not change. Steps are shortened until |F| decreases. If short steps do not suffice, the shift is
// increased.
//
// If |F| still does not decrease, the map is smoothed (natural_map.hpp) with a width d > 0, which
// also replaces |y_t| by sqrt(|y_t|^2 + d^2). The smoothed map has no kinks, and its roots are in
// the interior of the cones. The path of its roots for decreasing d leads to a solution (Chen and
// Tseng, *Non-interior continuation methods*, 2003). It is followed with few steps for each d. The
// term p (x - x') with the last root x' is added to y, because the forces of redundant rows would
// be arbitrary. It vanishes at the end of the path. Contacts with several kinds of friction are not
// smoothed.
//
// If the path ends early, ADMM (alternating direction method of multipliers) takes over. It splits
// x from its projection z, with a dual vector u (Carpentier, Le Lidec, Montaut, *From compliant to
// rigid contact simulation*, 2024):
//   (A + rho + eta) x = u + rho z + eta x' - c - s,   z = P(x - u / rho),   u <- u - rho (x - z)
// with the last x'. The shift s follows s(u) slowly, because the iteration may cycle otherwise.
// After some sweeps, Newton's method starts from z.
//
// A problem with a factor of G is solved by an interior point method (interior_point.hpp) instead.
//
// If the start values are not zero, they are near the solution, and Newton's method comes first,
// except for very few rows, which need few sweeps. Otherwise, and if it fails, sweeps of
// Gauss-Seidel come first: easy problems need no factorisation. They are few if there are few rows,
// because a factorisation is then as cheap as a sweep.

#include <iterator>
#include <new>
#include <utility>

#include "torsor/sdk/constraints/gauss_seidel.hpp"
#include "torsor/sdk/constraints/interior_point.hpp"
#include "torsor/sdk/constraints/natural_map.hpp"
#include "torsor/sdk/constraints/profile_factor.hpp"

namespace torsor::sdk {

class NewtonAdmm {
 public:
  struct Settings {
    double tolerance = 1e-10;  // residual at which the iteration ends
    double most_iterations = 20000;
  };

  // Returns the size of the work area for problems of this size.
  static size_t work_doubles(const torsor_constraint_size& size) {
    const auto n = size_t(std::max(size.n, 1));
    return n_vectors * n + Blocks::work_doubles(n) +
           std::max(ProfileFactor::work_doubles(size_t(size.profile)) + n + (n + 1) / 2,
                    InteriorPoint::work_doubles(size));
  }
  // work: [work_doubles()] for the size of this problem, or a larger one.
  NewtonAdmm(const torsor_constraint_problem& problem, const Settings& settings, double* work)
      : problem_(problem), settings_(settings), n_(problem.n), blocks_(problem, work) {
    const size_t n = std::max<size_t>(size_t(n_), 1);
    work += Blocks::work_doubles(n);
    double** const vectors[] = {&d_, &x_, &y_, &v_, &f_, &step_, &z_, &u_, &last_, &shift_, &best_};
    static_assert(std::size(vectors) == n_vectors);
    for (double** vector : vectors) *vector = std::exchange(work, work + n);
    map_ = NaturalMap(problem, blocks_, d_);
    factor_work_ = work;
    if (problem.factor) return;
    auto* const start = ::new (static_cast<void*>(std::exchange(work, work + n))) int64_t[n];
    auto* const first =
        ::new (static_cast<void*>(std::exchange(work, work + (n + 1) / 2))) int[2 * ((n + 1) / 2)];
    int64_t profile = 0;
    for (int i = 0; i < n_; ++i) {
      first[i] = first_column(problem, i);
      start[i] = profile - first[i];
      profile += i + 1 - first[i];
    }
    factor_ = ProfileFactor(n_, first, start, profile, work);
  }

  // Solves the problem. out.lambda contains the start values.
  void solve(torsor_constraint_result& out) {
    out_ = &out;
    const bool is_near =
        n_ > most && std::any_of(out.lambda, out.lambda + n_, [](double x) { return x != 0; });
    begin();
    if (consider(x_) ||
        (problem_.factor ? follow_central_path(is_near) : is_near && newton(few_newton_steps))) {
      std::copy_n(best_, n_, out.lambda);
      return;
    }
    std::copy_n(best_, n_, out.lambda);
    const double most_sweeps = n_ <= few_rows ? 3 : 50;
    GaussSeidel first(
        problem_, blocks_,
        {settings_.tolerance, std::min(out.iterations + most_sweeps, settings_.most_iterations)},
        d_);
    first.solve(out);
    if (first.has_converged()) return;
    begin();
    if (problem_.factor) {
      (void)(consider(x_) || follow_central_path(false));
      std::copy_n(best_, n_, out.lambda);
      return;
    }
    bool solved = consider(x_) || newton(most_newton_steps) || follow_path();
    for (double sweeps = 50; !solved && !ends(); sweeps = std::min(2 * sweeps, 3200.0))
      solved = newton(most_newton_steps) || admm(sweeps);
    std::copy_n(best_, n_, out.lambda);
  }

 private:
  static constexpr size_t n_vectors = 11;
  static_assert(n_vectors >= Contact::most_rows);  // Gauss-Seidel uses the same memory
  static constexpr int few_rows = 150;
  static constexpr int most = Contact::most_rows;
  // The smallest eigenvalue of D, and the shifts of the diagonal of A, whose entries are 1.
  static constexpr double least_slope = 1e-7, least_smoothed_slope = 1e-14, least_shift = 1e-10,
                          shift_factor = 1e3, largest_shift = 1;
  // The largest numbers of steps of Newton's method, and the shortest part of a step.
  static constexpr int most_newton_steps = 25, few_newton_steps = 6, most_path_steps = 12;
  static constexpr double least_part = 1e-2;
  // The part by which s follows s(u) in a sweep of ADMM.
  static constexpr double following = 0.1;
  // The residual of an interior point method that ends early and is accepted, and that of start
  // values with which it does not begin.
  static constexpr double sufficient_residual = 1e-6, good_residual = 1e-8;
  // The factor p of the proximal term on the path, which is eta of ADMM, and the widths d at its
  // start and its end, as parts of the largest rate.
  static constexpr double proximity = 1e-6, first_width = 0.1, last_width = 1e-14;

  bool ends() const { return out_->iterations >= settings_.most_iterations; }

  // Sets d_, and x_ to the start values within the bounds and cones.
  void begin() {
    double* const lambda = out_->lambda;
    blocks_.for_each(
        [&](int row) {
          const double g = entry(problem_, row, row);
          d_[row] = g > 0 ? std::sqrt(g) : 0;
          if (!(g > 0)) lambda[row] = unmoved_multiplier(problem_, row);
          x_[row] = d_[row] * lambda[row];
        },
        [&](const Contact& contact) {
          for (int i = 0; i < contact.n_rows(); ++i) {
            const int row = contact.first() + i;
            d_[row] = contact.scale(i);
            x_[row] = d_[row] * lambda[row];
          }
        });
    map_.project(x_, x_);
    out_->residual = unbounded;
  }

  // Sets the multipliers of the result to x. If their residual is the smallest one, stores them.
  // Returns whether it is below the tolerance or the rounding errors of the rates.
  bool consider(const double* x) {
    double* const lambda = out_->lambda;
    blocks_.for_each(
        [&](int row) {
          if (d_[row] > 0) lambda[row] = clamped(problem_, row, x[row] / d_[row]);
        },
        [&](const Contact& contact) { contact.write(problem_, x + contact.first(), lambda); });
    const Residual residual = evaluate_residual(problem_, blocks_, lambda);
    size_ = residual.size();
    rounding_ = residual.rounding();
    if (!(residual.value() >= out_->residual)) {
      out_->residual = residual.value();
      std::copy_n(lambda, n_, best_);
    }
    return out_->residual <= std::max(settings_.tolerance, rounding_);
  }
  // Returns whether F with this |F|^2 is so small that its point may be a solution.
  bool may_be_solution(double square) const {
    const double largest = 10 * std::max(settings_.tolerance, rounding_) * size_;
    return square <= n_ * largest * largest;
  }

  // Writes the rates y for x.
  void rates(const double* x, double* y) {
    double* const lambda = out_->lambda;
    for (int i = 0; i < n_; ++i)
      if (d_[i] > 0) lambda[i] = x[i] / d_[i];
    for (int i = 0; i < n_; ++i) {
      if (!(d_[i] > 0)) {
        y[i] = 0;
        continue;
      }
      y[i] = row_rate(problem_, i, lambda).w / d_[i];
      if (map_.width() > 0) y[i] += proximity * (x[i] - last_[i]);
    }
  }

  // Sets y_, v_ and f_ = F(x). Returns |F|^2.
  double evaluate(const double* x) {
    rates(x, y_);
    for (int i = 0; i < n_; ++i) v_[i] = x[i] - y_[i];
    map_.add_shift(y_, v_, -1);
    map_.project(v_, f_);
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      f_[i] = d_[i] > 0 ? x[i] - f_[i] : 0;
      sum += f_[i] * f_[i];
    }
    return sum;
  }

  // Replaces x_ by the result of a step of Newton's method, and size = |F|^2 by its value there.
  // Returns false if the matrix is singular or no part of the step decreases |F|. F must then be
  // evaluated again.
  bool improve(double shift, double& size) {
    ++out_->iterations;
    set_matrix(shift);
    set_newton_blocks();
    if (!factor_.compute()) return false;
    factor_.solve(step_);
    for (double part = 1; part > least_part; part /= 2) {
      for (int i = 0; i < n_; ++i) z_[i] = x_[i] + part * step_[i];
      const double now = evaluate(z_);
      if (!(now < (1 - 0.1 * part) * size)) continue;
      std::swap(x_, z_);
      size = now;
      return true;
    }
    return false;
  }

  // Solves by the interior point method from x_. Returns whether the result is good enough.
  // is_near: the start is near the solution, so that a small distance from the boundary suffices.
  // The paths from other distances are tried if one ends early.
  bool follow_central_path(bool is_near) {
    constexpr double distances[] = {0.03, 1, 0.1};
    InteriorPoint method(problem_, blocks_, d_, {.tolerance = settings_.tolerance}, factor_work_);
    if (is_near && out_->residual <= good_residual) return true;
    for (int k = is_near ? 0 : 1; k < int(std::size(distances)) && !ends(); ++k) {
      std::copy_n(x_, n_, z_);
      (void)method.solve(z_, distances[k], out_->iterations);
      if (consider(z_) || out_->residual <= sufficient_residual) return true;
    }
    return false;
  }

  // Iterates from x_, and leaves the last point there. Returns whether it is a solution.
  bool newton(int most_steps) {
    double size = evaluate(x_), shift = least_shift;
    for (int step = 0; step < most_steps && !ends(); ++step) {
      if (improve(shift, size)) {
        shift = std::max(shift / shift_factor, least_shift);
        if (!may_be_solution(size)) continue;
        map_.project(x_, z_);
        if (consider(z_)) return true;
      } else {
        shift *= shift_factor;
        if (shift > largest_shift) break;
        size = evaluate(x_);
      }
    }
    map_.project(x_, z_);
    return consider(z_);
  }

  // Follows the path of the smoothed map from x_, and leaves its last root there. Returns whether
  // it leads to a solution. The width decreases by a factor that depends on the number of steps.
  bool follow_path() {
    double width = first_width * size_, last = 0, factor = 0.1;
    const double least = last_width * size_;
    bool solved = false;
    std::copy_n(x_, n_, last_);
    while (!solved && !ends() && width > least) {
      map_.smooth(width);
      double size = evaluate(x_);
      const auto is_root = [&] { return size <= 0.01 * n_ * width * width; };
      int steps = 0;
      while (!is_root() && steps < most_path_steps && !ends() && improve(0, size)) ++steps;
      map_.smooth(0);
      if (is_root()) {
        std::copy_n(x_, n_, last_);
        map_.project(x_, z_);
        solved = consider(z_);
        last = width;
        factor = steps <= 4 ? std::max(factor / 2, 0.01) : steps <= 7 ? factor : std::sqrt(factor);
      } else {
        std::copy_n(last_, n_, x_);
        factor = std::sqrt(factor);
        if (factor > 0.9 || last == 0) break;
      }
      width = factor * last;
    }
    return solved;
  }

  // Sets the matrix to A + shift, with the proximal term of a smoothed map.
  void set_matrix(double shift) {
    if (map_.width() > 0) shift += proximity;
    factor_.clear();
    for (int i = 0; i < n_; ++i) {
      for_each_entry(problem_, i, [&](int j, double g) {
        const double dd = d_[i] * d_[j];
        if (j <= i && dd > 0) factor_.lower(i, j) = factor_.upper(i, j) = g / dd;
      });
      factor_.upper(i, i) = d_[i] > 0 ? factor_.upper(i, i) + shift : 1;
    }
  }

  // Returns the smallest eigenvalue of D.
  double least() const { return map_.width() > 0 ? least_smoothed_slope : least_slope; }

  // Adds T^-1 E to the matrix, and sets step_ to -T^-1 (F + E F).
  void set_newton_blocks() {
    blocks_.for_each(
        [&](int row) {
          step_[row] = -f_[row];
          if (!(d_[row] > 0)) return;
          const double E = 1 / std::max(map_.row_slope(row, v_[row]), least()) - 1;
          factor_.upper(row, row) += E;
          step_[row] -= E * f_[row];
        },
        [&](const Contact& contact) {
          double E[most][most], a[most];
          const int n = contact.n_rows(), first = contact.first();
          map_.derive(contact, v_ + first, least(), E);
          map_.slide_directions(contact, y_ + first, a);
          double* const b = step_ + first;
          for (int i = 0; i < n; ++i) {
            b[i] = -f_[first + i];
            for (int j = 0; j < n; ++j) b[i] -= E[i][j] * f_[first + j];
          }
          for (int i = 1; i < n; ++i) {
            b[0] -= a[i] * b[i];
            for (int j = 0; j < n; ++j) E[0][j] -= a[i] * E[i][j];
          }
          for (int i = 0; i < n; ++i) {
            factor_.upper(first + i, first + i) += E[i][i];
            for (int j = 0; j < i; ++j) {
              factor_.lower(first + i, first + j) += E[i][j];
              factor_.upper(first + i, first + j) += E[j][i];
            }
          }
        });
  }

  // Iterates from x_, and leaves the last z there. Returns whether it is a solution.
  bool admm(double sweeps) {
    map_.project(x_, z_);
    rates(z_, u_);
    std::fill_n(shift_, n_, 0.0);
    map_.add_shift(u_, shift_, 1);
    for (int i = 0; i < n_; ++i) u_[i] += shift_[i], last_[i] = z_[i];
    bool is_factored = false;
    for (int sweep = 1, adapt = 10; sweep <= sweeps && !ends(); ++sweep) {
      ++out_->iterations;
      if (!is_factored) {
        set_matrix(rho_ + proximity);
        if (!factor_.compute()) return false;
        is_factored = true;
      }
      for (int i = 0; i < n_; ++i) shift_[i] *= 1 - following;
      map_.add_shift(u_, shift_, following);
      for (int i = 0; i < n_; ++i) {
        const double target = u_[i] + rho_ * z_[i] + proximity * last_[i] - shift_[i];
        x_[i] = d_[i] > 0 ? target - problem_.c[i] / d_[i] : 0;
      }
      factor_.solve(x_);
      for (int i = 0; i < n_; ++i) v_[i] = x_[i] - u_[i] / rho_;
      map_.project(v_, v_);
      double primal = 0, dual = 0;
      for (int i = 0; i < n_; ++i) {
        primal = std::max(primal, std::abs(x_[i] - v_[i]));
        dual = std::max(dual, std::abs(rho_ * (v_[i] - z_[i])));
        u_[i] -= rho_ * (x_[i] - v_[i]);
        z_[i] = v_[i], last_[i] = x_[i];
      }
      if (sweep != adapt) continue;
      adapt *= 2;
      if (primal < 5 * dual && dual < 5 * primal) continue;
      const double factor = std::sqrt(primal / std::max(dual, 0.01 * primal));
      rho_ = std::min(std::max(rho_ * std::max(factor, 0.1), 1e-6), 1e4);
      is_factored = false;
    }
    std::copy_n(z_, n_, x_);
    return consider(x_);
  }

  const torsor_constraint_problem& problem_;
  Settings settings_;
  int n_;
  Blocks blocks_;
  NaturalMap map_;
  ProfileFactor factor_;  // without a factor of G
  double* factor_work_ = nullptr;
  torsor_constraint_result* out_ = nullptr;
  double rho_ = 0.1;
  double size_ = 0, rounding_ = 0;  // of the last residual
  double *d_, *x_, *y_, *v_, *f_, *step_, *z_, *u_, *last_, *shift_, *best_;
};

}  // namespace torsor::sdk
