#include "torsor/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/spatial/pack.hpp"

namespace torsor {

namespace {
constexpr int max_columns = 6;  // the largest n_v of any joint
}

static_assert(sizeof(Pose<double>) == 12 * sizeof(double));
static_assert(sizeof(SpatialInertia<double>) == 10 * sizeof(double));
static_assert(sizeof(Twist<double>) == 6 * sizeof(double));

torsor_model Model::view() const {
  return {.struct_size = sizeof(torsor_model),
          .n_body = n_body,
          .n_q = n_q,
          .n_v = n_v,
          .parent = parent.data(),
          .v_index = v_index.data(),
          .v_count = v_count.data(),
          .S_B = reinterpret_cast<const double*>(S_B.data()),
          .X_PB0 = reinterpret_cast<const double*>(X_PB0.data()),
          .inertia_B = reinterpret_cast<const double*>(inertia_B.data()),
          .armature = armature.data(),
          .family = family.c_str()};
}

namespace {
template <class Named>
int find(const std::vector<Named>& things, std::string_view name, const char* what) {
  for (int i = 0; i < int(things.size()); ++i)
    if (things[i].name == name) return i;
  std::vector<std::string> names;
  for (const Named& thing : things) names.push_back(thing.name);
  throw Error(fmt::format("there is no {} '{}'{}", what, name, did_you_mean(name, names)));
}
}  // namespace

int Model::frame(std::string_view name) const {
  return find(frames, name, "link or frame");
}
int Model::joint(std::string_view name) const {
  return find(joints, name, "joint");
}
int Model::robot(std::string_view name) const {
  return find(robots, name, "robot");
}
int Model::collider(std::string_view name) const {
  return find(colliders, name, "collider");
}

const std::string& Model::joint_of_body(int body) const {
  for (const Joint& joint : joints)
    if (joint.body == body) return joint.name;
  static const std::string none;
  return none;
}

int Model::child_link(const Joint& joint) const {
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const Link& link) { return link.joint == joint.name; });
  return int(found - links.begin());
}

const Joint& Model::joint_of_dof(int v) const {
  const auto after =
      std::upper_bound(joints.begin(), joints.end(), v,
                       [](int dof, const Joint& joint) { return dof < joint.v_index; });
  return after == joints.begin() ? joints.front() : *std::prev(after);
}
bool Model::is_driven_rigidly(int v) const {
  return !drives[size_t(v)].elasticity &&
         std::ranges::none_of(elastic_rotors, [&](const ElasticRotor& rotor) {
           return rotor.dof == v || rotor.rotor_dof == v;
         });
}
Model::LinearFriction Model::linear_friction(int v) const {
  const Drive& drive = drives[size_t(v)];
  LinearFriction out{damping[size_t(v)], 0, nullptr};
  const auto add = [&](const Friction& friction) {
    out.viscous += friction.viscous;
    out.coulomb += friction.coulomb;
    const bool linear =
        friction.law == Friction::Law::none || friction.law == Friction::Law::coulomb;
    if (!linear && !out.other_law) out.other_law = &friction;
  };
  add(drive.friction);
  if (is_driven_rigidly(v)) add(drive.motor.friction);
  return out;
}
const JointDof& Model::dof(int v) const {
  const Joint& joint = joint_of_dof(v);
  return traits(joint.kind).dofs[size_t(v - joint.v_index)];
}

namespace {
template <class Entry>
void add_names(const std::string& joint, std::span<const Entry> entries,
               std::vector<std::string>& names) {
  for (const Entry& entry : entries)
    names.push_back(entries.size() > 1 ? fmt::format("{}.{}", joint, entry.name) : joint);
}
}  // namespace

std::vector<std::string> Model::coordinate_names() const {
  std::vector<std::string> names;
  for (const Joint& joint : joints) add_names(joint.name, traits(joint.kind).coordinates, names);
  return names;
}
std::vector<std::string> Model::dof_names() const {
  std::vector<std::string> names;
  for (const Joint& joint : joints) add_names(joint.name, traits(joint.kind).dofs, names);
  return names;
}

size_t pose_scratch(const Model& model) {
  return 3 * size_t(model.n_body);
}

namespace {

// Sets X_PB to the same bits as move_about_z(), four of the 12 numbers at a time.
void move_about_z_by_fours(const Pose<double>& X_PB0, double sine, double cosine,
                           double translation, Pose<double>& X_PB) {
  using Four = VectorOf<4>::Type;
  Four a, b, d;  // R00 R01 R02 R10, R11 R12 R20 R21, R22 p
  std::memcpy(&a, X_PB0.R.m, sizeof a);
  std::memcpy(&b, X_PB0.R.m + 4, sizeof b);
  std::memcpy(&d, X_PB0.R.m + 8, sizeof d);
  const double s = sine, c = cosine, t = translation;
  const Four a_turned = __builtin_shufflevector(a, b, 1, 0, 2, 4),  // R01 R00 R02 R11
      b_turned = __builtin_shufflevector(b, a, 7, 1, 3, 2),         // R10 R12 R21 R20
      z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 2, 5, 5), d, 0, 1, 2, 4);
  a = a * Four{c, c, 1, c} + a_turned * Four{s, -s, 0, s};
  b = b * Four{c, 1, c, c} + b_turned * Four{-s, 0, s, -s};
  d = d + z * Four{0, t, t, t};
  std::memcpy(X_PB.R.m, &a, sizeof a);
  std::memcpy(X_PB.R.m + 4, &b, sizeof b);
  std::memcpy(X_PB.R.m + 8, &d, sizeof d);
}

}  // namespace

