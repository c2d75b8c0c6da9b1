#include "mechanisms/random_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "support/random_robot.hpp"

namespace torsor::test {

namespace {

bool chance(Random& random, double probability) {
  return random.uniform(0, 1) < probability;
}

Friction random_friction(Random& random) {
  Friction out;
  out.law = Friction::Law(1 + random.below(int(friction_law_names().size()) - 1));
  out.coulomb = std::pow(10, random.uniform(-2, 1));
  out.breakaway = out.coulomb * random.uniform(1, 2);
  out.viscous = chance(random, 0.5) ? random.uniform(0, 0.5) : 0;
  out.decay = random.uniform(1, 20);
  out.transition = random.uniform(0.1, 1);
  out.bristle_stiffness = out.coulomb * random.uniform(1, 20);
  return out;
}

double random_restitution(Random& random) {
  const int which = random.below(3);
  return which < 2 ? which : random.uniform(0, 1);
}

Drive random_drive(Random& random, const JointTraits& kind, int column) {
  Drive out;
  if (chance(random, 0.5)) out.friction = random_friction(random);
  if (kind.dofs[size_t(column)].coordinate >= 0 && chance(random, 0.3))
    out.spring = {random.uniform(0, 20), random.uniform(-1, 1)};
  if (!kind.actuated || chance(random, 0.2)) {
    out.passive = true;
    return out;
  }
  if (chance(random, 0.5)) {
    out.motor = {.rotor_inertia = random.uniform(1e-4, 1e-3),
                 .gear_ratio = random.uniform(-50, 50),
                 .friction = {}};
    if (chance(random, 0.5)) out.motor.friction = random_friction(random);
    if (kind.dofs[size_t(column)].coordinate >= 0 && out.motor.inertia() > 0.05 &&
        chance(random, 0.5))
      out.elasticity = Elasticity{.stiffness = random.uniform(10, 100),
                                  .cubic = random.uniform(0, 100),
                                  .damping = random.uniform(0, 0.5)};
  }
  return out;
}

// Adds stops on both sides of the start. Sometimes the joint starts at its lower stop.
void add_stops(Random& random, double start, JointDescription& joint) {
  joint.drives[0].stop = Stop{random_restitution(random)};
  joint.lower = start - (chance(random, 0.15) ? 0 : random.uniform(0, 0.3));
  joint.upper = start + random.uniform(0.01, 0.3);
}

bool may_be_coupled(const JointDescription& joint) {
  const Drive& drive = joint.drives[0];
  return !joint.mimic && !drive.passive && !drive.elasticity && drive.motor.rotor_inertia == 0;
}

void add_transmission(Random& random, const std::vector<LinkDescription*>& single,
                      RobotDescription& robot) {
  TransmissionDescription group;
  for (const LinkDescription* link : single)
    if (group.joints.size() < 2 && may_be_coupled(link->joint))
      group.joints.push_back(link->joint.name);
  if (group.joints.size() < 2) return;
  group.jacobian = {{0.1, 0.1}, {random.uniform(0.05, 0.1), -0.1}};
  for (int k = 0; k < 2; ++k) {
    Motor& motor = group.motors.emplace_back();
    motor.rotor_inertia = random.uniform(1e-5, 1e-4);
    if (chance(random, 0.5)) motor.friction = random_friction(random);
  }
  robot.transmissions = {group};
}

// Adds drives and damping, and sometimes mimic joints, stops and a transmission. Returns the start
// position of each joint of one dof.
std::vector<double> equip(Random& random, RobotDescription& robot) {
  std::vector<LinkDescription*> single;
  std::vector<double> starts;
  for (LinkDescription& link : robot.links) {
    JointDescription& joint = link.joint;
    const JointTraits& kind = traits(joint.kind);
    joint.drives.clear();
    for (int k = 0; k < kind.n_v; ++k) joint.drives.push_back(random_drive(random, kind, k));
    joint.damping = kind.n_v > 0 && chance(random, 0.3) ? random.uniform(0, 0.5) : 0;
    if (kind.n_v != 1) continue;
    const double start = random.uniform(-1, 1);
    if (!single.empty() && !joint.drives[0].elasticity && chance(random, 0.2))
      joint.mimic = {single[size_t(random.below(int(single.size())))]->joint.name,
                     random.uniform(-2, 2), random.uniform(-0.5, 0.5)};
    else if (chance(random, 0.4))
      add_stops(random, start, joint);
    single.push_back(&link);
    starts.push_back(start);
  }
  if (chance(random, 0.3)) add_transmission(random, single, robot);
  return starts;
}

// Prescribes the motion of a random joint, if the mechanism permits it.
void prescribe(Random& random, RandomMechanism& out) {
  const Model& model = *out.model;
  const int j = random.below(int(model.joints.size()));
  const Joint& joint = model.joints[size_t(j)];
  const size_t n = size_t(traits(joint.kind).n_v);
  const std::vector<double> v0 = random_values(random, int(n), 1),
                            A = random_values(random, int(n), 1);
  const double w = random.uniform(1, 20);
  const Prescription swing{j, [=](double t, std::span<double> v, std::span<double> vdot) {
                             for (size_t k = 0; k < n; ++k) {
                               v[k] = v0[k] + A[k] * std::sin(w * t);
                               vdot[k] = w * A[k] * std::cos(w * t);
                             }
                           }};
  try {
    (void)Prescribed(model, {swing});
  } catch (const Error&) {
    return;
  }
  out.load.prescriptions = {swing};
  for (size_t k = 0; k < n; ++k) {
    out.v[size_t(joint.v_index) + k] = v0[k];
    out.load.tau[size_t(joint.v_index) + k] = 0;
  }
}

// Adds a sampled control that damps the motion of the joints with motors.
void control(Random& random, RandomMechanism& out) {
  std::vector<bool> driven;
  for (const Drive& drive : out.model->drives) driven.push_back(!drive.passive);
  for (const Prescription& prescription : out.load.prescriptions) {
    const Joint& joint = out.model->joints[size_t(prescription.joint)];
    for (int k = 0; k < traits(joint.kind).n_v; ++k) driven[size_t(joint.v_index + k)] = false;
  }
  const auto law = [driven](const Measured& at, double, std::span<const double>,
                            const ControlLaw::Answer& answer) {
    for (size_t k = 0; k < answer.tau.size(); ++k)
      if (driven[k]) answer.tau[k] = -0.05 * std::clamp(at.v[k], -20.0, 20.0);
  };
  out.load.controls = {{.name = "damper",
                        .law = std::make_shared<FunctionLaw>(law),
                        .period = random.uniform(1e-3, 3e-2)}};
}

void carry(Random& random, RandomMechanism& out) {
  const int frame = random.below(int(out.model->frames.size()));
  if (out.model->frames[size_t(frame)].body == 0) return;
  Payload payload{.frame = frame, .inertia_F = random_inertia(random, 0.2, random.uniform(0.1, 2))};
  payload.attach = chance(random, 0.3) ? 0 : random.uniform(0, 0.25);
  if (chance(random, 0.5)) payload.release = payload.attach + random.uniform(1e-4, 0.2);
  payload.V_WP = {random.vector(1), random.vector(1)};
  out.payloads.push_back(payload);
}

}  // namespace

RandomMechanism random_mechanism(uint64_t seed) {
  Random random(seed);
  RobotDescription robot = random_robot(2 + random.below(5), Shape::tree, seed, Kinds::every);
  const std::vector<double> starts = equip(random, robot);
  RandomMechanism out{build(robot), {}, {}, {}, {}, random.vector(10)};
  const Model& model = *out.model;
  out.q = random_position(random, model, 1);
  out.v = random_values(random, model.n_v, 2);
  out.load.tau = random_values(random, model.n_v, 10);
  size_t single = 0;
  for (const LinkDescription& link : robot.links)
    if (traits(link.joint.kind).n_v == 1)
      out.q[size_t(model.joints[size_t(model.joint(link.joint.name))].q_index)] = starts[single++];
  for (size_t k = 0; k < out.load.tau.size(); ++k)
    if (model.drives[k].passive) out.load.tau[k] = 0;
  if (chance(random, 0.4)) prescribe(random, out);
  if (chance(random, 0.4)) control(random, out);
  while (chance(random, 0.4)) carry(random, out);
  follow_mimics(model, out.q, out.v);
  return out;
}

}  // namespace torsor::test
