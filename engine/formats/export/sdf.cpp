#include "torsor/formats/export/sdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "torsor/base/text.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

class SdfWriter {
 public:
  SdfWriter(const ClosedRobot& closed, const Target& target, Notes notes)
      : closed_(closed), target_(target), ledger_(closed.robot, std::move(notes)) {}

  Written run() {
    XMLElement& sdf = add(xml_, "sdf");
    set(sdf, "version", std::string("1.11"));
    set(sdf, "xmlns:drake", std::string("http://drake.mit.edu"));
    set(sdf, "xmlns:torsor", std::string("urn:torsor"));
    add_comment(xml_, target_.origin);
    out_.files.push_back({target_.file.filename(), ""});
    model_ = &add(sdf, "model");
    set(*model_, "name", robot_.name);
    for (const LinkDescription& link : robot_.links) write_link(link);
    std::unordered_map<std::string, const LinkDescription*> moving;
    for (const LinkDescription& link : robot_.links)
      if (link.joint.kind != JointKind::fixed) moving.emplace(link.joint.name, &link);
    for (const std::string& name : dof_order(robot_)) write_joint(*moving.at(name));
    for (const LinkDescription& link : robot_.links)
      if (link.joint.kind == JointKind::fixed) write_joint(link);
    write_sdf_loops(*model_, closed_, ledger_);
    for (const FrameDescription& frame : robot_.frames) {
      XMLElement& xml = add(*model_, "frame");
      set(xml, "name", frame.name);
      set(xml, "attached_to", frame.link);
      add_sdf_pose(xml, frame.X_LF);
    }
    state_the_rest();
    out_.files.front().text = text_of(xml_);
    out_.losses = ledger_.losses();
    return std::move(out_);
  }

 private:
  void write_link(const LinkDescription& link) {
    XMLElement& xml = add(*model_, "link");
    set(xml, "name", link.name);
    add_sdf_pose(xml, std::get<ScrewPlacement>(link.joint.placement).X_PL, link.parent);
    if (torsor::traits(link.joint.kind).n_v == 6) write_position(xml, link.joint);
    check_inertia(link, ledger_);
    const auto [mass, com, I, error] = about_com(link.inertia);
    // A missing mass or inertia would be 1.
    XMLElement& inertial = add(xml, "inertial");
    add_sdf_pose(inertial, translation(com));
    add_child_number(inertial, "mass", mass);
    XMLElement& inertia = add(inertial, "inertia");
    for (const auto& [name, value] : {std::pair{"ixx", I.xx},
                                      {"ixy", I.xy},
                                      {"ixz", I.xz},
                                      {"iyy", I.yy},
                                      {"iyz", I.yz},
                                      {"izz", I.zz}})
      add_child_text(inertia, name, rounded(value, error));
    // Without self_collide, no two links of a model collide.
    if (std::ranges::any_of(link.collisions,
                            [](const CollisionDescription& each) { return each.group.empty(); }))
      add_child_text(xml, "self_collide", "true");
    for (size_t k = 0; k < link.visuals.size(); ++k) write_visual(xml, link, k);
    for (size_t k = 0; k < link.collisions.size(); ++k) write_collision(xml, link, k);
  }

  void write_visual(XMLElement& link_xml, const LinkDescription& link, size_t index) {
    const VisualDescription& visual = link.visuals[index];
    const std::string subject = visual_subject(link, index);
    XMLElement& xml = add(link_xml, "visual");
    set(xml, "name", fmt::format("visual_{}", index + 1));
    add_sdf_pose(xml, visual.X_LV);
    XMLElement& geometry = add(xml, "geometry");
    if (const auto* mesh = std::get_if<MeshFile>(&visual.shape))
      write_mesh(geometry, mesh_name(*mesh, target_.file.parent_path()), mesh->scale);
    else
      write_shape(geometry, collision_shape(visual.shape));
    ledger_.written(Feature::visual, subject);
    ledger_.written(Feature::color, subject);
    if (!visual.color) return;
    const Color& c = *visual.color;
    const std::string rgba =
        fmt::format("{} {} {} {}", number(c.r), number(c.g), number(c.b), number(c.a));
    XMLElement& material = add(xml, "material");
    add_child_text(material, "ambient", rgba);
    add_child_text(material, "diffuse", rgba);
  }

