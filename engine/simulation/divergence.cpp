// Stops a run whose motion has diverged, and explains the divergence: compares the step with the
// fastest rate of the linearised motion. The energy can overflow before the motion does: the
// kinetic energy is infinite at velocities of about 1e154 m/s.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/motion.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {

std::string in_digits(double x) {
  return fmt::format("{:.3g}", x + 0.0);  // adding 0 turns -0 into 0
}

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum = std::hypot(sum, value);
  return sum;
}

// Returns the index of the largest finite absolute value, or -1.
int place_of_largest(std::span<const double> x) {
  int place = -1;
  for (int k = 0; k < int(x.size()); ++k)
    if (std::isfinite(x[size_t(k)]) &&
        (place < 0 || std::abs(x[size_t(k)]) > std::abs(x[size_t(place)])))
      place = k;
  return place;
}

// The rates of z at the state of a snapshot with all velocities zero. Springs, dampers and control
// laws determine them. The velocity terms, which dominate a diverged motion, are absent. The
// derivative of zdot along x is
//   J x = (zdot(z + h x) - zdot(z - h x)) / 2h
// The largest rate |lambda| of J is the mean growth of |x| in the power iteration x <- J x. The
// mean over many turns also covers complex pairs of eigenvalues, for which the growth oscillates.
class StillMotion {
 public:
  StillMotion(Motion& motion, const Snapshot& at, double time)
      : motion_(motion), time_(time), rest_(at) {
    std::ranges::fill(rest_.v, 0.0);
    std::ranges::fill(rest_.motor_v, 0.0);
    const std::vector<double> start = neutral(motion.model());
    for (size_t k = 0; k < start.size(); ++k)
      if (!is_near(rest_.q[k])) rest_.q[k] = start[k];
    for (std::vector<double>* part : {&rest_.motor_q, &rest_.memory})
      for (double& value : *part)
        if (!is_near(value)) value = 0;
    follow_mimics(motion.model(), rest_.q, rest_.v);
    motion_.set_state(rest_, time);
    z_.resize(size_t(motion_.layout().size()));
    moved_ = a_ = b_ = z_;
    motion_.pack(rest_, z_);
  }

  // Returns J x, or nullopt if the motion has no rates. Works are left out, because they do not
  // affect the motion.
  std::optional<std::vector<double>> along(const std::vector<double>& x, double ahead = 0) {
    if (!rate(x, h, ahead, a_) || !rate(x, -h, ahead, b_)) return std::nullopt;
    std::vector<double> out(x.size());
    for (int k = 0; k < motion_.layout().first_work(); ++k)
      out[size_t(k)] = (a_[size_t(k)] - b_[size_t(k)]) / (2 * h);
    return out;
  }

  // Returns the fastest rate, 1/s, or nullopt. ahead: look-ahead of System::rate(), s, for an
  // integrator that evaluates damping at the new velocities.
  std::optional<double> fastest(double ahead) {
    constexpr int turns = 60, counted = 40;
    std::vector<double> x(z_.size());
    for (size_t k = 0; k < x.size(); ++k) x[k] = std::cos(double(k));  // the direction is arbitrary
    double growth = 0;
    for (int turn = 0; turn < turns; ++turn) {
      auto next = along(x, ahead);
      if (!next) return std::nullopt;
      const double size = std::abs((*next)[size_t(std::max(0, place_of_largest(*next)))]);
      if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
      if (turn >= turns - counted) growth += std::log(size);
      for (double& value : *next) value /= size;
      x = std::move(*next);
    }
    return std::exp(growth / counted);
  }

  // Returns a bound of the rounding error of the last derivative: the rounding of zdot, divided by
  // h.
  double rounding() const {
    double largest = 0;
    for (const std::vector<double>* side : {&a_, &b_})
      if (const int place = place_of_largest(*side); place >= 0)
        largest = std::max(largest, std::abs((*side)[size_t(place)]));
    return 100 * std::numeric_limits<double>::epsilon() * largest / h;
  }

  // Returns the derivative of the acceleration of a dof with respect to its own position or
  // velocity.
  double own(int dof, bool of_velocity) {
    std::vector<double> x(z_.size());
    x[size_t(dof + (of_velocity ? motion_.layout().first_velocity() : 0))] = 1;
    const auto out = along(x);
    return out ? (*out)[size_t(motion_.layout().first_velocity() + dof)] : NAN;
  }

 private:
  static constexpr double h = 1e-6;
  // Returns whether a difference of h still changes a coordinate. A coordinate for which this is
  // false is linearised at its neutral position.
  static bool is_near(double coordinate) { return std::abs(coordinate) < 1e3; }
  bool rate(const std::vector<double>& x, double h, double ahead, std::vector<double>& out) {
    for (size_t k = 0; k < z_.size(); ++k) moved_[k] = z_[k] + h * x[k];
    return motion_.rate(time_, moved_.data(), ahead, out.data());
  }

