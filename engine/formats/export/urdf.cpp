#include "torsor/formats/export/urdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/formats/urdf/closures.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement, tinyxml2::XMLNode;

// URDF has no word for a missing limit, and readers require numbers.
constexpr double unlimited = 1e9;

// The types of joints. A joint that turns without limits is "continuous".
constexpr std::pair<JointKind, const char*> types[] = {
    {JointKind::fixed, "fixed"},       {JointKind::revolute, "revolute"},
    {JointKind::helical, "revolute"},  {JointKind::prismatic, "prismatic"},
    {JointKind::floating, "floating"}, {JointKind::planar, "planar"}};

const char* type_of(const LinkDescription& link) {
  const JointDescription& joint = link.joint;
  const std::string_view type =
      std::ranges::find(types, joint.kind, &std::pair<JointKind, const char*>::first)->second;
  const bool free = joint.lower == -HUGE_VAL && joint.upper == HUGE_VAL;
  return type == "revolute" && free ? "continuous" : type.data();
}

class UrdfWriter {
 public:
  UrdfWriter(const RobotDescription& robot, const Target& target, Notes notes)
      : robot_(robot), target_(target), ledger_(robot, std::move(notes)) {}

  Written run() {
    XMLElement& root = add(xml_, "robot");
    set(root, "name", robot_.name);
    for (const LinkDescription& link : robot_.links)
      if (torsor::traits(link.joint.kind).n_v == 1) add_rotor(link);
    if (!rotors_.empty()) set(root, "xmlns:drake", std::string("http://drake.mit.edu"));
    add_comment(xml_, target_.origin);
    out_.files.push_back({target_.file.filename(), ""});
    for (const LinkDescription* link : links()) write_link(root, *link);
    for (const LinkDescription* link : joints())
      if (!link->parent.empty()) write_joint(root, *link);
    for (const auto& [link, rotor] : rotors_) write_rotor(root, *link, rotor);
    state_the_rest();
    if (!robot_.closures.empty())
      out_.files.push_back(
          {urdf::closures_file(target_.file.filename()), closures_text(robot_, ledger_, target_)});
    out_.files.front().text = text_of(xml_);
    out_.losses = ledger_.losses();
    return std::move(out_);
  }

 private:
  std::vector<const LinkDescription*> links() const {
    std::vector<const LinkDescription*> out;
    for (const LinkDescription& link : robot_.links) out.push_back(&link);
    return out;
  }
  // Moving joints in the order of the dof, then fixed joints.
  std::vector<const LinkDescription*> joints() const {
    std::unordered_map<std::string, const LinkDescription*> moving;
    for (const LinkDescription& link : robot_.links)
      if (link.joint.kind != JointKind::fixed) moving.emplace(link.joint.name, &link);
    std::vector<const LinkDescription*> out;
    for (const std::string& name : dof_order(robot_)) out.push_back(moving.at(name));
    for (const LinkDescription& link : robot_.links)
      if (link.joint.kind == JointKind::fixed) out.push_back(&link);
    return out;
  }

  static void add_origin(XMLNode& parent, const Pose<double>& X) {
    if (is_identity(X)) return;
    XMLElement& origin = add(parent, "origin");
    set(origin, "xyz", rounded(X.p, " "));
    set(origin, "rpy", angles(X.R, " "));
  }

  void write_link(XMLElement& root, const LinkDescription& link) {
    XMLElement& xml = add(root, "link");
    set(xml, "name", link.name);
    check_inertia(link, ledger_);
    write_inertia(xml, link.inertia);
    for (size_t k = 0; k < link.visuals.size(); ++k) write_visual(xml, link, k);
    for (size_t k = 0; k < link.collisions.size(); ++k) write_collision(xml, link, k);
  }

  static void write_inertia(XMLElement& link, const SpatialInertia<double>& M) {
    const auto [mass, com, I, error] = about_com(M);
    if (mass == 0 && I.xx == 0 && I.yy == 0 && I.zz == 0 && I.xy == 0 && I.xz == 0 && I.yz == 0)
      return;
    XMLElement& xml = add(link, "inertial");
    add_origin(xml, translation(com));
    set(add(xml, "mass"), "value", mass);
    XMLElement& inertia = add(xml, "inertia");
    for (const auto& [name, value] : {std::pair{"ixx", I.xx},
                                      {"ixy", I.xy},
                                      {"ixz", I.xz},
                                      {"iyy", I.yy},
                                      {"iyz", I.yz},
                                      {"izz", I.zz}})
      set(inertia, name, rounded(value, error));
  }

