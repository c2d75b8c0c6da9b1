#include "torsor/formats/export/mjcf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

// Shapes that are drawn are in group 2, and those that collide are in group 3, which is not drawn.
constexpr const char *drawn_group = "2", *collision_group = "3";

void set_quaternion(XMLElement& element, const Mat3<double>& R) {
  const Quaternion q = normalised(quaternion(R));
  std::string text;
  for (const double x : {q.w, q.x, q.y, q.z}) text += (text.empty() ? "" : " ") + rounded(x, 2e-16);
  set(element, "quat", text);
}

class MjcfWriter {
 public:
  MjcfWriter(const RobotDescription& robot, const Target& target, Notes notes)
      : robot_(robot), target_(target), ledger_(robot, std::move(notes)) {}

  Written run() {
    root_ = &add(xml_, "mujoco");
    set(*root_, "model", robot_.name);
    add_comment(xml_, target_.origin);
    XMLElement& compiler = add(*root_, "compiler");
    set(compiler, "angle", std::string("radian"));
    set(compiler, "inertiafromgeom", std::string("false"));
    set(compiler, "fusestatic", std::string("false"));
    if (robot_.gravity_W) {
      set(add(*root_, "option"), "gravity", numbers(*robot_.gravity_W, " "));
      ledger_.written({Feature::gravity});
    }
    out_.files.push_back({target_.file.filename(), ""});
    assets_ = &add(*root_, "asset");
    world_ = &add(*root_, "worldbody");
    for (const LinkDescription* link : depth_first(robot_)) write_body(*link);
    for (const FrameDescription& frame : robot_.frames) write_site(frame);
    write_excludes();
    add_equalities(*root_, *world_, bodies_, robot_, ledger_);
    write_motors();
    compare_order();
    state_the_rest();
    if (assets_->NoChildren()) root_->DeleteChild(assets_);
    out_.files.front().text = text_of(xml_);
    out_.losses = ledger_.losses();
    return std::move(out_);
  }

 private:
  void write_body(const LinkDescription& link) {
    XMLElement& parent = link.parent.empty() ? *world_ : *bodies_.at(link.parent);
    XMLElement& body = add(parent, "body");
    bodies_.emplace(link.name, &body);
    set(body, "name", link.name);
    set_mjcf_pose(body, std::get<ScrewPlacement>(link.joint.placement).X_PL);
    write_inertia(body, link);
    write_joint(body, link);
    for (size_t k = 0; k < link.visuals.size(); ++k) write_visual(body, link, k);
    for (size_t k = 0; k < link.collisions.size(); ++k) write_collision(body, link, k);
  }

  void write_inertia(XMLElement& body, const LinkDescription& link) {
    check_inertia(link, ledger_);
    const auto [mass, com, I, error] = about_com(link.inertia);
    const bool none = mass == 0 && is_zero({I.xx, I.yy, I.zz}) && is_zero({I.xy, I.xz, I.yz});
    note_what_mujoco_rejects(link);
    if (none) return;
    XMLElement& inertial = add(body, "inertial");
    set(inertial, "pos", rounded(com, " "));
    set(inertial, "mass", mass);
    set_moments(inertial, I, error);
  }

  // Writes the moments about the principal axes, and these axes: MuJoCo computes the axes of
  // `fullinertia` with an error of 1e-6 rad.
  static void set_moments(XMLElement& inertial, const Sym3<double>& I, double error) {
    if (is_zero({I.xy, I.xz, I.yz})) {
      std::string text;
      for (const double x : {I.xx, I.yy, I.zz})
        text += (text.empty() ? "" : " ") + rounded(x, error);
      set(inertial, "diaginertia", text);
      return;
    }
    auto [moments, axes] = principal_inertia({0, {0, 0, 0}, I});
    const Vec3<double> z = cross(Vec3<double>{axes(0, 0), axes(1, 0), axes(2, 0)},
                                 Vec3<double>{axes(0, 1), axes(1, 1), axes(2, 1)});
    for (const auto& [row, x] : {std::pair{0, z.x}, {1, z.y}, {2, z.z}}) axes(row, 2) = x;
    set(inertial, "diaginertia", numbers({moments[0], moments[1], moments[2]}, " "));
    set_quaternion(inertial, axes);
  }

