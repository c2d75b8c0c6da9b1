#pragma once
// Projected Gauss-Seidel iteration for torsor_constraint_problem. Plugins and the engine share it.
//
// It solves one block after the other, with the present multipliers of the others. A row that is in
// no contact takes the step
//   lambda_i <- clamp(lambda_i - omega w_i / G_ii, lower_i, upper_i)
// A contact is solved exactly (contact_block.hpp), and takes omega times this step, projected on
// its cone. The order of the blocks is that of the rows.
//
// Without contacts, each step decreases 1/2 lambda^T G lambda + c^T lambda for 0 < omega < 2, so
// the method converges whenever a solution exists, also with redundant rows. The number of sweeps
// grows with the condition number of G. With contacts there is no such guarantee.

#include "torsor/sdk/constraints/contact_block.hpp"

namespace torsor::sdk {

class GaussSeidel {
 public:
  struct Settings {
    double tolerance = 1e-10;  // residual at which the iteration ends
    double most_sweeps = 100000;
    double omega = 1;
  };

  // Returns the size of the work area for n rows.
  static constexpr size_t work_doubles(size_t n) {
    return n * Contact::most_rows + Blocks::work_doubles(n);
  }
  // work: [work_doubles(n)].
  GaussSeidel(const torsor_constraint_problem& problem, const Settings& settings, double* work)
      : GaussSeidel(problem, Blocks(problem, work + size_t(problem.n) * Contact::most_rows),
                    settings, work) {}
  // work: [n Contact::most_rows]. blocks: those of the problem.
  GaussSeidel(const torsor_constraint_problem& problem, const Blocks& blocks,
              const Settings& settings, double* work)
      : problem_(problem), blocks_(blocks), settings_(settings), entries_(work) {}

  // Solves the problem. out.lambda contains the start values.
  void solve(torsor_constraint_result& out) {
    lambda_ = out.lambda;
    begin();
    Residual now = evaluate_residual(problem_, blocks_, lambda_);
    while (!has_converged(now) && out.iterations < settings_.most_sweeps) {
      ++out.iterations;
      // The residual of the multipliers before each of their steps estimates that after the sweep.
      now = sweep();
      if (has_converged(now) || out.iterations >= settings_.most_sweeps)
        now = evaluate_residual(problem_, blocks_, lambda_);
    }
    out.residual = now.value();
    has_converged_ = has_converged(now);
  }
  // Returns whether the residual of the last solution is at most the tolerance or the rounding
  // errors of the rates.
  bool has_converged() const { return has_converged_; }

 private:
  static constexpr int most = Contact::most_rows;
  bool has_converged(const Residual& residual) const {
    return residual.value() <= std::max(settings_.tolerance, residual.rounding());
  }
  // Returns the row of the block of its contact in G, [most]; or G_ii of a row in no contact.
  double* block(int row) { return entries_ + size_t(row) * most; }

  // Moves the start values to the bounds and cones, and copies the blocks of G.
  void begin() {
    blocks_.for_each(
        [&](int row) {
          const double g = *block(row) = entry(problem_, row, row);
          lambda_[row] =
              g > 0 ? clamped(problem_, row, lambda_[row]) : unmoved_multiplier(problem_, row);
        },
        [&](const Contact& contact) {
          double x[most];
          for (int i = 0; i < contact.n_rows(); ++i) {
            const double d = contact.scale(i);
            x[i] = d * lambda_[contact.first() + i];
            for (int j = 0; j < contact.n_rows(); ++j) {
              const double dd = d * contact.scale(j);
              block(contact.first() + i)[j] =
                  dd > 0 ? entry(problem_, contact.first() + i, contact.first() + j) / dd : 0;
            }
          }
          contact.project(x);
          contact.write(problem_, x, lambda_);
        });
  }

  Residual sweep() {
    Residual estimate;
    blocks_.for_each(
        [&](int row) {
          const double g = *block(row);
          if (!(g > 0)) return;
          const RowRate rate = row_rate(problem_, row, lambda_);
          estimate.add(problem_, row, g, lambda_[row], rate);
          lambda_[row] = clamped(problem_, row, lambda_[row] - settings_.omega * rate.w / g);
        },
        [&](const Contact& contact) {
          double x[most], y[most], old[most];
          RowRate rates[most];
          for (int i = 0; i < contact.n_rows(); ++i) {
            const double d = contact.scale(i);
            rates[i] = row_rate(problem_, contact.first() + i, lambda_);
            old[i] = x[i] = d * lambda_[contact.first() + i];
            y[i] = d > 0 ? rates[i].w / d : 0;
          }
          estimate.add(problem_, contact, x, rates);
          ContactBlock(contact, block(contact.first()), y, x).solve();
          if (settings_.omega != 1) {
            for (int i = 0; i < contact.n_rows(); ++i)
              x[i] = old[i] + settings_.omega * (x[i] - old[i]);
            contact.project(x);
          }
          contact.write(problem_, x, lambda_);
        });
    return estimate;
  }

  const torsor_constraint_problem& problem_;
  Blocks blocks_;
  Settings settings_;
  double *entries_, *lambda_ = nullptr;  // blocks of G, by rows
  bool has_converged_ = false;
};

}  // namespace torsor::sdk