  // Returns whether URDF has the shape.
  bool write_shape(XMLElement& parent, const Shape& shape) {
    XMLElement& geometry = add(parent, "geometry");
    if (const auto* box = std::get_if<Box>(&shape)) {
      set(add(geometry, "box"), "size", numbers(box->size, " "));
    } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
      set(add(geometry, "sphere"), "radius", sphere->radius);
    } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
      XMLElement& xml = add(geometry, "cylinder");
      set(xml, "radius", cylinder->radius);
      set(xml, "length", cylinder->length);
    } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
      XMLElement& xml = add(geometry, "capsule");
      set(xml, "radius", capsule->radius);
      set(xml, "length", capsule->length);
    } else if (const auto* mesh = std::get_if<MeshFile>(&shape)) {
      XMLElement& xml = add(geometry, "mesh");
      set(xml, "filename", mesh_name(*mesh, target_.file.parent_path()));
      const Vec3<double>& s = mesh->scale;
      if (s.x != 1 || s.y != 1 || s.z != 1) set(xml, "scale", numbers(s, " "));
    } else {
      return false;
    }
    return true;
  }

  void write_visual(XMLElement& link_xml, const LinkDescription& link, size_t index) {
    const VisualDescription& visual = link.visuals[index];
    const std::string subject = visual_subject(link, index);
    XMLElement& xml = add(link_xml, "visual");
    add_origin(xml, visual.X_LV);
    if (!write_shape(xml, visual.shape)) {
      link_xml.DeleteChild(&xml);
      ledger_.lost(Feature::visual, subject, "URDF has neither cones nor ellipsoids");
      ledger_.lost(Feature::color, subject, "its shape is not written");
      return;
    }
    ledger_.written(Feature::visual, subject);
    ledger_.written(Feature::color, subject);
    if (!visual.color) return;
    const Color& c = *visual.color;
    const std::string rgba =
        fmt::format("{} {} {} {}", number(c.r), number(c.g), number(c.b), number(c.a));
    const auto [name, is_new] =
        materials_.emplace(rgba, fmt::format("color_{}", materials_.size() + 1));
    XMLElement& material = add(xml, "material");
    set(material, "name", name->second);
    set(add(material, "color"), "rgba", rgba);
  }

  void write_collision(XMLElement& link_xml, const LinkDescription& link, size_t index) {
    const CollisionDescription& collision = link.collisions[index];
    const std::string subject = collision_subject(link, index);
    XMLElement& xml = add(link_xml, "collision");
    if (!collision.name.empty()) set(xml, "name", collision.name);
    ledger_.changed(Feature::collision_name, subject,
                    "written as a name that the reader of Torsor does not use", Effect::nothing);
    add_origin(xml, collision.X_LC);
    if (write_collision_shape(xml, collision.shape, link)) {
      ledger_.written(Feature::collision, subject);
      return;
    }
    link_xml.DeleteChild(&xml);
    ledger_.lost(Feature::collision, subject, "URDF has no such shape");
  }

  bool write_collision_shape(XMLElement& xml, const CollisionShape& shape,
                             const LinkDescription& link) {
    const Vec3<double>& s = shape.size;
    switch (shape.kind) {
      case ShapeKind::sphere:
        return write_shape(xml, Sphere{s.x});
      case ShapeKind::box:
        return write_shape(xml, Box{2.0 * s});
      case ShapeKind::cylinder:
        return write_shape(xml, Cylinder{s.x, 2 * s.z});
      case ShapeKind::capsule:
        return write_shape(xml, Capsule{s.x, 2 * s.z});
      case ShapeKind::convex:
        set(add(add(xml, "geometry"), "mesh"), "filename",
            add_hull(*shape.hull, link.name, target_, out_.files));
        return true;
      default:
        return false;
    }
  }

  void write_joint(XMLElement& root, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const auto& screw = std::get<ScrewPlacement>(joint.placement);
    const JointTraits& kind = torsor::traits(joint.kind);
    const std::string subject = joint_subject(link);
    XMLElement& xml = add(root, "joint");
    std::string name = joint.name;
    if (name.empty()) {
      name = unused_joint_name(link.name);
      ledger_.note("name of a fixed joint", fmt::format("'{}'", name),
                   "added: URDF joints need names");
    }
    set(xml, "name", name);
    set(xml, "type", type_of(link));
    ledger_.written(Feature::fixed_joint_name, subject);
    ledger_.written(Feature::planar, subject);
    ledger_.written(Feature::floating, subject);
    if (kind.user_pitch)
      ledger_.changed(Feature::helical, subject,
                      "written as a joint that only turns: URDF has no helical joints",
                      Effect::structure);
    add_origin(xml, screw.X_PL);
    set(add(xml, "parent"), "link", link.parent);
    set(add(xml, "child"), "link", link.name);
    if (kind.axis && kind.n_v > 0) set(add(xml, "axis"), "xyz", rounded(screw.axis, " "));
    if (kind.n_v == 1) write_motion(xml, link);
    if (kind.n_v > 1)
      for (size_t k = 0; k < size_t(kind.n_v); ++k)
        ledger_.lost(Feature::damping, dof_subject(link, k),
                     fmt::format("URDF has none for {} joints", kind.name));
  }

  std::string unused_joint_name(const std::string& link) {
    if (taken_.empty())
      for (const LinkDescription& each : robot_.links) taken_.emplace(each.joint.name, 1);
    std::string out = link + "_joint";
    for (int k = 2; !taken_.emplace(out, 1).second; ++k) out = fmt::format("{}_joint_{}", link, k);
    return out;
  }

  void write_motion(XMLElement& xml, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const std::string subject = joint_subject(link);
    write_limit(xml, link);
    const auto [damping, coulomb] = linear_friction(link, 0, ledger_);
    if (damping != 0 || coulomb != 0) {
      XMLElement& dynamics = add(xml, "dynamics");
      if (damping != 0) set(dynamics, "damping", damping);
      if (coulomb != 0) set(dynamics, "friction", coulomb);
    }
    if (!joint.mimic) return;
    ledger_.written(Feature::mimic, subject);
    XMLElement& mimic = add(xml, "mimic");
    set(mimic, "joint", joint.mimic->joint);
    set(mimic, "multiplier", joint.mimic->ratio);
    set(mimic, "offset", joint.mimic->offset);
  }

  void write_limit(XMLElement& xml, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const std::string subject = joint_subject(link);
    const bool bounded = std::string_view(type_of(link)) != "continuous";
    if (!bounded && joint.velocity_limit == HUGE_VAL && joint.effort_limit == HUGE_VAL) return;
    XMLElement& limit = add(xml, "limit");
    const auto write = [&](const char* name, double value) {
      if (std::isinf(value))
        ledger_.note(fmt::format("missing {} limit", name), subject,
                     fmt::format("written as {}: URDF requires a number",
                                 number(std::copysign(unlimited, value))),
                     Effect::nothing);
      set(limit, name, std::isinf(value) ? std::copysign(unlimited, value) : value);
    };
    if (bounded) {
      write("lower", joint.lower);
      write("upper", joint.upper);
    }
    write("velocity", joint.velocity_limit);
    write("effort", joint.effort_limit);
    for (const Feature feature :
         {Feature::position_limits, Feature::velocity_limit, Feature::effort_limit})
      ledger_.written(feature, subject);
  }

  void add_rotor(const LinkDescription& link) {
    if (const Rotor rotor = drake_rotor(link, "URDF", ledger_); rotor.inertia != 0)
      rotors_.emplace_back(&link, rotor);
  }

  static void write_rotor(XMLElement& root, const LinkDescription& link, const Rotor& rotor) {
    XMLElement& xml = add(root, "transmission");
    set(xml, "name", link.joint.name + "_transmission");
    add(xml, "type").SetText("transmission_interface/SimpleTransmission");
    set(add(xml, "joint"), "name", link.joint.name);
    XMLElement& actuator = add(xml, "actuator");
    set(actuator, "name", link.joint.name + "_motor");
    set(add(actuator, "drake:rotor_inertia"), "value", rotor.inertia);
    set(add(actuator, "drake:gear_ratio"), "value", rotor.gear_ratio);
  }

  void state_the_rest() {
    ledger_.written({Feature::dof_order, Feature::frame});
    ledger_.lost({Feature::armature, Feature::rotor_inertia, Feature::gear_ratio},
                 "<drake:rotor_inertia> is for rigid joints with one degree of freedom");
    ledger_.lost({Feature::allowed_nonphysical},
                 "a robot file has none; without --strict, impossible inertias are warnings");
    ledger_.lost({Feature::shapes_left_out}, "the reader has not read them");
    ledger_.lost({Feature::collision_group, Feature::mu, Feature::restitution, Feature::torsional,
                  Feature::rolling, Feature::surface_stiffness, Feature::surface_damping,
                  Feature::collision_pair},
                 "URDF has no materials of contact");
    ledger_.lost({Feature::spring, Feature::stop, Feature::elasticity, Feature::stiffness_matrix},
                 "URDF has none");
    ledger_.lost(
        {Feature::motors, Feature::amplifier, Feature::motor_friction, Feature::rotor_body,
         Feature::clamp, Feature::stall_torque, Feature::transmission, Feature::transmission_law},
        "URDF has no motors");
  }

  const RobotDescription& robot_;
  const Target& target_;
  Ledger ledger_;
  tinyxml2::XMLDocument xml_;
  Written out_;
  std::unordered_map<std::string, std::string> materials_;  // rgba -> name
  std::unordered_map<std::string, int> taken_;              // names of joints
  std::vector<std::pair<const LinkDescription*, Rotor>> rotors_;
};

}  // namespace

Written write_urdf(const RobotDescription& robot, const Target& target) {
  Notes notes;
  RobotDescription out = with_plain_placements(robot, notes);
  out = with_split_joints(out, JointKind::cylindrical, Effect::nothing, notes);
  out = with_split_joints(out, JointKind::spherical, Effect::structure, notes);
  out = with_joint_links(
      out, [](const LinkDescription&) { return true; }, notes);
  out = with_frame_links(out, notes);
  out = with_root_link(out, notes);
  return UrdfWriter(out, target, std::move(notes)).run();
}

}  // namespace torsor::exporting
