// Lists the parts of a description that a format may not be able to express. Each function takes
// its structure apart by a structured binding with all members, so that a new member does not
// compile until it is considered here.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/losses.hpp"
#include "torsor/formats/export/numbers.hpp"

namespace torsor::exporting {

namespace {

// The kinds of joints that a format may not have.
constexpr std::pair<JointKind, Feature> kind_features[] = {
    {JointKind::helical, Feature::helical},
    {JointKind::cylindrical, Feature::cylindrical},
    {JointKind::planar, Feature::planar},
    {JointKind::spherical, Feature::spherical},
    {JointKind::floating, Feature::floating}};

class Inventory {
 public:
  explicit Inventory(const RobotDescription& robot) { list(robot); }
  std::vector<Item> items;

 private:
  void add(bool present, Feature feature, const std::string& subject,
           const std::string& detail = "") {
    if (present) items.push_back({feature, subject, detail});
  }

  void add_value(bool present, Feature feature, const std::string& subject, double value) {
    if (present) items.push_back({feature, subject, "", number(value)});
  }

  void list(const RobotDescription& robot) {
    // The name, the links and their order are part of every file. Warnings, unused words, faults,
    // and the name of the added joint are the report of the reader.
    [[maybe_unused]] const auto& [name, links, frames, transmissions, stiffnesses, closures,
                                  collision_pairs, actuators, states, dof_order, nonphysical,
                                  com_frames, warnings, unused, faults, added_joint, gravity_W,
                                  gravity_source, family] = robot;
    const std::string subject = robot_subject(robot);
    add(!family.empty(), Feature::family, subject, family);
    add(nonphysical == Nonphysical::allow, Feature::allowed_nonphysical, subject);
    add(!dof_order.empty(), Feature::dof_order, subject);
    add(com_frames, Feature::placement_form, subject, "with link frames at the centres of mass");
    if (gravity_W) list_gravity(*gravity_W, subject);
    for (const ActuatorDescription& actuator : actuators) {
      [[maybe_unused]] const auto& [actuator_name, joint, kind, gear, gain, bias, input, force,
                                    source] = actuator;
      add(true, Feature::actuator, fmt::format("'{}'", actuator_name), kind);
    }
    for (const NamedState& state : states) {
      [[maybe_unused]] const auto& [state_name, q, v, inputs, source] = state;
      add(true, Feature::named_state, fmt::format("'{}'", state_name));
    }
    for (const LinkDescription& link : links) list(link);
    for (const FrameDescription& frame : frames) {
      [[maybe_unused]] const auto& [frame_name, link, X_LF, source] = frame;
      add(true, Feature::frame, fmt::format("'{}'", frame_name));
    }
    for (size_t k = 0; k < transmissions.size(); ++k) {
      [[maybe_unused]] const auto& [joints, jacobian, motors, source, law] = transmissions[k];
      add(true, law ? Feature::transmission_law : Feature::transmission,
          transmission_subject(robot, k));
      if (std::ranges::all_of(motors, [](const Motor& each) { return each.rotor_inertia == 0; }))
        items.back().effect = Effect::forces;
    }
    for (size_t k = 0; k < stiffnesses.size(); ++k) {
      [[maybe_unused]] const auto& [joints, matrix, damping, source] = stiffnesses[k];
      add(true, Feature::stiffness_matrix, fmt::format("stiffness matrix {}", k + 1));
    }
    for (const ClosureDescription& each : closures) list(each);
    for (const CollisionPairDescription& pair : collision_pairs) {
      [[maybe_unused]] const auto& [names, collide, mu, restitution, torsional, rolling, stiffness,
                                    damping, source] = pair;
      add(true, Feature::collision_pair, fmt::format("'{}' and '{}'", names[0], names[1]));
    }
  }

  // A file without gravity is simulated with (0, 0, -9.81).
  void list_gravity(const Vec3<double>& g, const std::string& subject) {
    add(true, Feature::gravity, subject,
        fmt::format("({}, {}, {}) m/s^2", number(g.x), number(g.y), number(g.z)));
    if (g.x == 0 && g.y == 0 && g.z == -9.81) items.back().effect = Effect::nothing;
  }

