#include "torsor/handles/constraint_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor {

namespace {

// Returns whether the friction groups have the form that torsor_constraint_problem requires.
[[maybe_unused]] bool are_valid(std::span<const torsor_friction> frictions, int n) {
  int next = 0, groups = 0;
  for (size_t k = 0; k < frictions.size(); ++k) {
    const torsor_friction& friction = frictions[k];
    const bool continues = k > 0 && friction.normal == frictions[k - 1].normal;
    groups = continues ? groups + 1 : 1;
    if (continues ? friction.first != next
                  : friction.normal < next || friction.first != friction.normal + 1)
      return false;
    if (friction.count < 1 || friction.count > 2 || groups > sdk::Contact::most_groups ||
        !(friction.mu >= 0))
      return false;
    next = friction.first + friction.count;
  }
  return next <= n;
}

}  // namespace

torsor_constraint_size ConstraintProblem::size() const {
  torsor_constraint_size out = sdk::dense_size(n());
  if (factor) {
    out.n_dofs = factor->n_dofs;
    out.n_nodes = factor->n_nodes;
    out.n_fill = factor->fill_start[factor->n_nodes];
    out.n_factor = factor_entries;
  }
  if (!G) {
    out.profile = 0;
    for (int i = 0; i < n(); ++i)
      out.profile += i + 1 - sparse.column[size_t(sparse.row_start[size_t(i)])];
  }
  return out;
}

torsor_constraint_problem ConstraintProblem::view() const {
  assert(lower.size() == c.size() && upper.size() == c.size() && c_terms.size() == c.size());
  assert(G || sparse.row_start.size() == c.size() + 1);
  assert(are_valid(frictions, n()));
  return {.struct_size = sizeof(torsor_constraint_problem),
          .n = n(),
          .G = G,
          .c = c.data(),
          .c_terms = c_terms.data(),
          .lower = lower.data(),
          .upper = upper.data(),
          .row_start = G ? nullptr : sparse.row_start.data(),
          .column = G ? nullptr : sparse.column.data(),
          .value = G ? nullptr : sparse.value.data(),
          .frictions = frictions.data(),
          .n_frictions = int32_t(frictions.size()),
          .n_values = G ? 0 : int32_t(sparse.value.size()),
          .factor = factor};
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
  reserve(sdk::dense_size(n));
}

void ConstraintSolver::reserve(const torsor_constraint_size& size) {
  torsor_constraint_size next = reserved_;
  const auto grow = [](auto& to, auto value) { to = std::max(to, value); };
  grow(next.n, size.n);
  grow(next.profile, size.profile);
  grow(next.n_dofs, size.n_dofs);
  grow(next.n_nodes, size.n_nodes);
  grow(next.n_fill, size.n_fill);
  grow(next.n_factor, size.n_factor);
  if (std::memcmp(&next, &reserved_, sizeof next) == 0) return;
  size_t doubles = 0;
  if (api_.work_size) {
    const torsor_status status =
        plugin_->ask("work_size", api_.work_size, plugin_->get(), &next, &doubles);
    if (status != TORSOR_OK)
      throw Error(fmt::format("constraint solver '{}' failed in work_size for {} rows: {}", id(),
                              next.n, failure_text(status, plugin_->report())));
  }
  // The size must not shrink with the number of rows.
  work_ = WorkArea(std::max(doubles, work_.size()));
  lambda_ = LentArray<double>(size_t(next.n) + 1);
  reserved_ = next;
}

torsor_status ConstraintSolver::call(const torsor_constraint_problem& problem, const double* start,
                                     WorkArea& work, LentArray<double>& lambda) {
  const auto n = size_t(problem.n);
  if (start)
    std::copy_n(start, n, lambda.begin());
  else
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
  if (!given.frictions.empty() && !handles_friction())
    throw Error(
        fmt::format("constraint solver '{}' does not handle friction groups; choose another "
                    "constraint solver for scenes with contacts",
                    id()));
  reserve(given.size());
  rows_ = given.n();
  const double* const start = given.start.empty() ? nullptr : given.start.data();
  const torsor_constraint_problem problem = given.view();
  const torsor_status status = call(problem, start, work_, lambda_);
#ifndef NDEBUG
  // Repeats the call. The results differ if the plugin reads its work area or keeps hidden state.
  WorkArea other_work(work_.size());
  LentArray<double> other_lambda(lambda_.size());
  const auto of = [&](const LentArray<double>& all) {
    return std::span(all.data(), size_t(problem.n));
  };
  if (call(problem, start, other_work, other_lambda) != status ||
      bits_differ(of(lambda_), of(other_lambda)))
    throw std::logic_error(
        fmt::format("constraint solver '{}' returned two different results for the same call: it "
                    "has hidden state",
                    id()));
#endif
  if (status != TORSOR_OK) return {status};
  if (const Status checked = check(given); !checked) return checked;
  std::copy_n(lambda_.data(), given.c.size(), lambda.data());
  return {residual_ <= largest_residual ? torsor_status(TORSOR_OK)
                                        : torsor_status(Status::not_converged)};
}

// Checks that the result is finite, within its bounds and within its cones. The number in
// out_of_bounds is that of a row, or the number of rows plus that of a friction group.
Status ConstraintSolver::check(const ConstraintProblem& problem) const {
  const size_t n = problem.c.size();
  if (!all_finite(lambda_.data(), n) || !all_finite(&residual_, 1)) {
    size_t k = 0;
    while (k < n && all_finite(&lambda_[k], 1)) ++k;
    return {TORSOR_STATUS(Status::not_finite, int(k))};
  }
  size_t row = 0;
  const auto rows_are_within = [&](size_t end) {
    while (row < end && lambda_[row] >= problem.lower[row] && lambda_[row] <= problem.upper[row])
      ++row;
    return row >= end;
  };
  for (size_t k = 0; k < problem.frictions.size(); ++k) {
    const torsor_friction& friction = problem.frictions[k];
    if (!rows_are_within(size_t(friction.first)))
      return {TORSOR_STATUS(Status::out_of_bounds, int(row))};
    row = size_t(friction.first + friction.count);
    const double size = friction.count == 1 ? std::abs(lambda_[row - 1])
                                            : std::hypot(lambda_[row - 2], lambda_[row - 1]);
    if (!(size <= friction.mu * lambda_[size_t(friction.normal)] * (1 + 1e-12)))
      return {TORSOR_STATUS(Status::out_of_bounds, int(n + k))};
  }
  if (!rows_are_within(n)) return {TORSOR_STATUS(Status::out_of_bounds, int(row))};
  return {};
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
  if (code == Status::out_of_bounds && k >= rows_)
    return fmt::format(
        "constraint solver '{}': solve returns multipliers of friction group {} that are outside "
        "of its cone",
        id(), k - rows_ + 1);
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