  static void write_mesh(XMLElement& geometry, const std::string& uri, const Vec3<double>& s) {
    XMLElement& mesh = add(geometry, "mesh");
    add_child_text(mesh, "uri", uri);
    if (s.x != 1 || s.y != 1 || s.z != 1) add_child_text(mesh, "scale", numbers(s, " "));
  }

  static void write_round(XMLElement& geometry, const char* name, const Vec3<double>& s) {
    XMLElement& xml = add(geometry, name);
    add_child_number(xml, "radius", s.x);
    if (s.z > 0) add_child_number(xml, "length", 2 * s.z);
  }

  // Returns whether SDF has the shape.
  bool write_shape(XMLElement& geometry, const CollisionShape& shape) {
    const Vec3<double>& s = shape.size;
    switch (shape.kind) {
      case ShapeKind::half_space:
        add_child_text(add(geometry, "plane"), "normal", "0 0 1");
        return true;
      case ShapeKind::sphere:
        write_round(geometry, "sphere", {s.x, 0, 0});
        return true;
      case ShapeKind::box:
        add_child_text(add(geometry, "box"), "size", numbers(2.0 * s, " "));
        return true;
      case ShapeKind::capsule:
        write_round(geometry, "capsule", s);
        return true;
      case ShapeKind::cylinder:
        write_round(geometry, "cylinder", s);
        return true;
      case ShapeKind::cone:
        write_round(geometry, "cone", s);
        return true;
      case ShapeKind::ellipsoid:
        add_child_text(add(geometry, "ellipsoid"), "radii", numbers(s, " "));
        return true;
      default:
        return false;
    }
  }

  void write_collision(XMLElement& link_xml, const LinkDescription& link, size_t index) {
    const CollisionDescription& collision = link.collisions[index];
    const std::string subject = collision_subject(link, index);
    XMLElement& xml = add(link_xml, "collision");
    set(xml, "name", fmt::format("collision_{}", index + 1));
    ledger_.lost(Feature::collision_name, subject,
                 "names of SDF collisions belong to their link, and Torsor does not read them");
    add_sdf_pose(xml, collision.X_LC);
    XMLElement& geometry = add(xml, "geometry");
    if (collision.shape.hull) {
      write_mesh(geometry, add_hull(*collision.shape.hull, link.name, target_, out_.files),
                 {1, 1, 1});
    } else if (!write_shape(geometry, collision.shape)) {
      link_xml.DeleteChild(&xml);
      ledger_.lost(Feature::collision, subject, "SDF has no such shape");
      return;
    }
    ledger_.written(Feature::collision, subject);
    const ContactMaterial& m = collision.material;
    XMLElement& surface = add(xml, "surface");
    XMLElement& ode = add(add(surface, "friction"), "ode");
    add_child_number(ode, "mu", m.mu);
    add_child_number(ode, "mu2", m.mu);
    if (m.restitution != 0)
      add_child_number(add(surface, "bounce"), "restitution_coefficient", m.restitution);
    ledger_.written(Feature::mu, subject);
    ledger_.written(Feature::restitution, subject);
  }

  std::string type_of(const LinkDescription& link) {
    static constexpr std::pair<JointKind, const char*> types[] = {
        {JointKind::fixed, "fixed"},
        {JointKind::revolute, "revolute"},
        {JointKind::prismatic, "prismatic"},
        {JointKind::helical, "screw"},
        {JointKind::spherical, "ball"}};
    ledger_.written(Feature::helical, joint_subject(link));
    ledger_.written(Feature::spherical, joint_subject(link));
    const std::string type =
        std::ranges::find(types, link.joint.kind, &std::pair<JointKind, const char*>::first)
            ->second;
    const bool free = link.joint.lower == -HUGE_VAL && link.joint.upper == HUGE_VAL;
    return type == "revolute" && free ? "continuous" : type;
  }