  // Notes what the format has, and MuJoCo itself rejects.
  void note_what_mujoco_rejects(const LinkDescription& link) {
    const Sym3<double> I = about_com(link.inertia).I;
    const bool positive = I.xx > 0 && I.yy > 0 && I.zz > 0, massless = link.inertia.m == 0;
    if (link.joint.kind != JointKind::fixed && massless)
      ledger_.note("moving link without mass", link_subject(link),
                   "written, but MuJoCo rejects it unless links that are fixed to it have mass");
    if (!massless && !positive)
      ledger_.note("mass without inertia", link_subject(link), "written, but MuJoCo rejects it");
    else if (physical_defect(link.inertia))
      ledger_.note("inertia that no rigid body has", link_subject(link),
                   "written, but MuJoCo rejects it without balanceinertia");
    if (link.joint.lower == link.joint.upper)
      ledger_.note("equal position limits", joint_subject(link),
                   "written, but MuJoCo rejects them");
  }

  void write_joint(XMLElement& body, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const std::string subject = joint_subject(link);
    if (joint.kind == JointKind::fixed) {
      ledger_.lost(Feature::fixed_joint_name, subject, "MJCF has no fixed joints");
      return;
    }
    const JointTraits& kind = torsor::traits(joint.kind);
    if (kind.n_v == 6) return write_free_joint(body, link);
    const auto& screw = std::get<ScrewPlacement>(joint.placement);
    XMLElement& xml = add(body, "joint");
    set(xml, "name", joint.name);
    const bool slides = kind.n_v == 1 && !kind.dofs[0].turns();
    const bool ball = !kind.axis;
    set(xml, "type", std::string(ball ? "ball" : slides ? "slide" : "hinge"));
    if (!is_zero(screw.point)) set(xml, "pos", rounded(screw.point, " "));
    if (!ball) set(xml, "axis", rounded(screw.axis, " "));
    if (ball) ledger_.written(Feature::spherical, subject);
    ledger_.changed(Feature::helical, subject,
                    "written as a joint that only turns: MJCF has no helical joints",
                    Effect::structure);
    write_forces(xml, link);
  }

  void write_free_joint(XMLElement& body, const LinkDescription& link) {
    const std::string subject = joint_subject(link);
    if (link.parent.empty()) {
      set(add(body, "freejoint"), "name", link.joint.name);
      if (is_identity(std::get<ScrewPlacement>(link.joint.placement).X_PL))
        ledger_.written(Feature::floating, subject);
      else
        ledger_.changed(Feature::floating, subject,
                        "written as a free joint, whose q is its pose in the world",
                        Effect::nothing);
    } else {
      ledger_.lost(Feature::floating, subject, "MJCF has free joints at the base only");
    }
    for (size_t k = 0; k < 6; ++k)
      ledger_.lost(Feature::damping, dof_subject(link, k), "it would slow the fall");
  }

  // The values of a joint with several dof must be equal.
  double value_of(const LinkDescription& link, const char* what, Effect effect,
                  const std::vector<double>& values) {
    if (std::ranges::any_of(values, [&](double x) { return x != values[0]; }))
      ledger_.note(what, joint_subject(link),
                   fmt::format("written as {} for all degrees of freedom", number(values[0])),
                   effect);
    return values[0];
  }

  void write_forces(XMLElement& xml, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    const size_t n = size_t(torsor::traits(joint.kind).n_v);
    std::vector<double> damping, coulomb, armature;
    for (size_t k = 0; k < n; ++k) {
      const LinearFriction friction = linear_friction(link, k, ledger_);
      damping.push_back(friction.damping);
      coulomb.push_back(friction.coulomb);
      armature.push_back(total_armature(link, k, ledger_));
    }
    for (const auto& [name, what, effect, values] :
         {std::tuple{"damping", "damping", Effect::forces, &damping},
          {"frictionloss", "Coulomb friction", Effect::forces, &coulomb},
          {"armature", "armature", Effect::structure, &armature}})
      if (const double value = value_of(link, what, effect, *values); value != 0)
        set(xml, name, value);
    if (n != 1) return;
    if (!joint.drives.empty() && joint.drives[0].spring.stiffness != 0) {
      set(xml, "stiffness", joint.drives[0].spring.stiffness);
      if (joint.drives[0].spring.rest != 0) set(xml, "springref", joint.drives[0].spring.rest);
    }
    ledger_.written(Feature::spring, joint_subject(link));
    write_range(xml, link);
  }

