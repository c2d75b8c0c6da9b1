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
// If |F| still does not decrease, ADMM (alternating direction method of multipliers) takes over.
// It splits x from its projection z, with a dual vector u (Carpentier, Le Lidec, Montaut, *From
// compliant to rigid contact simulation*, 2024):
//   (A + rho + eta) x = u + rho z + eta x' - c - s,   z = P(x - u / rho),   u <- u - rho (x - z)
// with the last x'. The shift s follows s(u) slowly, because the iteration may cycle otherwise.
// After some sweeps, Newton's method starts from z.
//
// Sweeps of Gauss-Seidel come first: easy problems need no factorisation. They are few if there are
// few rows, because a factorisation is then as cheap as a sweep.

#include <iterator>
#include <new>
#include <utility>

#include "torsor/sdk/gauss_seidel.hpp"
#include "torsor/sdk/profile_factor.hpp"

namespace torsor::sdk {

class NewtonAdmm {
 public:
  struct Settings {
    double tolerance = 1e-10;  // residual at which the iteration ends
    double most_iterations = 20000;
  };

  // Returns the size of the work area for n rows with this profile of G (torsor_constraint_solver).
  static constexpr size_t work_doubles(size_t n, size_t profile) {
    n = std::max<size_t>(n, 1);
    return ProfileFactor::work_doubles(profile) + n_vectors * n + n + (n + 1) / 2;
  }
  // work: [work_doubles(n, profile)] for the rows and the profile of this problem, or larger ones.
  NewtonAdmm(const torsor_constraint_problem& problem, const Settings& settings, double* work)
      : problem_(problem), settings_(settings), n_(problem.n) {
    const size_t n = std::max<size_t>(size_t(n_), 1);
    double** const vectors[] = {&d_, &x_, &y_, &v_, &f_, &step_, &z_, &u_, &last_, &shift_, &best_};
    static_assert(std::size(vectors) == n_vectors);
    for (double** vector : vectors) *vector = std::exchange(work, work + n);
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
    const double most_sweeps = n_ <= few_rows ? 3 : 50;
    GaussSeidel first(problem_,
                      {settings_.tolerance, std::min(most_sweeps, settings_.most_iterations)}, d_);
    first.solve(out);
    if (first.has_converged()) return;
    begin();
    double sweeps = 50;
    for (bool solved = consider(x_); !solved && !ends();) {
      solved = newton();
      if (solved || ends()) break;
      solved = admm(sweeps);
      sweeps = std::min(2 * sweeps, 3200.0);
    }
    std::copy_n(best_, n_, out.lambda);
  }

 private:
  static constexpr size_t n_vectors = 11;
  static_assert(n_vectors >= GaussSeidel::work_doubles(1));
  static constexpr int few_rows = 150;
  static constexpr int most = Contact::most_rows;
  // The smallest eigenvalue of D, and the shifts of the diagonal of A, whose entries are 1.
  static constexpr double least_slope = 1e-7, least_shift = 1e-10, shift_factor = 1e3,
                          largest_shift = 1;
  // The number of steps of Newton's method before ADMM, and the shortest part of a step.
  static constexpr int most_newton_steps = 25;
  static constexpr double least_part = 1e-2;
  // The proximal term eta of ADMM, and the part by which s follows s(u) in a sweep.
  static constexpr double proximity = 1e-6, following = 0.1;

  bool ends() const { return out_->iterations >= settings_.most_iterations; }

  // Sets d_, and x_ to the start values within the bounds and cones.
  void begin() {
    double* const lambda = out_->lambda;
    for_each_block(
        problem_,
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
    project(x_, x_);
    out_->residual = unbounded;
  }

  // Writes P(v) to x, which may be v.
  void project(const double* v, double* x) const {
    for_each_block(
        problem_, [&](int row) { x[row] = project_row(row, v[row]); },
        [&](const Contact& contact) {
          double p[most];
          std::copy_n(v + contact.first(), contact.n_rows(), p);
          contact.project(p);
          std::copy_n(p, contact.n_rows(), x + contact.first());
        });
  }
  double project_row(int row, double v) const {
    const double d = d_[row];
    if (!(d > 0)) return 0;
    return std::min(std::max(v, d * problem_.lower[row]), d * problem_.upper[row]);
  }

  // Sets the multipliers of the result to x. If their residual is the smallest one, stores them.
  // Returns whether it is below the tolerance or the rounding errors of the rates.
  bool consider(const double* x) {
    double* const lambda = out_->lambda;
    for_each_block(
        problem_,
        [&](int row) {
          if (d_[row] > 0) lambda[row] = clamped(problem_, row, x[row] / d_[row]);
        },
        [&](const Contact& contact) { contact.write(problem_, x + contact.first(), lambda); });
    const Residual residual = evaluate_residual(problem_, lambda);
    if (!(residual.value() >= out_->residual)) {
      out_->residual = residual.value();
      std::copy_n(lambda, n_, best_);
    }
    return out_->residual <= std::max(settings_.tolerance, residual.rounding());
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
      double w = problem_.c[i];
      for_each_entry(problem_, i, [&](int j, double g) { w += g * lambda[j]; });
      y[i] = w / d_[i];
    }
  }