  Motion& motion_;
  double time_;
  Snapshot rest_;
  std::vector<double> z_, moved_, a_, b_;
};

// Returns 1 / (M^-1)_cc, the inertia that a torque at one joint accelerates while all others are
// free. Returns NaN if it cannot be computed.
double inertia_at(Motion& motion, int dof) {
  const size_t n = size_t(motion.mechanism().n_v);
  std::vector<double> tau(n), without(n), with(n);
  if (!motion.solver().forward(motion.state(), tau.data(), without.data())) return NAN;
  tau[size_t(dof)] = 1;
  if (!motion.solver().forward(motion.state(), tau.data(), with.data())) return NAN;
  return 1 / (with[size_t(dof)] - without[size_t(dof)]);
}

}  // namespace

std::optional<double> Simulation::fastest_rate() {
  restore_motion();
  const auto rate = StillMotion(*motion_, now_, time()).fastest(ahead());
  restore_motion();
  return rate;
}

bool Simulation::depends_on_angle(int joint) {
  constexpr double same = 1e-9;  // relative to the largest acceleration, as for agreeing solvers
  const Joint& turned = model().joints[size_t(joint)];
  std::vector<double> direction(size_t(model().n_v));
  for (int c = turned.v_index; c < turned.v_index + traits(turned.kind).n_v; ++c)
    if (model().dof(c).turns()) direction[size_t(c)] = now_.v[size_t(c)];
  const double rate = norm(direction);
  if (!(rate > 0)) return false;
  // The ratio of the two angles is no ratio of small integers. An effect with the period 2 pi / n
  // shows at one of them at least.
  std::vector<double> first;
  bool depends = false;
  for (const double angle : {0.0, 1.0, 2.4}) {
    Snapshot moved = now_;
    integrate(model(), now_.q.data(), direction.data(), angle / rate, moved.q.data());
    motion_->set_state(moved, time());
    depends = depends || !motion_->accelerate(moved, time());
    const std::span<const double> vdot = motion_->acceleration();
    if (first.empty()) first.assign(vdot.begin(), vdot.end());
    const double bound = same * std::abs(first[size_t(std::max(0, place_of_largest(first)))]);
    for (size_t k = 0; k < first.size(); ++k)
      depends = depends || !(std::abs(vdot[k] - first[k]) <= bound);
  }
  restore_motion();
  return depends;
}

double Simulation::ahead() const {
  return traits(integrator_).has_implicit_damping ? dt_ : 0;
}

// Compares the inertia of the joint with the largest acceleration with its stiffness and damping.
// Also compares dt with the fastest rate.
std::string Simulation::explain_divergence() {
  const std::string plain =
      fmt::format("the motion has diverged: try a smaller dt than {:g} s", dt_);
  try {
    restore_motion();
    const bool has_acceleration = bool(motion_->accelerate(now_, time()));
    const std::vector<double> vdot(motion_->acceleration().begin(), motion_->acceleration().end());
    StillMotion still(*motion_, now_, time());
    const auto fastest = still.fastest(ahead());
    const size_t n = size_t(model().n_v);
    const int dof =
        has_acceleration ? place_of_largest(std::span(vdot).first(n)) : place_of_largest(now_.v);
    if (dof < 0) return plain;
    const JointDof& kind = model().dof(dof);
    const double inertia = inertia_at(*motion_, dof), damping = -inertia * still.own(dof, true);
    const double stiffness = -inertia * still.own(dof, false), rounding = still.rounding();
    std::string out = fmt::format(
        "the motion has diverged: joint '{}' {} most, at {} {}; its inertia is {} {}, its "
        "stiffness {} {}{}, its damping {} {}",
        model().joint_of_dof(dof).name, has_acceleration ? "accelerates" : "moves",
        in_digits((has_acceleration ? vdot : now_.v)[size_t(dof)]),
        has_acceleration ? kind.vdot_unit() : kind.v_unit(), in_digits(inertia),
        kind.armature_unit(), in_digits(stiffness), kind.turns() ? "N m/rad" : "N/m",
        stiffness < -inertia * rounding
            ? " (negative: gravity or another force drives the joint away from its position)"
            : "",
        in_digits(damping), kind.damping_unit());
    return out + advice(fastest.value_or(NAN), damping, dof);
  } catch (const Error&) {
    return plain;
  }
}