  void write_range(XMLElement& xml, const LinkDescription& link) {
    const JointDescription& joint = link.joint;
    if (joint.lower == -HUGE_VAL && joint.upper == HUGE_VAL) return;
    constexpr double unlimited = 1e9;
    const auto bound = [&](const char* name, double value) {
      if (!std::isinf(value)) return value;
      ledger_.note(fmt::format("missing {} limit", name), joint_subject(link),
                   fmt::format("written as {}: MJCF requires a number",
                               number(std::copysign(unlimited, value))),
                   Effect::nothing);
      return std::copysign(unlimited, value);
    };
    set(xml, "limited", std::string("true"));
    set(xml, "range",
        number(bound("lower", joint.lower)) + " " + number(bound("upper", joint.upper)));
    ledger_.written(Feature::position_limits, joint_subject(link));
  }

  XMLElement& add_geom(XMLElement& body, const Pose<double>& X, bool collides) {
    XMLElement& geom = add(body, "geom");
    set_mjcf_pose(geom, X);
    set(geom, "group", std::string(collides ? collision_group : drawn_group));
    if (collides) return geom;
    set(geom, "contype", std::string("0"));
    set(geom, "conaffinity", std::string("0"));
    return geom;
  }

  void write_visual(XMLElement& body, const LinkDescription& link, size_t index) {
    const VisualDescription& visual = link.visuals[index];
    const std::string subject = visual_subject(link, index);
    if (std::holds_alternative<Cone>(visual.shape)) {
      ledger_.lost(Feature::visual, subject, "MJCF has no cones");
      ledger_.lost(Feature::color, subject, "its shape is not written");
      return;
    }
    XMLElement& geom = add_geom(body, visual.X_LV, false);
    if (const auto* mesh = std::get_if<MeshFile>(&visual.shape))
      write_mesh(geom, *mesh, link);
    else
      write_shape(geom, collision_shape(visual.shape));
    if (visual.color) {
      const Color& c = *visual.color;
      set(geom, "rgba",
          fmt::format("{} {} {} {}", number(c.r), number(c.g), number(c.b), number(c.a)));
    }
    ledger_.written(Feature::visual, subject);
    ledger_.written(Feature::color, subject);
  }

  void write_mesh(XMLElement& geom, const MeshFile& mesh, const LinkDescription& link) {
    const std::string file = mesh_name(mesh, target_.file.parent_path());
    const std::string scale = numbers(mesh.scale, " ");
    const auto [place, is_new] =
        meshes_.emplace(file + " " + scale, fmt::format("mesh_{}", meshes_.size() + 1));
    set(geom, "type", std::string("mesh"));
    set(geom, "mesh", place->second);
    if (!is_new) return;
    XMLElement& asset = add(*assets_, "mesh");
    set(asset, "name", place->second);
    set(asset, "file", file);
    set(asset, "scale", scale);
    if (file.find("://") != std::string::npos || file.ends_with(".dae") || file.ends_with(".DAE"))
      ledger_.note("mesh file", fmt::format("'{}' of link '{}'", file, link.name),
                   "written, but MuJoCo itself reads neither URLs nor .dae files");
  }

  // Returns whether MJCF has the shape.
  bool write_shape(XMLElement& geom, const CollisionShape& shape) {
    const Vec3<double>& s = shape.size;
    const auto write = [&](const char* type, const std::string& size) {
      set(geom, "type", std::string(type));
      set(geom, "size", size);
      return true;
    };
    switch (shape.kind) {
      case ShapeKind::half_space:
        return write("plane", "0 0 1");
      case ShapeKind::sphere:
        return write("sphere", number(s.x));
      case ShapeKind::box:
        return write("box", numbers(s, " "));
      case ShapeKind::capsule:
        return write("capsule", number(s.x) + " " + number(s.z));
      case ShapeKind::cylinder:
        return write("cylinder", number(s.x) + " " + number(s.z));
      case ShapeKind::ellipsoid:
        return write("ellipsoid", numbers(s, " "));
      default:
        return false;
    }
  }

  void write_hull(XMLElement& geom, const ConvexHull& hull) {
    const std::string name = fmt::format("hull_{}", ++n_hulls_);
    XMLElement& asset = add(*assets_, "mesh");
    set(asset, "name", name);
    std::string vertices;
    for (const Vec3<double>& v : hull.vertices)
      vertices += (vertices.empty() ? "" : " ") + numbers(v, " ");
    set(asset, "vertex", vertices);
    set(geom, "type", std::string("mesh"));
    set(geom, "mesh", name);
  }