  // Adds De Saxce's shift s(y) to the normal rates.
  void add_shift(const double* y, double* to, double factor) const {
    for_each_block(
        problem_, [](int) {},
        [&](const Contact& contact) {
          to[contact.first()] += factor * contact.shift(y + contact.first());
        });
  }

  // Sets y_, v_ and f_ = F(x). Returns |F|^2.
  double evaluate(const double* x) {
    rates(x, y_);
    for (int i = 0; i < n_; ++i) v_[i] = x[i] - y_[i];
    add_shift(y_, v_, -1);
    project(v_, f_);
    double sum = 0;
    for (int i = 0; i < n_; ++i) {
      f_[i] = d_[i] > 0 ? x[i] - f_[i] : 0;
      sum += f_[i] * f_[i];
    }
    return sum;
  }

  // Iterates from x_, and leaves the last point there. Returns whether it is a solution.
  bool newton() {
    double size = evaluate(x_), shift = least_shift;
    for (int step = 0; step < most_newton_steps && !ends(); ++step) {
      ++out_->iterations;
      set_matrix(shift);
      set_newton_blocks();
      if (!factor_.compute()) return false;
      factor_.solve(step_);
      double part = 1, now = 0;
      for (; part > least_part; part /= 2) {
        for (int i = 0; i < n_; ++i) z_[i] = x_[i] + part * step_[i];
        now = evaluate(z_);
        if (now < (1 - 0.1 * part) * size) break;
      }
      if (part > least_part) {
        std::swap(x_, z_);
        size = now;
        shift = std::max(shift / shift_factor, least_shift);
        project(x_, z_);
        if (consider(z_)) return true;
      } else {
        shift *= shift_factor;
        if (shift > largest_shift) return false;
        size = evaluate(x_);
      }
    }
    return false;
  }

  // Sets the matrix to A + shift.
  void set_matrix(double shift) {
    factor_.clear();
    for (int i = 0; i < n_; ++i) {
      for_each_entry(problem_, i, [&](int j, double g) {
        const double dd = d_[i] * d_[j];
        if (j <= i && dd > 0) factor_.lower(i, j) = factor_.upper(i, j) = g / dd;
      });
      factor_.upper(i, i) = d_[i] > 0 ? factor_.upper(i, i) + shift : 1;
    }
  }

  // Adds T^-1 E to the matrix, and sets step_ to -T^-1 (F + E F).
  void set_newton_blocks() {
    constexpr double large = 1 / least_slope - 1;
    for_each_block(
        problem_,
        [&](int row) {
          step_[row] = -f_[row];
          if (!(d_[row] > 0) || project_row(row, v_[row]) == v_[row]) return;
          factor_.upper(row, row) += large;
          step_[row] -= large * f_[row];
        },
        [&](const Contact& contact) {
          double E[most][most], a[most];
          const int n = contact.n_rows(), first = contact.first();
          derive(contact, v_ + first, E);
          slide_directions(contact, y_ + first, a);
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

  // Writes a [n_rows], a_t = m y_t / |y_t|.
  static void slide_directions(const Contact& contact, const double* y, double* a) {
    a[0] = 0;
    for (int k = 0; k < contact.n_groups(); ++k) {
      const Contact::Group& group = contact.group(k);
      const double size = Contact::norm(group, y);
      for (int i = group.begin; i < group.end; ++i) a[i] = size > 0 ? group.m * y[i] / size : 0;
    }
  }

  // Writes E = D^-1 - 1 [n_rows][n_rows] of a contact at v. Let r_t = v_t / |v_t| for the groups at
  // their cones, q = e_n + sum m r_t, and z the normal part of P(v). D has these eigenvectors:
  // - In the space of e_n and the r_t: q with the eigenvalue 1, or 0 if z is at a bound. 0 for the
  //   others.
  // - The direction of a group at its cone that is perpendicular to r_t: m z / |v_t|.
  // - The rows of the other groups: 1.
  static void derive(const Contact& contact, const double* v, double (*E)[most]) {
    constexpr double large = 1 / least_slope - 1;
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
      const double slope = std::max(group.m * p[0] / size, least_slope);
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

  // Iterates from x_, and leaves the last z there. Returns whether it is a solution.
  bool admm(double sweeps) {
    project(x_, z_);
    rates(z_, u_);
    std::fill_n(shift_, n_, 0.0);
    add_shift(u_, shift_, 1);
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
      add_shift(u_, shift_, following);
      for (int i = 0; i < n_; ++i) {
        const double target = u_[i] + rho_ * z_[i] + proximity * last_[i] - shift_[i];
        x_[i] = d_[i] > 0 ? target - problem_.c[i] / d_[i] : 0;
      }
      factor_.solve(x_);
      for (int i = 0; i < n_; ++i) v_[i] = x_[i] - u_[i] / rho_;
      project(v_, v_);
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
  ProfileFactor factor_;
  torsor_constraint_result* out_ = nullptr;
  double rho_ = 0.1;
  double *d_, *x_, *y_, *v_, *f_, *step_, *z_, *u_, *last_, *shift_, *best_;
};

}  // namespace torsor::sdk