  // A link that floats has no joint.
  void state_floating(const LinkDescription& link) {
    const std::string subject = joint_subject(link);
    if (link.parent.empty())
      ledger_.changed(Feature::floating, subject,
                      "written as a model without a joint to the world; its name is not written",
                      Effect::nothing);
    else
      ledger_.lost(Feature::floating, subject, "SDF has links that float in the world only");
    for (size_t k = 0; k < 6; ++k)
      ledger_.lost(Feature::damping, dof_subject(link, k), "SDF has none for links that float");
    ledger_.lost(Feature::spring, subject, "SDF has none for links that float");
  }

  void write_joint(const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const JointTraits& kind = torsor::traits(joint.kind);
    if (kind.n_v == 6) return state_floating(link);
    const auto& screw = std::get<ScrewPlacement>(joint.placement);
    XMLElement& xml = add(*model_, "joint");
    std::string name = joint.name;
    if (name.empty()) {
      name = names_.unused(link.name + "_joint");
      ledger_.note("name of a fixed joint", fmt::format("'{}'", name),
                   "added: SDF joints need names");
    }
    ledger_.written(Feature::fixed_joint_name, joint_subject(link));
    set(xml, "name", name);
    set(xml, "type", type_of(link));
    add_sdf_pose(xml, translation(screw.point));
    add_child_text(xml, "parent", link.parent.empty() ? "world" : link.parent);
    add_child_text(xml, "child", link.name);
    if (kind.user_pitch)
      add_child_number(xml, "screw_thread_pitch", 2 * std::numbers::pi * joint.pitch);
    write_position(xml, joint);
    if (kind.n_v == 1) {
      write_axis(add(xml, "axis"), link);
      if (const Rotor rotor = drake_rotor(link, "SDF", ledger_); rotor.inertia != 0) {
        add_child_number(xml, "drake:rotor_inertia", rotor.inertia);
        add_child_number(xml, "drake:gear_ratio", rotor.gear_ratio);
      }
    }
    if (kind.has_quaternion())
      ledger_.lost(Feature::spring, joint_subject(link), "SDF has none for ball joints");
    for (size_t k = 0; kind.n_v == 3 && k < 3; ++k) {
      ledger_.lost(Feature::damping, dof_subject(link, k), "SDF has none for ball joints");
      if (!is_passive(link, k) && !ledger_.has(Feature::motors, dof_subject(link, k)))
        ledger_.note("motor or its absence", dof_subject(link, k),
                     "not written: ball joints of SDF are passive", Effect::forces);
    }
  }

  // Writes the coordinates of a joint at the poses of the file, if they are not neutral: in its
  // <joint>, or in the <link> that floats.
  void write_position(XMLElement& xml, const JointDescription& joint) {
    if (const auto at = closed_.positions.find(joint.name); at != closed_.positions.end())
      add_child_text(xml, "torsor:position", position_text(at->second));
  }

  void write_axis(XMLElement& xml, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const std::string subject = joint_subject(link);
    add_child_text(xml, "xyz", rounded(std::get<ScrewPlacement>(joint.placement).axis, " "));
    if (joint.mimic) {
      XMLElement& mimic = add(xml, "mimic");
      set(mimic, "joint", joint.mimic->joint);
      add_child_number(mimic, "multiplier", joint.mimic->ratio);
      add_child_number(mimic, "offset", joint.mimic->offset);
      add_child_number(mimic, "reference", 0);
      ledger_.written(Feature::mimic, subject);
    }
    XMLElement& limit = add(xml, "limit");
    if (joint.lower != -HUGE_VAL) add_child_number(limit, "lower", joint.lower);
    if (joint.upper != HUGE_VAL) add_child_number(limit, "upper", joint.upper);
    if (joint.effort_limit != HUGE_VAL) add_child_number(limit, "effort", joint.effort_limit);
    if (joint.velocity_limit != HUGE_VAL) add_child_number(limit, "velocity", joint.velocity_limit);
    if (limit.NoChildren()) xml.DeleteChild(&limit);
    ledger_.written(Feature::position_limits, subject);
    ledger_.written(Feature::velocity_limit, subject);
    ledger_.written(Feature::effort_limit, subject);
    const auto [damping, coulomb] = linear_friction(link, 0, ledger_);
    const Spring spring = joint.drives.empty() ? Spring{} : joint.drives[0].spring;
    ledger_.written(Feature::spring, subject);
    if (damping == 0 && coulomb == 0 && spring.stiffness == 0) return;
    XMLElement& dynamics = add(xml, "dynamics");
    add_child_number(dynamics, "damping", damping);
    add_child_number(dynamics, "friction", coulomb);
    add_child_number(dynamics, "spring_reference", spring.rest);
    add_child_number(dynamics, "spring_stiffness", spring.stiffness);
  }