  void write_collision(XMLElement& body, const LinkDescription& link, size_t index) {
    const CollisionDescription& collision = link.collisions[index];
    const std::string subject = collision_subject(link, index);
    const ContactMaterial& m = collision.material;
    XMLElement& geom = add_geom(body, collision.X_LC, true);
    if (collision.shape.hull) {
      write_hull(geom, *collision.shape.hull);
    } else if (!write_shape(geom, collision.shape)) {
      body.DeleteChild(&geom);
      ledger_.lost(Feature::collision, subject, "MJCF has no such shape");
      return;
    }
    if (!collision.name.empty()) set(geom, "name", collision.name);
    set(geom, "friction", number(m.mu) + " " + number(m.torsional) + " " + number(m.rolling));
    if (m.torsional > 0 || m.rolling > 0)
      set(geom, "condim", std::string(m.rolling > 0 ? "6" : "4"));
    ledger_.written(Feature::collision, subject);
    ledger_.written(Feature::collision_name, subject);
    const char* const how =
        "written, but MuJoCo combines two surfaces by the maximum, not by the geometric mean";
    ledger_.changed(Feature::mu, subject, how, Effect::contact);
    ledger_.written(Feature::torsional, subject);
    ledger_.written(Feature::rolling, subject);
  }

  void write_site(const FrameDescription& frame) {
    XMLElement& site = add(*bodies_.at(frame.link), "site");
    set(site, "name", frame.name);
    set_mjcf_pose(site, frame.X_LF);
    ledger_.written(Feature::frame, fmt::format("'{}'", frame.name));
  }

  void write_excludes() {
    XMLElement* contact = nullptr;
    for (const CollisionPairDescription& pair : robot_.collision_pairs) {
      const std::string subject = fmt::format("'{}' and '{}'", pair.names[0], pair.names[1]);
      const bool links = bodies_.contains(pair.names[0]) && bodies_.contains(pair.names[1]);
      const bool material = pair.mu || pair.restitution || pair.torsional || pair.rolling ||
                            pair.stiffness || pair.damping;
      if (!links || pair.collide != false) {
        ledger_.lost(Feature::collision_pair, subject,
                     "only links that do not collide are written");
        continue;
      }
      if (!contact) contact = &add(*root_, "contact");
      XMLElement& exclude = add(*contact, "exclude");
      set(exclude, "body1", pair.names[0]);
      set(exclude, "body2", pair.names[1]);
      if (material)
        ledger_.changed(Feature::collision_pair, subject, "written without its material",
                        Effect::nothing);
      else
        ledger_.written(Feature::collision_pair, subject);
    }
  }

  // Adds a motor for each dof that is not passive. A joint without one is passive.
  void write_motors() {
    bool any = false;
    XMLElement* section = nullptr;
    for (const LinkDescription& link : robot_.links) {
      const JointTraits& kind = torsor::traits(link.joint.kind);
      for (size_t k = 0; k < size_t(kind.n_v); ++k) {
        if (is_passive(link, k) && kind.n_v == 1)
          ledger_.lost(Feature::effort_limit, joint_subject(link),
                       "in MJCF, motors have the limits, and this joint has none");
        if (is_passive(link, k) || (kind.n_v == 6 && !link.parent.empty())) continue;
        if (!section) section = &add(*root_, "actuator");
        write_motor(*section, link, k);
        any = true;
      }
    }
    if (any) {
      ledger_.written({Feature::motors, Feature::effort_limit});
      return;
    }
    ledger_.lost({Feature::effort_limit}, "in MJCF, motors have the limits, and there are none");
    const char* outcome =
        "written as a file without actuators, which Torsor reads as driven joints";
    ledger_.changed_all(Feature::motors, outcome, Effect::forces);
    for (const LinkDescription& link : robot_.links)
      if (const size_t n = size_t(torsor::traits(link.joint.kind).n_v);
          n > 1 && n < 6 && link.joint.drives.empty())
        ledger_.note("motor or its absence (passive)", joint_subject(link), outcome,
                     Effect::forces);
  }

