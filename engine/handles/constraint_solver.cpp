#include "torsor/handles/constraint_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "torsor/plugin/plugin_table.hpp"

namespace torsor {

torsor_constraint_problem ConstraintProblem::view() const {
  assert(lower.size() == c.size() && upper.size() == c.size() && c_terms.size() == c.size());
  return {.struct_size = sizeof(torsor_constraint_problem),
          .n = n(),
          .G = G,
          .c = c.data(),
          .c_terms = c_terms.data(),
          .lower = lower.data(),
          .upper = upper.data()};
}

ConstraintSolver::ConstraintSolver(ConfiguredPlugin configured, std::shared_ptr<const Model> model)
    : plugin_(std::move(configured.plugin)),
      model_(std::move(model)),
      settings_(std::move(configured.settings)),
      view_(model_->view()) {
  (void)prepare(*plugin_, view_);
  api_ = table_of<torsor_constraint_solver>(*plugin_, TORSOR_CONSTRAINT_SOLVER);
  reserve(0);
}

void ConstraintSolver::reserve(int n) {
  if (n <= reserved_) return;
  size_t doubles = 0;
  if (api_.work_size) {
    const torsor_status status =
        plugin_->ask("work_size", api_.work_size, plugin_->get(), int32_t(n), &doubles);
    if (status != TORSOR_OK)
      throw Error(fmt::format("constraint solver '{}' failed in work_size for {} rows: {}", id(), n,
                              failure_text(status, plugin_->report())));
  }
  // The size must not shrink with the number of rows.
  work_ = WorkArea(std::max(doubles, work_.size()));
  lambda_ = LentArray<double>(size_t(n) + 1);
  reserved_ = n;
}

torsor_status ConstraintSolver::call(const torsor_constraint_problem& problem, WorkArea& work,
                                     LentArray<double>& lambda) {
  const auto n = size_t(problem.n);
  std::fill_n(lambda.begin(), n, 0.0);
  std::memcpy(lambda.data() + n, &guard_pattern, sizeof guard_pattern);
  torsor_constraint_result out{
      .struct_size = sizeof out, .iterations = 0, .lambda = lambda.data(), .residual = 0};
#ifndef NDEBUG
  std::ranges::fill(work, std::numeric_limits<double>::signaling_NaN());
#endif
  const torsor_status status =
      plugin_->ask("solve", api_.solve, plugin_->get(), &problem, work.data(), &out);
  residual_ = out.residual;
  iterations_ = out.iterations;
  uint64_t behind;
  std::memcpy(&behind, lambda.data() + n, sizeof behind);
  if (behind != guard_pattern) return TORSOR_STATUS(overrun_code, 0);
  const torsor_status guards = check_guards(lambda, work);
  return guards == TORSOR_OK ? status : guards;
}

Status ConstraintSolver::solve(const ConstraintProblem& given, std::span<double> lambda) {
  reserve(given.n());
  rows_ = given.n();
  const torsor_constraint_problem problem = given.view();
  const torsor_status status = call(problem, work_, lambda_);
#ifndef NDEBUG
  // Repeats the call. The results differ if the plugin reads its work area or keeps hidden state.
  WorkArea other_work(work_.size());
  LentArray<double> other_lambda(lambda_.size());
  const auto of = [&](const LentArray<double>& all) {
    return std::span(all.data(), size_t(problem.n));
  };
  if (call(problem, other_work, other_lambda) != status ||
      bits_differ(of(lambda_), of(other_lambda)))
    throw std::logic_error(
        fmt::format("constraint solver '{}' returned two different results for the same call: it "
                    "has hidden state",
                    id()));
#endif
  if (status != TORSOR_OK) return {status};
  const auto n = size_t(problem.n);
  if (!all_finite(lambda_.data(), n) || !all_finite(&residual_, 1)) {
    size_t k = 0;
    while (k < n && all_finite(&lambda_[k], 1)) ++k;
    return {TORSOR_STATUS(Status::not_finite, int(k))};
  }
  for (size_t k = 0; k < n; ++k)
    if (lambda_[k] < given.lower[k] || lambda_[k] > given.upper[k])
      return {TORSOR_STATUS(Status::out_of_bounds, int(k))};
  std::copy_n(lambda_.data(), n, lambda.data());
  return {residual_ <= largest_residual ? torsor_status(TORSOR_OK)
                                        : torsor_status(Status::not_converged)};
}

std::string ConstraintSolver::explain(Status status) const {
  const int code = TORSOR_STATUS_CODE(status.value), k = TORSOR_STATUS_BODY(status.value);
  if (code == Status::overrun) {
    constexpr const char* lent[] = {"lambda", "work"};
    return fmt::format("constraint solver '{}': solve {}", id(), overrun_text(status.value, lent));
  }
  if (code == Status::not_finite)
    return fmt::format("constraint solver '{}': solve returns {} that is not a finite number", id(),
                       k < rows_ ? fmt::format("a multiplier of row {}", k + 1) : "a residual");
  if (code == Status::out_of_bounds)
    return fmt::format(
        "constraint solver '{}': solve returns a multiplier of row {} that is outside "
        "of its bounds",
        id(), k + 1);
  if (code == Status::not_converged)
    return fmt::format(
        "constraint solver '{}' found no multipliers: after {} iterations, the "
        "residual is {:.1e}; the constraints contradict one another, or the solver "
        "needs more iterations",
        id(), iterations_, residual_);
  return fmt::format("constraint solver '{}' failed in solve: {}", id(),
                     failure_text(status.value, plugin_->report()));
}

}  // namespace torsor