// The pose of a body with one dof is X_PB(q) = X_PB0 Rot(z, turn q) Trans(z, pitch q). The world
// and bodies with several dof have turn = pitch = 0. The world has no entry in q.
// Equations: MR 9.35, 9.50, 9.53; MK 5.
void evaluate_poses(const Model& model, const double* q, double* scratch, Pose<double>* X_PB) {
  const int n = model.n_body;
  double *angle = scratch, *sine = scratch + n, *cosine = scratch + 2 * n;
  angle[0] = 0;
  for (int i = 1; i < n; ++i) angle[i] = model.turn[i] * q[model.q_index[i]];
  sines_and_cosines(n, angle, sine, cosine);
  X_PB[0] = Pose<double>::identity();
  for (int i = 1; i < n; ++i)
    move_about_z_by_fours(model.X_PB0[i], sine[i], cosine[i], model.pitch[i] * q[model.q_index[i]],
                          X_PB[i]);
  for (const auto& [i, kind] : model.mapped)
    X_PB[i] = model.X_PB0[i] * kind->maps->pose(q + model.q_index[i]);
}

std::vector<double> neutral(const Model& model) {
  std::vector<double> q(size_t(model.n_q), 0.0);
  for (const auto& [i, kind] : model.mapped)
    if (kind->maps->quaternion >= 0) q[size_t(model.q_index[i] + kind->maps->quaternion)] = 1;
  return q;
}

namespace {

void add_shape_to(Hash& hash, const CollisionShape& shape) {
  hash.add(shape.kind);
  for (const double length : {shape.size.x, shape.size.y, shape.size.z}) hash.add(length);
  if (shape.hull) hash.add(shape.hull->vertices);
  if (!shape.field) return;
  for (const double value : {double(shape.field->n_x), double(shape.field->n_y),
                             shape.field->spacing_x, shape.field->spacing_y})
    hash.add(value);
  hash.add(shape.field->heights);
}

// Adds nothing for a model without colliders.
void add_colliders_to(Hash& hash, const Model& model) {
  const auto add_material = [&](const ContactMaterial& m) {
    for (const double value : {m.mu, m.restitution, m.torsional, m.rolling, m.stiffness, m.damping})
      hash.add(value);
  };
  for (const Collider& collider : model.colliders) {
    hash.add(collider.body);
    hash.add(collider.group);
    hash.add(std::vector{collider.X_BC});
    add_shape_to(hash, collider.shape);
    add_material(collider.material);
  }
  for (const auto* pairs : {&model.excluded_collisions, &model.forced_collisions})
    for (const auto& [a, b] : *pairs) {
      hash.add(a);
      hash.add(b);
    }
  for (const auto& [pair, material] : model.pair_materials) {
    hash.add(pair.first);
    hash.add(pair.second);
    add_material(material);
  }
}

void add_joint_to(Hash& hash, const Joint& joint) {
  hash.add(joint.name);
  hash.add(joint.kind);
  hash.add(joint.lower);
  hash.add(joint.upper);
  hash.add(joint.velocity_limit);
  hash.add(joint.effort_limit);
  if (!joint.spring) return;
  for (const double stiffness : {joint.spring->angular, joint.spring->linear}) hash.add(stiffness);
  hash.add(joint.spring->rest);
}

void add_friction_to(Hash& hash, const Friction& f) {
  hash.add(f.law);
  for (const double value : {f.viscous, f.coulomb, f.breakaway, f.decay, f.transition,
                             f.bristle_stiffness, f.bristle_damping})
    hash.add(value);
}

// Adds nothing for a motor without an amplifier.
void add_amplifier_to(Hash& hash, const Motor& motor) {
  if (motor.torque_constant == 0) return;
  for (const double value : {motor.torque_constant, motor.amplifier_gain, motor.resistance,
                             motor.max_input, motor.max_current, motor.max_voltage})
    hash.add(value);
}

void add_drive_to(Hash& hash, const Drive& drive) {
  const Elasticity e = drive.elasticity.value_or(Elasticity{});
  add_friction_to(hash, drive.friction);
  add_friction_to(hash, drive.motor.friction);
  for (const double value :
       {e.stiffness, e.cubic, e.damping, drive.motor.rotor_inertia, drive.motor.gear_ratio,
        drive.passive ? 1.0 : 0.0, drive.motor.clamp ? 1.0 : 0.0, drive.motor.stall_torque,
        drive.spring.stiffness, drive.spring.rest, drive.stop ? drive.stop->restitution : -1})
    hash.add(value);
  add_amplifier_to(hash, drive.motor);
}

void add_transmission_to(Hash& hash, const Transmission& group) {
  hash.add(group.dofs);
  hash.add(group.jacobian);
  if (group.law) hash.add(group.law->fingerprint());
  for (const Motor& motor : group.motors) {
    hash.add(motor.rotor_inertia);
    add_friction_to(hash, motor.friction);
    add_amplifier_to(hash, motor);
  }
}

void add_closure_to(Hash& hash, const Closure& closure) {
  hash.add(closure.kind);
  for (const double value : {double(closure.body_A), double(closure.body_B), closure.parameter})
    hash.add(value);
  for (const Pose<double>& X : {closure.X_BA, closure.X_BB}) hash.add(std::vector{X});
  for (const auto& [dof, factor] : closure.terms)
    for (const double value : {double(dof), factor}) hash.add(value);
}

}  // namespace

