#include "torsor/model/drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

// Names of the friction laws, in the order of Friction::Law.
constexpr std::string_view laws[] = {"none", "coulomb", "stribeck", "piecewise_linear", "lugre"};

struct Check {
  const char* what;
  double value;
  bool positive;  // true: must be positive; false: may also be 0
};

std::optional<std::string> first_defect(std::initializer_list<Check> checks) {
  for (const Check& check : checks)
    if (!(check.positive ? check.value > 0 : check.value >= 0) || std::isinf(check.value))
      return fmt::format("{} is {}; it must be a finite number, {}", check.what, check.value,
                         check.positive ? "positive" : "not negative");
  return std::nullopt;
}

std::optional<std::string> defect(const Friction& f) {
  using Law = Friction::Law;
  if (f.law == Law::none) return std::nullopt;
  const bool decays = f.law == Law::stribeck || f.law == Law::lugre, bristles = f.law == Law::lugre;
  if (auto found = first_defect(
          {{"the viscous friction", f.viscous, false},
           {"the Coulomb friction", f.coulomb, bristles || f.law == Law::piecewise_linear},
           {"the static friction", f.breakaway, false},
           {"the decay of the friction", f.decay, f.law == Law::stribeck},
           {"the transition velocity of the friction", f.transition,
            f.law == Law::piecewise_linear},
           {"the bristle stiffness of the friction", f.bristle_stiffness, bristles},
           {"the bristle damping of the friction", f.bristle_damping, false}}))
    return found;
  if ((decays || f.law == Law::coulomb) && f.breakaway < f.coulomb)
    return fmt::format("the static friction is {}; it must be at least the Coulomb friction, {}",
                       f.breakaway, f.coulomb);
  return std::nullopt;
}

std::optional<std::string> amplifier_defect(const Motor& motor) {
  const auto needs = [](const char* what, const char* constants) {
    return fmt::format("its motor has {}, which needs {}", what, constants);
  };
  const bool torque = motor.torque_constant > 0;
  if (motor.amplifier_gain > 0 && !torque) return needs("an amplifier_gain", "a torque_constant");
  if (motor.max_input > 0 && !(motor.amplifier_gain > 0))
    return needs("a max_input", "a torque_constant and an amplifier_gain");
  if (motor.max_current > 0 && !torque) return needs("a max_current", "a torque_constant");
  if (motor.resistance > 0 && !torque) return needs("a resistance", "a torque_constant");
  if (motor.max_voltage > 0 && !(motor.resistance > 0))
    return needs("a max_voltage", "a torque_constant and a resistance");
  return std::nullopt;
}

}  // namespace

double Motor::current_limit() const {
  double out = max_current > 0 ? max_current : std::numeric_limits<double>::infinity();
  return max_input > 0 ? std::min(out, amplifier_gain * max_input) : out;
}

// Equations: KHALIL 9.4.
TorqueRange amplifier_range(const Motor& motor, double rate) {
  const double K_T = motor.torque_constant, i_max = motor.current_limit();
  TorqueRange out;
  if (std::isfinite(i_max)) out = {-K_T * i_max, K_T * i_max};
  if (motor.max_voltage == 0) return out;
  const double per_volt = K_T / motor.resistance, emf = K_T * rate;
  const TorqueRange of_voltage{per_volt * (-motor.max_voltage - emf),
                               per_volt * (motor.max_voltage - emf)};
  return {of_voltage.clamp(out.lower), of_voltage.clamp(out.upper)};
}

std::optional<Friction::Law> friction_law(std::string_view name) {
  for (int k = 0; k < int(std::size(laws)); ++k)
    if (laws[k] == name) return Friction::Law(k);
  return std::nullopt;
}
std::string_view name(Friction::Law law) {
  return laws[int(law)];
}
std::vector<std::string> friction_law_names() {
  return {std::begin(laws), std::end(laws)};
}

std::optional<std::string> defect(const Drive& drive) {
  for (const Friction* friction : {&drive.friction, &drive.motor.friction})
    if (auto found = defect(*friction)) return found;
  if (!std::isfinite(drive.motor.gear_ratio) || drive.motor.gear_ratio == 0)
    return fmt::format("the gear ratio is {}; it must be a finite number, not 0",
                       drive.motor.gear_ratio);
  if (auto found = first_defect(
          {{"the rotor inertia", drive.motor.rotor_inertia, drive.elasticity.has_value()},
           {"the torque constant of the motor", drive.motor.torque_constant, false},
           {"the amplifier gain of the motor", drive.motor.amplifier_gain, false},
           {"the resistance of the motor", drive.motor.resistance, false},
           {"the maximum input of the motor", drive.motor.max_input, false},
           {"the maximum current of the motor", drive.motor.max_current, false},
           {"the maximum voltage of the motor", drive.motor.max_voltage, false},
           {"the stall torque of the motor", drive.motor.stall_torque, false},
           {"the stiffness of the spring", drive.spring.stiffness, false}}))
    return found;
  if (auto found = amplifier_defect(drive.motor)) return found;
  if (!std::isfinite(drive.spring.rest))
    return std::string("the rest position of the spring is not a finite number");
  if (drive.elasticity)
    if (auto found = first_defect(
            {{"the stiffness of the elastic joint", drive.elasticity->stiffness, true},
             {"the cubic stiffness of the elastic joint", drive.elasticity->cubic, false},
             {"the damping of the elastic joint", drive.elasticity->damping, false}}))
      return found;
  if (drive.stop && !(drive.stop->restitution >= 0 && drive.stop->restitution <= 1))
    return fmt::format("the restitution of the stop is {}; it must be from 0 to 1",
                       drive.stop->restitution);
  return std::nullopt;
}

}  // namespace torsor