  void write_motor(XMLElement& section, const LinkDescription& link, size_t dof) {
    const JointDescription& joint = link.joint;
    const JointTraits& kind = torsor::traits(joint.kind);
    XMLElement& motor = add(section, "motor");
    set(motor, "name",
        kind.n_v == 1 ? joint.name : fmt::format("{}.{}", joint.name, kind.dofs[dof].name));
    set(motor, "joint", joint.name);
    if (kind.n_v > 1) {
      std::string gear;
      for (size_t k = 0; k < size_t(kind.n_v); ++k) {
        // The first three gears of a free joint are those of its linear dof.
        const size_t at = kind.n_v == 6 ? (k + 3) % 6 : k;
        gear += fmt::format("{}{}", k == 0 ? "" : " ", at == dof ? 1 : 0);
      }
      set(motor, "gear", gear);
    }
    if (kind.n_v > 1 || std::isinf(joint.effort_limit)) return;
    set(motor, "forcelimited", std::string("true"));
    set(motor, "forcerange", number(-joint.effort_limit) + " " + number(joint.effort_limit));
  }

  void compare_order() {
    std::vector<std::string> order;
    for (const LinkDescription* link : depth_first(robot_))
      if (link->joint.kind != JointKind::fixed) order.push_back(link->joint.name);
    if (order != dof_order(robot_))
      ledger_.note("order of the joints", robot_subject(robot_),
                   "written as that of the bodies, depth first");
    ledger_.written({Feature::dof_order});
  }

  void state_the_rest() {
    ledger_.lost({Feature::velocity_limit}, "MJCF has none");
    ledger_.lost({Feature::restitution, Feature::surface_stiffness, Feature::surface_damping},
                 "the compliance of MJCF (solref) has other parameters");
    ledger_.lost({Feature::actuator, Feature::named_state}, "only motors of joints are written");
    ledger_.lost({Feature::allowed_nonphysical}, "a robot file has none");
    ledger_.lost({Feature::shapes_left_out}, "the reader has not read them");
    ledger_.lost({Feature::collision_group}, "bits of contype and conaffinity are not written");
    ledger_.lost({Feature::stop}, "limits of MuJoCo are compliant, and have no restitution");
    ledger_.lost({Feature::elasticity, Feature::stiffness_matrix, Feature::rotor_inertia,
                  Feature::gear_ratio, Feature::motor_friction},
                 "MJCF has no elastic joints; the joint is rigid");
    ledger_.lost({Feature::transmission, Feature::transmission_law},
                 "MJCF has no matrix of a transmission; the inertia of its rotors is missing");
    ledger_.lost({Feature::amplifier, Feature::clamp, Feature::stall_torque}, "MJCF has none");
  }

  const RobotDescription& robot_;
  const Target& target_;
  Ledger ledger_;
  tinyxml2::XMLDocument xml_;
  XMLElement *root_ = nullptr, *assets_ = nullptr, *world_ = nullptr;
  std::unordered_map<std::string, XMLElement*> bodies_;
  std::unordered_map<std::string, std::string> meshes_;  // file and scale -> name
  int n_hulls_ = 0;
  Written out_;
};

// Throws Error if the bodies are nested more deeply than readers of XML allow: 100 elements, those
// around and in the bodies included.
void require_few_levels(const RobotDescription& robot) {
  constexpr int most = 95;
  std::unordered_map<std::string, const LinkDescription*> links;
  for (const LinkDescription& link : robot.links) links.emplace(link.name, &link);
  for (const LinkDescription& link : robot.links) {
    int levels = 1;
    for (const LinkDescription* at = &link; !at->parent.empty() && levels <= most; ++levels)
      at = links.at(at->parent);
    if (levels > most)
      throw Error(
          fmt::format("robot '{}' has more than {} links in a row, which MJCF nests; readers of "
                      "XML allow 100 nested elements, so use another format",
                      robot.name, most));
  }
}

}  // namespace

void set_mjcf_pose(XMLElement& element, const Pose<double>& X) {
  if (!is_zero(X.p)) set(element, "pos", rounded(X.p, " "));
  if (!is_identity(X.R)) set_quaternion(element, X.R);
}

Written write_mjcf(const RobotDescription& robot, const Target& target) {
  Notes notes;
  RobotDescription out = with_plain_placements(robot, notes);
  out = with_renamed_links(
      out, [](const std::string& name) { return name == "world"; }, "the format reserves the name",
      notes);
  out = with_split_joints(out, JointKind::cylindrical, Effect::nothing, notes);
  out = with_split_joints(out, JointKind::planar, Effect::structure, notes);
  out = with_joint_links(
      out, [](const LinkDescription& link) { return torsor::traits(link.joint.kind).n_v == 6; },
      notes);
  require_few_levels(out);
  return MjcfWriter(out, target, std::move(notes)).run();
}

}  // namespace torsor::exporting
