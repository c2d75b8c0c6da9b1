#include "torsor/handles/solver.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "torsor/handles/solver_impl.hpp"
#include "torsor/mechanics/singular.hpp"
#include "torsor/sdk/ext/solver_trace.h"

namespace torsor {

std::string_view without_kind(std::string_view id) {
  return id.substr(id.find('.') + 1);  // the whole id if it has no dot
}

Solver::Solver(ConfiguredPlugin configured, std::shared_ptr<const Model> model)
    : impl_(std::make_unique<PreparedSolver>(std::move(configured.plugin), std::move(model))) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

std::string Solver::id() const {
  return impl_->plugin->descriptor().id;
}
const Model& Solver::model() const {
  return *impl_->model;
}

Capability Solver::capability(Quantity quantity) const {
  return row_of(quantity).member.is_offered(impl_->api) ? Capability::offered : Capability::derived;
}

namespace {

template <Quantity quantity>
Status compute(PreparedSolver& solver, const State& state, const double* given, double* out) {
  return solver.compute<quantity>(solver.at(state, row_of(quantity).needs_pivots), given, out);
}
using Compute = Status (*)(PreparedSolver&, const State&, const double* given, double* out);
template <size_t... k>
constexpr std::array<Compute, n_quantities> compute_all(std::index_sequence<k...>) {
  return {compute<Quantity(k)>...};
}

}  // namespace

Status Solver::evaluate(Quantity quantity, const State& state, const double* given, double* out) {
  static constexpr auto calls = compute_all(std::make_index_sequence<n_quantities>());
  return calls[size_t(quantity)](*impl_, state, given, out);
}
Status Solver::torque_split(const State& state, const double* vdot, const TorqueSplit& out) {
  return impl_->torque_split(impl_->at(state, false), vdot, out);
}

bool Solver::has_trace() const {
  return impl_->plugin->interface(TORSOR_SOLVER_TRACE) != nullptr;
}

namespace {

// Returns where a failure occurred that the plugin reported: " at joint 'elbow'", or "" if the
// status contains no body.
std::string place_of_failure(const Model& model, int body) {
  if (body == 0) return "";
  if (body > 0 && body < model.n_body && !model.joint_of_body(body).empty())
    return fmt::format(" at joint '{}'", model.joint_of_body(body));
  return fmt::format(" at body {}, which is wrong: the model has bodies 1 to {}", body,
                     model.n_body - 1);
}

}  // namespace

std::string Solver::explain(Status status) const {
  const int code = TORSOR_STATUS_CODE(status.value), who = TORSOR_STATUS_BODY(status.value);
  switch (code) {
    case TORSOR_OK:
      return "no error";
    case TORSOR_SINGULAR:
      if (const std::string place = place_of_failure(*impl_->model, who);
          place.starts_with(" at body"))
        return fmt::format("solver '{}' reports a singular mass matrix{}", id(), place);
      return explain_singular(*impl_->model, who);
    case Status::undecided:
      return "no set of joints that stick and joints that move agrees with the forces; try a "
             "smaller step";
    case Status::no_rates:
      return fmt::format("solver '{}' offers no rates of torques ({})", id(), TORSOR_SOLVER_RATES);
    case Status::no_partials:
      return fmt::format("solver '{}' offers no partial derivatives ({})", id(),
                         TORSOR_SOLVER_PARTIALS);
    case Status::no_second_partials:
      return fmt::format("solver '{}' offers no second partial derivatives ({})", id(),
                         TORSOR_SOLVER_PARTIALS);
    case Status::no_equation_rates:
      return fmt::format("solver '{}' offers no rates of M, C and g ({})", id(),
                         TORSOR_SOLVER_RATES);
    case Status::order_too_high:
      return fmt::format(
          "solver '{}' offers derivatives of torques up to order {}; order {} is requested", id(),
          max_rate_order(), who);
    case Status::not_positive:
      return fmt::format("solver '{}' returns an inverse mass matrix that is not positive definite",
                         id());
    case Status::not_finite:
      return fmt::format("solver '{}': {} returned {} at joint '{}', which is not a finite number",
                         id(), impl_->bad_source,
                         std::isnan(impl_->bad_value) ? NAN : impl_->bad_value,
                         impl_->model->joint_of_dof(who).name);
    case Status::overrun:
      return fmt::format("solver '{}': {} {}", id(), impl_->failed_call,
                         overrun_text(status.value, impl_->lent_names));
    case Status::altered:
      return fmt::format("solver '{}': {} {}", id(), impl_->failed_call,
                         host_state_text(status.value));
    default: {
      // A status that differs from the last failure is not from this plugin. It may come from a
      // controller that uses this solver.
      if (status.value != impl_->failure.value) return words_of(status.value);
      return fmt::format("solver '{}' failed in {}{}: {}", id(), impl_->failed_call,
                         place_of_failure(*impl_->model, who),
                         failure_text(code, impl_->plugin->report()));
    }
  }
}

}  // namespace torsor
