#include "torsor/signals/resolution_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/handles/constraint_solver.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

constexpr double speed_of_light = 299792458;  // m/s
// Maximum difference between the midpoint and the trapezoidal rule for a work, relative to the
// largest energy or work.
constexpr double most_difference = 0.1;

double fastest_trusted(double tolerance) {
  return speed_of_light * std::sqrt(4 * tolerance / 3);
}

// Returns advice on what to change if a motion is too fast.
std::string advice(const Simulation& simulation) {
  std::string sampled;
  for (const Control& control : simulation.load().controls)
    if (control.period > 0)
      sampled += fmt::format("{}'{}'", sampled.empty() ? "" : ", ",
                             full_name(simulation.model(), control));
  if (!sampled.empty())
    return fmt::format(
        "look for a force or control that adds energy; lower the gains or raise the rate of "
        "the sampled control {}",
        sampled);
  return "look for a force or control that adds energy, and try a smaller dt";
}

}  // namespace

ResolutionWatch::ResolutionWatch(Integrator integrator, double tolerance)
    : has_fixed_step_(!traits(integrator).is_adaptive),
      balances_any_work_(traits(integrator).balances_any_work),
      tolerance_(tolerance) {}

void ResolutionWatch::look(Simulation& simulation) {
  if (has_fixed_step_) check_turns(simulation);
  // steps between checks; excessive speeds persist longer than this
  constexpr long long interval = 8;
  if (speed_.index < 0 && simulation.steps() % interval == 0) check_speeds(simulation);
  check_contacts(simulation);
  if (balances_any_work_) add_work(simulation);
  last_step_ = simulation.steps();
}

void ResolutionWatch::check_turns(const Simulation& simulation) {
  const Model& model = simulation.model();
  // |omega| of a joint is at most sqrt(3) times its largest velocity coordinate.
  double fastest = 0;
  for (const double v : simulation.state().v) fastest = std::max(fastest, std::abs(v));
  if (std::numbers::sqrt3 * fastest * simulation.dt() <= std::numbers::pi) return;
  turns_.resize(model.joints.size());
  for (size_t j = 0; j < turns_.size(); ++j) {
    if (turns_[j].index >= 0) continue;
    double square = 0;
    const int first = model.joints[j].v_index;
    for (int c = first; c < first + traits(model.joints[j].kind).n_v; ++c)
      if (model.dof(c).turns()) square += std::pow(simulation.state().v[size_t(c)], 2);
    const double turn = std::sqrt(square) * simulation.dt();
    if (turn > std::numbers::pi) turns_[j] = {int(j), turn, simulation.time()};
  }
}

void ResolutionWatch::check_speeds(const Simulation& simulation) {
  const Model& model = simulation.model();
  V_WB_B_.resize(size_t(model.n_body));
  body_twists(simulation.state(), V_WB_B_);
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[size_t(i)];
    if (!(M.m > 0)) continue;
    const double speed = std::sqrt(dot(V_WB_B_[size_t(i)], M * V_WB_B_[size_t(i)]) / M.m);
    if (!(speed > fastest_trusted(tolerance_))) continue;
    speed_ = {i, speed, simulation.time()};
    return;
  }
}

void ResolutionWatch::check_contacts(const Simulation& simulation) {
  const double residual = simulation.contact_residual();
  if (!(residual > ConstraintSolver::largest_residual) || simulation.steps() == last_step_) return;
  contact_.index = std::max(contact_.index, 0) + 1;
  if (residual > contact_.value) contact_.value = residual, contact_.time = simulation.time();
}

void ResolutionWatch::add_work(Simulation& simulation) {
  const auto& controls = simulation.load().controls;
  const bool sampled =
      std::ranges::any_of(controls, [](const Control& each) { return each.period > 0; });
  // The work of motors also contains the energy of prescribed joints during impacts, which has no
  // power.
  const bool prescribed = !simulation.load().prescriptions.empty();
  // Impacts of shapes have no power, either.
  const bool strikes = simulation.has_contacts();
  const std::span<const double> power = simulation.powers().by_work;
  const bool continues = simulation.steps() == last_step_ + 1;
  for (size_t k = 0; k < power.size(); ++k) {
    const double work = simulation.snapshot().work[k];
    if (continues && !(Work(k) == Work::motors && (sampled || prescribed)) &&
        !(Work(k) == Work::contact && strikes))
      difference_[k] += simulation.dt() * (power_[k] + power[k]) / 2 - (work - work_then_[k]);
    power_[k] = power[k], work_then_[k] = work;
  }
}

void ResolutionWatch::compare_works(const Simulation& simulation, const EnergyWatch& energy) {
  for (size_t k = 0; k < difference_.size(); ++k) {
    const double difference = std::abs(difference_[k]);
    if (work_.index < 0 && difference > energy.rounding() &&
        difference > most_difference * energy.largest())
      work_ = {int(k), difference_[k], simulation.time()};
  }
}

std::vector<std::string> ResolutionWatch::warnings(Simulation& simulation) const {
  const Model& model = simulation.model();
  std::vector<std::string> lines;
  const Seen* first = nullptr;
  for (const Seen& turn : turns_)
    if (turn.index >= 0 && (!first || turn.time < first->time) &&
        simulation.depends_on_angle(turn.index))
      first = &turn;
  if (first)
    lines.push_back(fmt::format(
        "joint '{}' turns by {:.3g} rad in one step at t = {:g} s, more than half a turn: the "
        "steps do not resolve what depends on its angle, so do not trust this result. Use a "
        "smaller dt than {:g} s or an adaptive integrator such as 'dormand_prince', or {}",
        model.joints[size_t(first->index)].name, first->value, first->time, simulation.dt(),
        advice(simulation)));
  if (speed_.index >= 0)
    lines.push_back(fmt::format(
        "the body of joint '{}' reaches {:.3g} m/s at t = {:g} s; above {:.3g} m/s the kinetic "
        "energy of Newton's mechanics is wrong by more than {:g}, so do not trust this result: {}",
        model.joint_of_body(speed_.index), speed_.value, speed_.time, fastest_trusted(tolerance_),
        tolerance_, advice(simulation)));
  if (contact_.index >= 0)
    lines.push_back(fmt::format(
        "the impulses of contacts are inexact in {} steps: their residual reaches {:.1g} at "
        "t = {:g} s, instead of {:g}. Bodies at rest may creep; use fewer bodies that touch",
        contact_.index, contact_.value, contact_.time, ConstraintSolver::largest_residual));
  if (work_.index >= 0)
    lines.push_back(
        fmt::format("the work of {} is not resolved: at t = {:g} s the trapezoidal rule and the "
                    "midpoint rule differ by {:.3g} J, so do not trust this result. Use a smaller "
                    "dt than {:g} s or the integrator 'dirk'",
                    name(Work(work_.index)), work_.time, std::abs(work_.value), simulation.dt()));
  return lines;
}

}  // namespace torsor
