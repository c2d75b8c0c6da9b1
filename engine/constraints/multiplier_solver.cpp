#include "torsor/constraints/multiplier_solver.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/sdk/constraints/gauss_seidel.hpp"
#include "torsor/sdk/constraints/newton_admm.hpp"
#include "torsor/sdk/constraints/pivoting.hpp"

namespace torsor {

namespace {

// Returns a bound of the rounding error of a sum of n products, relative to the sum of their
// absolute values.
double rounding_of(size_t n) {
  return 64 * std::numeric_limits<double>::epsilon() * double(n);
}

// In large islands at rest, some steps of Newton's method from the last impulses suffice. Otherwise
// sweeps are cheaper than its factorisations.
void solve_large_without_factor(const ConstraintProblem& problem, double* work,
                                torsor_constraint_result& out) {
  constexpr double wanted = 1e-5, accepted = 1e-4, largest = ConstraintSolver::largest_residual;
  constexpr int many_rows = 400, very_many_rows = 1000;
  const torsor_constraint_problem view = problem.view();
  const auto sweep = [&](double tolerance, double count) {
    sdk::GaussSeidel(view, {.tolerance = tolerance, .most_sweeps = out.iterations + count}, work)
        .solve(out);
    return out.residual;
  };
  const auto iterate = [&](double tolerance, double count) {
    sdk::NewtonAdmm(view, {.tolerance = tolerance, .most_iterations = out.iterations + count}, work)
        .solve(out);
    return out.residual;
  };
  if (problem.n() <= very_many_rows && !problem.start.empty() && iterate(1e-9, 3) <= largest)
    return;
  if (problem.n() <= many_rows && iterate(1e-8, 400) <= largest) return;
  if (sweep(largest, 100) > wanted && sweep(wanted, 500) > accepted) iterate(wanted, 5000);
}

}  // namespace

void MultiplierSolver::clear() {
  for (std::vector<double>* list : {&c_, &terms_, &lower_, &upper_}) list->clear();
}

void MultiplierSolver::add(const Row& row, const double* u, double required, const Bounds& bounds,
                           double scale) {
  c_.push_back(scale * along(row, u) - required);
  terms_.push_back(std::abs(scale) * terms_along(row, u) + std::abs(required));
  lower_.push_back(bounds.lower);
  upper_.push_back(bounds.upper);
}

// The residual of free rows is not checked without a plugin: within a step, the rows of closures
// may contradict one another slightly.
Status MultiplierSolver::solve(const Eigen::MatrixXd& G) {
  G_ = G.data();
  lambda_.resize(size());
  if (plugin_) {
    const Status status = plugin_->solve(problem(), lambda_);
    residual_ = plugin_->residual();
    return status;
  }
  const torsor_constraint_problem view = problem().view();
  work_.resize(std::max(work_.size(), sdk::Pivoting::work_doubles(size())));
  (void)sdk::Pivoting(view, work_.data()).solve(lambda_.data());
  residual_ = 0;
  const auto is_free = [](double bound) { return std::isinf(bound); };
  if (std::ranges::all_of(lower_, is_free) && std::ranges::all_of(upper_, is_free)) return {};
  residual_ = sdk::residual_of(view, lambda_.data());
  return residual_ <= ConstraintSolver::largest_residual ? Status{} : Status{Status::undecided};
}

Status MultiplierSolver::solve(const Eigen::MatrixXd& G,
                               std::span<const torsor_friction> frictions) {
  if (frictions.empty()) return solve(G);
  G_ = G.data();
  lambda_.resize(size());
  residual_ = 0;
  ConstraintProblem with_friction = problem();
  with_friction.frictions = frictions;
  if (plugin_) return plugin_->solve(with_friction, lambda_);
  contact_residual_ = 0;
  const Status status = solve_island(with_friction);
  return status && contact_residual_ > ConstraintSolver::largest_residual
             ? Status{Status::undecided}
             : status;
}

double MultiplierSolver::rate(size_t row) const {
  return sdk::row_rate(problem().view(), int(row), lambda_.data()).w;
}

Status MultiplierSolver::solve_contacts(const ConstraintProblem& problem, std::span<double> lambda,
                                        const HalfRows* halves) {
  islands_.split(problem, halves);
  iterations_ = 0;
  contact_residual_ = 0;
  for (size_t k = 0; k < islands_.size(); ++k) {
    const ConstraintProblem island = islands_.problem(k);
    lambda_.resize(size_t(island.n()));
    const Status status = plugin_ ? plugin_->solve(island, lambda_) : solve_island(island);
    if (plugin_) {
      iterations_ += plugin_->iterations();
      contact_residual_ = std::max(contact_residual_, plugin_->residual());
    }
    if (!status) return status;
    const std::span<const int> rows = islands_.rows(k);
    for (size_t i = 0; i < rows.size(); ++i) lambda[size_t(rows[i])] = lambda_[i];
  }
  return {};
}

// The tolerances are small, because a body at rest slips by this part of the speed that it gains in
// a step. They are only tried: at rest, the iterations of the next step continue from the result.
// The last result is accepted unless its error is of the size of the rates: then no impulses obey
// the laws. Small islands are solved without their factor first, because some steps of Newton's
// method from the last impulses mostly suffice. It also helps where the interior point method
// fails, unless the profile of G is too large.
Status MultiplierSolver::solve_island(const ConstraintProblem& problem) {
  constexpr double most = 5000, last_resort = 1e-2;
  constexpr int few_rows = 150, most_plain_rows = 1000;
  ConstraintProblem plain = problem;
  plain.factor = nullptr;
  const bool is_large = problem.n() > few_rows, needs_plain = problem.n() <= most_plain_rows;
  torsor_constraint_size size = problem.size();
  if (problem.factor) size.profile = 0;  // the profile of a large heap is huge, and not used
  work_.resize(std::max({work_.size(), sdk::GaussSeidel::work_doubles(size_t(problem.n())),
                         sdk::NewtonAdmm::work_doubles(size),
                         needs_plain ? sdk::NewtonAdmm::work_doubles(plain.size()) : 0}));
  if (problem.start.empty())
    std::ranges::fill(lambda_, 0.0);
  else
    std::ranges::copy(problem.start, lambda_.begin());
  torsor_constraint_result out{
      .struct_size = sizeof out, .iterations = 0, .lambda = lambda_.data(), .residual = 0};
  const auto iterate = [&](const ConstraintProblem& given, double tolerance, double count) {
    const torsor_constraint_problem view = given.view();
    sdk::NewtonAdmm(view, {.tolerance = tolerance, .most_iterations = out.iterations + count},
                    work_.data())
        .solve(out);
    return out.residual;
  };
  constexpr double largest = ConstraintSolver::largest_residual;
  if (!is_large) {
    if (iterate(plain, 1e-12, problem.factor ? 30 : 100) > 1e-8 &&
        (!problem.factor || iterate(problem, 1e-10, 100) > 1e-8))
      iterate(plain, 1e-8, most);
  } else if (problem.factor) {
    if (iterate(problem, 1e-9, 500) > largest && needs_plain) iterate(plain, largest, 500);
  } else {
    solve_large_without_factor(problem, work_.data(), out);
  }
  iterations_ += out.iterations;
  contact_residual_ = std::max(contact_residual_, out.residual);
  return out.residual <= last_resort ? Status{} : Status{Status::undecided};
}

// A residual is that of the rows within their bounds: w of a row at a bound may have the right sign
// and be many times larger, although forces exist for which all w are zero. The multipliers F of
// these rows are therefore refined, with those at bounds B as they are:
//   G_FF lambda_F = -(c_F + G_FB lambda_B)
// within the bounds. They are used if their residual is smaller.
void MultiplierSolver::refine() {
  refined_ = lambda_;
  refined_residual_ = residual_;
  if (!plugin_ || residual_ == 0) return;
  const size_t n = size();
  std::vector<size_t> within;
  for (size_t i = 0; i < n; ++i)
    if (lambda_[i] > lower_[i] && lambda_[i] < upper_[i]) within.push_back(i);
  const size_t m = within.size();
  std::vector<double> G, c, terms, x(m), none(m, std::numeric_limits<double>::infinity()),
      below(m, -std::numeric_limits<double>::infinity());
  for (const size_t i : within) {
    double rate = c_[i], size_of_terms = terms_[i];
    for (size_t j = 0; j < n; ++j) {
      if (lambda_[j] > lower_[j] && lambda_[j] < upper_[j]) {
        G.push_back(G_[n * i + j]);
        continue;
      }
      rate += G_[n * i + j] * lambda_[j];
      size_of_terms += std::abs(G_[n * i + j] * lambda_[j]);
    }
    c.push_back(rate);
    terms.push_back(size_of_terms);
  }
  work_.resize(std::max(work_.size(), sdk::Pivoting::work_doubles(m)));
  const torsor_constraint_problem inner = ConstraintProblem{G.data(), c, terms, below, none}.view();
  (void)sdk::Pivoting(inner, work_.data()).solve(x.data());
  const torsor_constraint_problem view = problem().view();
  std::vector<double> trial = lambda_;
  for (size_t k = 0; k < m; ++k) trial[within[k]] = sdk::clamped(view, int(within[k]), x[k]);
  const double residual = sdk::residual_of(view, trial.data());
  if (!(residual < residual_)) return;
  refined_ = std::move(trial);
  refined_residual_ = residual;
}

// The residual bounds the error of a multiplier at G_ii = 1 by the residual times its denominator,
// so that w may differ from zero by about twice as much.
double MultiplierSolver::largest_error(const torsor_constraint_problem& view) const {
  return 2 * refined_residual_ * sdk::evaluate_residual(view, refined_.data()).size();
}

std::span<const AtBound> MultiplierSolver::bounds() {
  refine();
  const torsor_constraint_problem view = problem().view();
  const double allowed = largest_error(view);
  at_.assign(size(), AtBound::none);
  for (size_t i = 0; i < size(); ++i) {
    if (refined_[i] > lower_[i] && refined_[i] < upper_[i]) continue;
    const auto [w, terms] = sdk::row_rate(view, int(i), refined_.data());
    const double rounding =
        std::max(rounding_of(size()) * terms, allowed * std::sqrt(G_[(size() + 1) * i]));
    if (w > rounding) at_[i] = AtBound::lower;
    if (w < -rounding) at_[i] = AtBound::upper;
  }
  return at_;
}

bool MultiplierSolver::all_at_rest() {
  refine();
  const torsor_constraint_problem view = problem().view();
  const double allowed = largest_error(view);
  for (size_t i = 0; i < size(); ++i) {
    const auto [w, terms] = sdk::row_rate(view, int(i), refined_.data());
    if (std::abs(w) >
        std::max(16 * rounding_of(size()) * terms, allowed * std::sqrt(G_[(size() + 1) * i])))
      return false;
  }
  return true;
}

}  // namespace torsor
