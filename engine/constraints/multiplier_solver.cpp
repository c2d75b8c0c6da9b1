#include "torsor/constraints/multiplier_solver.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/sdk/pivoting.hpp"

namespace torsor {

namespace {

// Returns a bound of the rounding error of a sum of n products, relative to the sum of their
// absolute values.
double rounding_of(size_t n) {
  return 64 * std::numeric_limits<double>::epsilon() * double(n);
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

std::span<const AtBound> MultiplierSolver::bounds() {
  const torsor_constraint_problem view = problem().view();
  const double allowed = 2 * residual_ * sdk::evaluate_residual(view, lambda_.data()).size();
  at_.assign(size(), AtBound::none);
  for (size_t i = 0; i < size(); ++i) {
    if (lambda_[i] > lower_[i] && lambda_[i] < upper_[i]) continue;
    const auto [w, terms] = sdk::row_rate(view, int(i), lambda_.data());
    const double rounding =
        std::max(rounding_of(size()) * terms, allowed * std::sqrt(G_[(size() + 1) * i]));
    if (w > rounding) at_[i] = AtBound::lower;
    if (w < -rounding) at_[i] = AtBound::upper;
  }
  return at_;
}

bool MultiplierSolver::all_at_rest() const {
  const torsor_constraint_problem view = problem().view();
  for (size_t i = 0; i < size(); ++i) {
    const auto [w, terms] = sdk::row_rate(view, int(i), lambda_.data());
    if (std::abs(w) > 16 * rounding_of(size()) * terms) return false;
  }
  return true;
}

}  // namespace torsor