  void list(const ClosureDescription& each) {
    [[maybe_unused]] const auto& [name, kind, frames, axes, parameter, source, origins, joint,
                                  joints, radii, carrier, offset, cut] = each;
    const std::string subject = fmt::format("closure '{}'", name);
    add(true, Feature::closure, subject, std::string(traits(kind).name));
    add(joint.has_value(), Feature::closure_joint, subject);
    if (joint && has_rotor(*joint)) items.back().effect = Effect::structure;
  }

  void list(const LinkDescription& link) {
    [[maybe_unused]] const auto& [name, parent, joint, inertia, grouped, visuals, collisions,
                                  shapes_left_out, source, inertia_source] = link;
    const std::string subject = link_subject(link);
    list_joint(link);
    add(grouped, Feature::grouped, subject);
    add(shapes_left_out, Feature::shapes_left_out, subject);
    for (size_t k = 0; k < visuals.size(); ++k) {
      [[maybe_unused]] const auto& [X_LV, shape, color] = visuals[k];
      add(true, Feature::visual, visual_subject(link, k));
      add(color.has_value(), Feature::color, visual_subject(link, k));
    }
    for (size_t k = 0; k < collisions.size(); ++k) list(collisions[k], collision_subject(link, k));
  }

  void list(const CollisionDescription& collision, const std::string& subject) {
    [[maybe_unused]] const auto& [name, X_LC, shape, material, group, source] = collision;
    [[maybe_unused]] const auto& [mu, restitution, torsional, rolling, stiffness, damping] =
        material;
    const ContactMaterial standard;
    add(true, Feature::collision, subject, std::string(torsor::traits(shape.kind).name));
    add(!name.empty(), Feature::collision_name, subject);
    add(!group.empty(), Feature::collision_group, subject);
    add_value(mu != standard.mu, Feature::mu, subject, mu);
    add_value(restitution != 0, Feature::restitution, subject, restitution);
    add_value(torsional != 0, Feature::torsional, subject, torsional);
    add_value(rolling != 0, Feature::rolling, subject, rolling);
    add_value(stiffness != 0, Feature::surface_stiffness, subject, stiffness);
    add_value(damping != 0, Feature::surface_damping, subject, damping);
  }

  void list_joint(const LinkDescription& link) {
    [[maybe_unused]] const auto& [name, kind, pitch, placement, second_axis, armature, damping,
                                  drives, spring, mimic, elastic_drive, lower, upper,
                                  velocity_limit, effort_limit, source] = link.joint;
    const std::string subject = joint_subject(link);
    add(kind == JointKind::fixed && !name.empty(), Feature::fixed_joint_name, subject);
    const auto* screw = std::get_if<ScrewPlacement>(&placement);
    add(!screw, Feature::placement_form, subject, "by a DH row");
    add(screw && screw->at_home, Feature::placement_form, subject, "at home");
    if (second_axis)
      add(true, Feature::universal, subject);
    else
      list_kind(kind, pitch, subject);
    const int n = second_axis ? 2 : torsor::traits(kind).n_v;
    for (int k = 0; k < n; ++k) {
      add_value(armature.of(k) != 0, Feature::armature, dof_subject(link, size_t(k)),
                armature.of(k));
      add_value(damping.of(k) != 0, Feature::damping, dof_subject(link, size_t(k)), damping.of(k));
    }
    add(lower != -HUGE_VAL || upper != HUGE_VAL, Feature::position_limits, subject);
    add_value(velocity_limit != HUGE_VAL, Feature::velocity_limit, subject, velocity_limit);
    add_value(effort_limit != HUGE_VAL, Feature::effort_limit, subject, effort_limit);
    if (spring) {
      [[maybe_unused]] const auto& [angular, linear, rest] = *spring;
      add_value(true, Feature::spring, subject, std::max(angular, linear));
    }
    add(mimic.has_value(), Feature::mimic, subject);
    add(elastic_drive.has_value(), Feature::elastic_drive, subject);
    const bool motors = has_motors_by_default(kind, link.parent.empty());
    for (size_t k = 0; k < drives.size(); ++k) list(drives[k], dof_subject(link, k), motors);
  }

  void list_kind(JointKind kind, double pitch, const std::string& subject) {
    for (const auto& [of, feature] : kind_features)
      add(of == kind, feature, subject,
          torsor::traits(kind).user_pitch ? fmt::format("with pitch {} m/rad", pitch) : "");
  }