// Returns advice on what to change. rate: the fastest rate, 1/s, or NaN. damping: damping of the
// joint that contains `dof`.
std::string Simulation::advice(double rate, double damping, int dof) const {
  const std::string step = fmt::format("dt = {:g} s", dt_);
  const double moved = std::abs(now_.v[size_t(dof)]) * dt_;
  const double limit = traits(integrator_).stability_limit;
  // Such a method is stable up to dt = 2 zeta / omega.
  const bool amplifies = traits(integrator_).amplifies_oscillations;
  if (limit > 0 && rate * dt_ > limit)
    return fmt::format(
        "; {} is {} times too long for the fastest rate of the motion, {} 1/s: try a smaller dt, "
        "below {:.2g} s{}, the integrator 'bdf' or 'dirk', or check that inertia",
        step, in_digits(rate * dt_ / limit), in_digits(rate), limit / rate,
        amplifies ? fmt::format(" ('{}' needs a shorter one for a lightly damped oscillation)",
                                name(integrator_))
                  : "");
  const std::string fits =
      std::isnan(rate)
          ? ""
          : fmt::format("; {} is short enough for the fastest rate of the motion at rest, {} 1/s",
                        step, in_digits(rate));
  std::string sampled;
  for (const Control& control : load().controls)
    if (control.period > 0)
      sampled += fmt::format("{}'{}'", sampled.empty() ? "" : ", ", full_name(model(), control));
  if (!sampled.empty())
    return fits + fmt::format(
                      "; lower the gains or raise the rate of the sampled control {}, then try a "
                      "smaller dt",
                      sampled);
  if (damping < 0)
    return fits +
           "; the damping is negative: check the sign of the force or control that acts there, "
           "then try a smaller dt";
  if (amplifies)
    return fmt::format(
        "; '{}' adds energy to every oscillation whose damping ratio is below dt / 2 times its "
        "angular frequency: try the integrator 'rk4'",
        name(integrator_));
  if (moved > 0.5)
    return fits + fmt::format(
                      ", but the joint moves by {} {} in one step: look for a force or control "
                      "that adds energy, then try a smaller dt",
                      in_digits(moved), model().dof(dof).turns() ? "rad" : "m");
  return fits +
         "; look for a force or control that adds energy to the motion, then try a smaller dt";
}

// Returns whether the kinetic energy and all works are finite. require_finite_energy() also checks
// the other energies, which cost more evaluations.
bool Simulation::has_finite_motion() {
  double sum = 0;
  for (const double work : now_.work) sum += std::abs(work);
  constexpr double small = 1e300;  // J
  if (sum <= small && kinetic_bound_.is_small(now_.q, now_.v, now_.motor_v)) return true;
  for (size_t m = 0; m < now_.motor_v.size(); ++m)
    sum += mechanism().motor_inertia[m] * now_.motor_v[m] * now_.motor_v[m];
  for (size_t k = 0; k < now_.v.size(); ++k) sum += model().armature[k] * now_.v[k] * now_.v[k];
  body_twists(state(), V_WB_B_);
  for (int i = 1; i < model().n_body; ++i)
    sum += dot(V_WB_B_[size_t(i)], model().inertia_B[size_t(i)] * V_WB_B_[size_t(i)]);
  return std::isfinite(sum);
}

// Returns a phrase such as "the kinetic energy is inf J" for the first energy or work that is not
// finite, or "". now: the present energies.
std::string Simulation::infinite_energy(const Energy& now) const {
  const std::pair<const char*, double> energies[] = {
      {"kinetic", now.kinetic}, {"potential", now.potential}, {"elastic", now.elastic}};
  for (const auto& [kind, value] : energies)
    if (!std::isfinite(value)) return fmt::format("the {} energy is {} J", kind, std::abs(value));
  for (int k = 0; k < n_works; ++k)
    if (!std::isfinite(now_[Work(k)]))
      return fmt::format("the work of {} is {} J", name(Work(k)), std::abs(now_[Work(k)]));
  const double error = torsor::ledger_error(now, now_);
  return std::isfinite(error)
             ? ""
             : fmt::format("the sum of energies and works is {} J", std::abs(error));
}

Energy Simulation::require_finite_energy() {
  Energy now = torsor::energy(state(), mechanism(), now_, energy_scratch_);
  now.elastic += motion_->kept_energy(now_);
  const std::string what = infinite_energy(now);
  if (what.empty()) return now;
  // A force that fails returns NaN as its energy. evaluate() then throws an Error that names this
  // force.
  if (std::isnan(motion_->kept_energy(now_))) evaluate();
  if (now_.step == 0)
    fail(what +
         ", which is not a finite number; check the masses, stiffnesses and velocities of the "
         "start");
  fail_moving(fmt::format("{}, which is not a finite number; {}", what, explain_divergence()));
}

// Returns to the previous step and throws Error if the step just made has no finite energy.
void Simulation::reject_infinite_motion() {
  if (has_finite_motion()) return;
  const std::string what = infinite_energy(energy());
  swap(now_, next_);
  fail_moving(fmt::format("in the next step {}, which is not a finite number; {}",
                          what.empty() ? "the energy is inf J" : what, explain_divergence()));
}

}  // namespace torsor