  void state_the_rest() {
    ledger_.written({Feature::dof_order, Feature::frame});
    ledger_.lost({Feature::armature, Feature::rotor_inertia, Feature::gear_ratio},
                 "<drake:rotor_inertia> is for rigid joints with one degree of freedom");
    ledger_.lost({Feature::allowed_nonphysical}, "a robot file has none");
    ledger_.lost({Feature::gravity}, "it is that of a <world>, and the file has a model only");
    ledger_.lost({Feature::shapes_left_out}, "the reader has not read them");
    ledger_.lost({Feature::collision_group, Feature::torsional, Feature::rolling,
                  Feature::surface_stiffness, Feature::surface_damping, Feature::collision_pair},
                 "SDF has other parameters of contact");
    ledger_.lost({Feature::stop, Feature::elasticity, Feature::stiffness_matrix}, "SDF has none");
    ledger_.lost(
        {Feature::motors, Feature::amplifier, Feature::motor_friction, Feature::rotor_body,
         Feature::clamp, Feature::stall_torque, Feature::transmission, Feature::transmission_law},
        "SDF has no motors");
  }

  const ClosedRobot& closed_;
  const RobotDescription& robot_ = closed_.robot;
  const Target& target_;
  Ledger ledger_;
  tinyxml2::XMLDocument xml_;
  XMLElement* model_ = nullptr;
  NameSet names_{robot_};
  Written out_;
};

}  // namespace

std::string sdf_name(const std::string& name) {
  if (name == "world" || (name.size() > 3 && name.starts_with("__") && name.ends_with("__")))
    return "";
  return replaced(name, "::", "_");
}

XMLElement& add_child_text(XMLElement& parent, const char* name, const std::string& text) {
  XMLElement& out = add(parent, name);
  out.SetText(text.c_str());
  return out;
}
XMLElement& add_child_number(XMLElement& parent, const char* name, double value) {
  return add_child_text(parent, name, number(value));
}
void add_sdf_pose(XMLElement& parent, const Pose<double>& X, const std::string& frame) {
  if (is_identity(X) && frame.empty()) return;
  XMLElement& pose = add_child_text(parent, "pose", rounded(X.p, " ") + " " + angles(X.R, " "));
  if (!frame.empty()) set(pose, "relative_to", frame);
}

Written write_sdf(const RobotDescription& robot, const Target& target) {
  Notes notes;
  RobotDescription out = with_plain_placements(robot, notes);
  out = with_split_joints(out, JointKind::cylindrical, Effect::nothing, notes);
  out = with_split_joints(out, JointKind::planar, Effect::structure, notes);
  out = with_joint_links(
      out, [](const LinkDescription& link) { return torsor::traits(link.joint.kind).n_v == 6; },
      notes);
  out = with_mimics(out, notes);
  out = with_one_namespace(
      out, sdf_name,
      "SDF reserves world and __NAME__, separates names by ::, and has one set of names", notes);
  ClosedRobot closed = at_closed_loops(out, target, notes);
  closed.robot = with_loop_links(closed.robot, notes);
  return SdfWriter(closed, target, std::move(notes)).run();
}

}  // namespace torsor::exporting