  void list(const Drive& drive, const std::string& subject, bool motors_by_default) {
    [[maybe_unused]] const auto& [friction, elasticity, motor, spring, stop, passive] = drive;
    add(passive == motors_by_default, Feature::motors, subject,
        passive ? "(passive)" : "(has a motor)");
    list(friction, subject);
    if (elasticity) {
      [[maybe_unused]] const auto& [stiffness, cubic, damping] = *elasticity;
      add_value(true, Feature::elasticity, subject, stiffness);
    }
    list(motor, subject);
    [[maybe_unused]] const auto& [stiffness, rest] = spring;
    add_value(stiffness != 0 || rest != 0, Feature::spring, subject, stiffness);
    add(stop.has_value(), Feature::stop, subject);
  }

  void list(const Friction& friction, const std::string& subject) {
    // decay, transition and the bristles are parts of laws other than coulomb.
    [[maybe_unused]] const auto& [law, viscous, coulomb, breakaway, decay, transition,
                                  bristle_stiffness, bristle_damping] = friction;
    if (law == Friction::Law::none) return;
    add(law != Friction::Law::coulomb, Feature::friction_law, subject,
        std::string(torsor::name(law)));
    add_value(viscous != 0, Feature::viscous, subject, viscous);
    add_value(coulomb != 0, Feature::coulomb, subject, coulomb);
    add_value(breakaway != coulomb && law != Friction::Law::piecewise_linear, Feature::breakaway,
              subject, breakaway);
  }

  void list(const Motor& motor, const std::string& subject) {
    [[maybe_unused]] const auto& [rotor_inertia, gear_ratio, friction, torque_constant,
                                  amplifier_gain, resistance, max_input, max_current, max_voltage,
                                  body, clamp, stall_torque] = motor;
    add_value(rotor_inertia != 0, Feature::rotor_inertia, subject, rotor_inertia);
    add_value(gear_ratio != 1, Feature::gear_ratio, subject, gear_ratio);
    add(friction.law != Friction::Law::none, Feature::motor_friction, subject,
        std::string(torsor::name(friction.law)));
    add(torque_constant != 0 || amplifier_gain != 0 || resistance != 0 || max_input != 0 ||
            max_current != 0 || max_voltage != 0,
        Feature::amplifier, subject);
    add(body, Feature::rotor_body, subject);
    add(clamp, Feature::clamp, subject);
    add_value(stall_torque != 0, Feature::stall_torque, subject, stall_torque);
  }
};

}  // namespace

std::vector<Item> inventory(const RobotDescription& robot) {
  return Inventory(robot).items;
}

bool has_rotor(const JointDescription& joint) {
  return joint.armature.all != 0 ||
         std::ranges::any_of(joint.armature.each, [](double x) { return x != 0; }) ||
         std::ranges::any_of(joint.drives,
                             [](const Drive& each) { return each.motor.rotor_inertia != 0; });
}

std::string robot_subject(const RobotDescription& robot) {
  return fmt::format("robot '{}'", robot.name);
}
std::string link_subject(const LinkDescription& link) {
  return fmt::format("link '{}'", link.name);
}
std::string joint_subject(const LinkDescription& link) {
  if (link.joint.name.empty()) return fmt::format("joint of link '{}'", link.name);
  return fmt::format("joint '{}'", link.joint.name);
}
std::string dof_subject(const LinkDescription& link, size_t dof) {
  const JointTraits& kind = torsor::traits(link.joint.kind);
  if (link.joint.second_axis) return fmt::format("joint '{}_{}'", link.joint.name, dof + 1);
  if (kind.n_v <= 1 || dof >= kind.dofs.size()) return joint_subject(link);
  return fmt::format("joint '{}.{}'", link.joint.name, kind.dofs[dof].name);
}
std::string visual_subject(const LinkDescription& link, size_t index) {
  return fmt::format("visual {} of link '{}'", index + 1, link.name);
}
std::string transmission_subject(const RobotDescription& robot, size_t index) {
  std::string joints;
  for (const std::string& joint : robot.transmissions[index].joints)
    joints += fmt::format("{}'{}'", joints.empty() ? "" : ", ", joint);
  return fmt::format("transmission {} of {}", index + 1, joints);
}
std::string collision_subject(const LinkDescription& link, size_t index) {
  return fmt::format("collision {} of link '{}'", index + 1, link.name);
}

}  // namespace torsor::exporting
