#include "torsor/simulation/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

bool can_hold(const Friction& law) {
  return (law.law == Friction::Law::coulomb || law.law == Friction::Law::stribeck) &&
         static_friction(law) > 0;
}

}  // namespace

bool FrictionElement::can_stick() const {
  return can_hold(law);
}
// Equations: KHALIL 7.26.
double FrictionElement::kinetic_friction(double s) const {
  return torsor::kinetic_friction(law, s) +
         (motor_law ? torsor::kinetic_friction(*motor_law, s) : 0);
}
double FrictionElement::static_friction() const {
  return torsor::static_friction(law) + (motor_law ? torsor::static_friction(*motor_law) : 0);
}

ConstraintRow Mechanism::guard_constraint(size_t guard) const {
  if (is_stop(guard)) return {.row = &stop(guard).row, .bounds = {.lower = 0}};
  const FrictionElement& friction = frictions[guard];
  const double most = friction.static_friction();
  return {.row = &friction.row, .bounds = {-most, most}, .varies = friction.varies};
}

double Mechanism::position(const Row& row, const double* q, const double* theta) const {
  double sum = 0;
  for (const auto& [index, factor] : row) sum += factor * position(index, q, theta);
  return sum;
}

Mechanism::Mechanism(const Model& model)
    : n_v(model.n_v),
      n_u(model.n_v),
      coordinate(model.coordinate),
      driven(size_t(model.n_v)),
      drive_ratio(driven.size(), 1.0),
      pose_springs(torsor::pose_springs(model)) {
  for (int c = 0; c < n_v; ++c) {
    driven[c] = c;
    if (!model.drives[c].elasticity) continue;
    driven[c] = n_u++;
    motor_dof.push_back(c);
    motor_inertia.push_back(model.drives[c].motor.inertia());
  }
  for (const auto& [dof, rotor, ratio, e] : model.elastic_rotors) {
    driven[size_t(dof)] = rotor;
    drive_ratio[size_t(dof)] = 1 / ratio;
    springs.push_back({{{dof, 1.0}, {rotor, -1 / ratio}}, 0, e.stiffness, e.cubic, e.damping});
  }
  for (const Joint& joint : model.joints) {
    for (int c = joint.v_index; c < joint.v_index + traits(joint.kind).n_v; ++c) {
      const Drive& drive = model.drives[c];
      if (const auto& e = drive.elasticity)
        springs.push_back({{{c, 1.0}, {driven[c], -1.0}}, 0, e->stiffness, e->cubic, e->damping});
      if (drive.spring.stiffness > 0)
        springs.push_back({{{c, 1.0}}, drive.spring.rest, drive.spring.stiffness, 0, 0});
      if (driven[c] == c && can_hold(drive.friction) && can_hold(drive.motor.friction)) {
        frictions.push_back({{{c, 1.0}}, drive.friction, -1, c, drive.motor.friction});
      } else {
        add_friction(drive.friction, {{c, 1.0}}, c);
        add_friction(drive.motor.friction, {{driven[c], drive_ratio[c]}}, c);
      }
      if (!drive.stop) continue;
      if (std::isfinite(joint.lower))
        stops.push_back({{{c, 1.0}}, joint.lower, drive.stop->restitution});
      if (std::isfinite(joint.upper))
        stops.push_back({{{c, -1.0}}, joint.upper, drive.stop->restitution});
    }
  }
  for (const auto& [i, j, stiffness] : model.stiffness_couplings)
    couplings.push_back({{{i, 1.0}, {driven[i], -1.0}}, {{j, 1.0}, {driven[j], -1.0}}, stiffness});
  add_transmissions(model);
  for (const Mimicry& mimic : model.mimics)
    mimics.push_back({{{mimic.dof, 1.0}, {mimic.of_dof, -mimic.ratio}}, mimic.offset});
}

void Mechanism::add_friction(const Friction& law, const Row& row, int dof) {
  if (law.law == Friction::Law::none) return;
  const bool bristles = law.law == Friction::Law::lugre;
  frictions.push_back({row, law, bristles ? n_memory++ : -1, dof, std::nullopt});
}

// Adds the frictions and coupled armatures of transmissions. The rate of motor m is row m of
// J_qm^-1 times the rates of the transmission's dof. If J_qm depends on q, Motion updates the row.
void Mechanism::add_transmissions(const Model& model) {
  for (size_t k = 0; k < model.transmissions.size(); ++k) {
    const Transmission& group = model.transmissions[k];
    const size_t n = group.dofs.size();
    if (group.law) varying_dofs.insert(varying_dofs.end(), group.dofs.begin(), group.dofs.end());
    for (size_t m = 0; m < n; ++m) {
      Row row;
      for (size_t i = 0; i < n; ++i)
        if (const double factor = group.law ? 1 : group.inverse[m * n + i]; factor != 0)
          row.push_back({group.dofs[i], factor});
      if (group.law && group.motors[m].friction.law != Friction::Law::none)
        varying_frictions.push_back({frictions.size(), k, m});
      add_friction(group.motors[m].friction, row, group.dofs[m]);
      if (group.law && group.motors[m].friction.law != Friction::Law::none)
        frictions.back().varies = true;
      for (size_t i = 0; i < m && !group.law; ++i)
        if (const double inertia = group.armature(i, m); inertia != 0)
          armatures.push_back({group.dofs[i], group.dofs[m], inertia});
    }
  }
}

double dry_friction(const Friction& law, double s) {
  const bool decays = law.law == Friction::Law::stribeck || law.law == Friction::Law::lugre;
  return law.coulomb +
         (decays ? (law.breakaway - law.coulomb) * std::exp(std::min(-law.decay * s, 1.0)) : 0);
}

double kinetic_friction(const Friction& law, double s) {
  switch (law.law) {
    case Friction::Law::none:
      return 0;
    case Friction::Law::piecewise_linear:
      return law.coulomb * std::min(s / law.transition, 1.0) + law.viscous * s;
    default:
      return dry_friction(law, s) + law.viscous * s;
  }
}

double static_friction(const Friction& law) {
  return law.breakaway;
}

}  // namespace torsor
