#include "torsor/analysis/constraint_comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor {

namespace {

// Returns the best time per call over a few batches.
double time_of(ConstraintSolver& solver, const ConstraintProblem& problem, double enough_ns) {
  using Clock = std::chrono::steady_clock;
  const double batch_ns = enough_ns / 10;
  std::vector<double> lambda(size_t(problem.n()));
  double best = std::numeric_limits<double>::infinity(), total = 0;
  for (long calls = 1; total < enough_ns;) {
    const auto start = Clock::now();
    for (long k = 0; k < calls; ++k) (void)solver.solve(problem, lambda);
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    total += ns;
    best = std::min(best, ns / double(calls));
    if (ns < batch_ns) calls *= 2;
  }
  return best;
}

std::vector<char> rows_with_friction(const ConstraintProblem& problem) {
  std::vector<char> out(size_t(problem.n()));
  for (const torsor_friction& friction : problem.frictions)
    std::fill_n(out.begin() + friction.first, friction.count, 1);
  return out;
}

}  // namespace

void ContactLawErrors::join(const ContactLawErrors& other) {
  for (const auto member :
       {&ContactLawErrors::residual, &ContactLawErrors::size, &ContactLawErrors::complementarity,
        &ContactLawErrors::approach, &ContactLawErrors::cone})
    this->*member = std::max(this->*member, other.*member);
}

ContactLawErrors contact_law_errors(const ConstraintProblem& problem, const double* lambda) {
  const torsor_constraint_problem view = problem.view();
  const sdk::Residual residual = sdk::evaluate_residual(view, lambda);
  ContactLawErrors out{.residual = residual.value(), .size = residual.size()};
  for (const torsor_friction& friction : problem.frictions) {
    const double* f = lambda + friction.first;
    const double size = friction.count == 1 ? std::abs(f[0]) : std::hypot(f[0], f[1]);
    out.cone = std::max(out.cone, size - friction.mu * lambda[friction.normal]);
  }
  const std::vector<char> has_friction = rows_with_friction(problem);
  for (int i = 0; i < problem.n(); ++i) {
    if (has_friction[size_t(i)] || view.lower[i] < 0) continue;  // dry friction of joints
    const double w = sdk::row_rate(view, i, lambda).w;
    out.complementarity = std::max(out.complementarity, std::abs(lambda[i] * w));
    if (view.upper[i] > 0) out.approach = std::max(out.approach, -w);
  }
  return out;
}

void ConstraintComparison::add(std::unique_ptr<ConstraintSolver> solver) {
  for (int a = 0; a < int(solvers_.size()); ++a) pairs_.push_back({a, int(solvers_.size())});
  results_.emplace_back();
  solvers_.push_back(std::move(solver));
}

void ConstraintComparison::compare(const ConstraintProblem& problem) {
  ++problems_;
  const torsor_constraint_problem view = problem.view();
  const auto n = size_t(problem.n());
  const std::vector<char> has_friction = rows_with_friction(problem);
  std::vector<std::vector<double>> lambdas;
  for (size_t k = 0; k < solvers_.size(); ++k) {
    std::vector<double>& lambda = lambdas.emplace_back(n);
    Result& result = results_[k];
    const Status status = solvers_[k]->solve(problem, lambda);
    if (!status && result.failure.empty()) {
      result.failure = solvers_[k]->explain(status);
      result.failed_problem = problems_;
    }
    const ContactLawErrors laws = contact_law_errors(problem, lambda.data());
    if (laws.residual > result.laws.residual) result.problem = problems_;
    result.laws.join(laws);
    for (size_t i = 0; i < n; ++i)
      result.at_bounds +=
          !has_friction[i] && (lambda[i] == problem.lower[i] || lambda[i] == problem.upper[i]);
    result.iterations += solvers_[k]->iterations();
    result.most_iterations = std::max<long long>(result.most_iterations, solvers_[k]->iterations());
  }
  for (Pair& pair : pairs_) {
    const double *of_a = lambdas[size_t(pair.a)].data(), *of_b = lambdas[size_t(pair.b)].data();
    const double size = std::max(sdk::evaluate_residual(view, of_a).size(),
                                 sdk::evaluate_residual(view, of_b).size());
    double lambda = 0, w = 0;
    for (size_t i = 0; i < n; ++i) {
      const double root = std::sqrt(sdk::entry(view, int(i), int(i)));
      if (!(root > 0)) continue;
      lambda = std::max(lambda, root * std::abs(of_a[i] - of_b[i]));
      w = std::max(
          w, std::abs(sdk::row_rate(view, int(i), of_a).w - sdk::row_rate(view, int(i), of_b).w) /
                 root);
    }
    if (size == 0) continue;
    pair.lambda = std::max(pair.lambda, lambda / size);
    if (w / size > pair.w) pair.w = w / size, pair.problem = problems_;
  }
}

void ConstraintComparison::measure(const ConstraintProblem& problem, double enough_ns) {
  for (size_t k = 0; k < solvers_.size(); ++k)
    results_[k].ns = time_of(*solvers_[k], problem, enough_ns);
}

}  // namespace torsor