uint64_t fingerprint(const Model& model) {
  Hash hash;
  hash.add(model.parent);
  hash.add(model.v_index);
  hash.add(model.X_PB0);
  hash.add(model.S_B);
  hash.add(model.inertia_B);
  hash.add(model.armature);
  hash.add(model.damping);
  for (const Joint& joint : model.joints) add_joint_to(hash, joint);
  for (const Drive& drive : model.drives) add_drive_to(hash, drive);
  for (const Mimicry& mimic : model.mimics)
    for (const double value : {double(mimic.dof), double(mimic.of_dof), mimic.ratio, mimic.offset})
      hash.add(value);
  for (const ElasticRotor& rotor : model.elastic_rotors)
    for (const double value :
         {double(rotor.dof), double(rotor.rotor_dof), rotor.ratio, rotor.elasticity.stiffness,
          rotor.elasticity.cubic, rotor.elasticity.damping})
      hash.add(value);
  for (const auto& [dof_i, dof_j, stiffness] : model.stiffness_couplings)
    for (const double value : {double(dof_i), double(dof_j), stiffness}) hash.add(value);
  for (const Transmission& group : model.transmissions) add_transmission_to(hash, group);
  for (const Closure& closure : model.closures) add_closure_to(hash, closure);
  add_colliders_to(hash, model);
  return hash.value();
}

void follow_mimics(const Model& model, std::span<double> q, std::span<double> v) {
  for (const auto& [dof, of_dof, ratio, offset] : model.mimics) {
    q[size_t(model.coordinate[size_t(dof)])] =
        ratio * q[size_t(model.coordinate[size_t(of_dof)])] + offset;
    v[size_t(dof)] = ratio * v[size_t(of_dof)];
  }
}

void normalise(const Model& model, std::span<double> q) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon(), allowed = 0.01;
  for (const auto& [i, kind] : model.mapped) {
    if (kind->maps->quaternion < 0) continue;
    double* r = q.data() + model.q_index[i] + kind->maps->quaternion;
    const double size = norm(Quaternion{r[0], r[1], r[2], r[3]});
    if (!(std::abs(size - 1) <= allowed))
      throw Error(fmt::format(
          "joint '{}': the quaternion (w, x, y, z) = ({:g}, {:g}, {:g}, {:g}) has norm {:g}; it "
          "must be 1 to within 1 %",
          model.joint_of_body(i), r[0], r[1], r[2], r[3], size));
    if (std::abs(size - 1) > rounding)
      for (int k = 0; k < 4; ++k) r[k] /= size;
  }
}

void integrate(const Model& model, const double* q, const double* v, double h, double* out) {
  if (model.mapped.empty()) {  // q and v then have the same entries in the same order
    for (int k = 0; k < model.n_v; ++k) out[k] = q[k] + h * v[k];
    return;
  }
  for (int i = 1; i < model.n_body; ++i) {
    if (model.v_count[i] > 1) continue;
    const int k = model.q_index[i];
    out[k] = q[k] + h * v[model.v_index[i]];
  }
  for (const auto& [i, kind] : model.mapped) {
    double d[max_columns];
    for (int k = 0; k < kind->n_v; ++k) d[k] = h * v[model.v_index[i] + k];
    kind->maps->integrate(q + model.q_index[i], d, out + model.q_index[i]);
  }
}

void difference(const Model& model, const double* q0, const double* q1, double* d) {
  for (int i = 1; i < model.n_body; ++i) {
    const int k = model.q_index[i];
    if (model.v_count[i] == 1) d[model.v_index[i]] = q1[k] - q0[k];
  }
  for (const auto& [i, kind] : model.mapped)
    kind->maps->difference(q0 + model.q_index[i], q1 + model.q_index[i], d + model.v_index[i]);
}

void chart_rate(const Model& model, const double* d, const double* v, double* rate) {
  std::copy_n(v, model.n_v, rate);
  for (const auto& [i, kind] : model.mapped) {
    const int first = model.v_index[i];
    const Twist<double> D_dot =
        dexp_inverse(joint_twist(kind->dofs, d + first), joint_twist(kind->dofs, v + first));
    for (int k = 0; k < kind->n_v; ++k) rate[first + k] = component(kind->dofs[k], D_dot);
  }
}

}  // namespace torsor
