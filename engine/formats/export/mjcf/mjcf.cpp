#include "torsor/formats/export/mjcf/mjcf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/export/mjcf/parts.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::exporting {

namespace {

using tinyxml2::XMLElement;

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
    XMLElement& assets = add(*root_, "asset");
    ShapeWriter shapes(assets, target_, ledger_);
    shapes_ = &shapes;
    world_ = &add(*root_, "worldbody");
    for (const LinkDescription* link : depth_first(robot_)) write_body(*link);
    for (const FrameDescription& frame : robot_.frames) write_site(frame);
    write_excludes();
    add_equalities(*root_, *world_, bodies_, robot_, ledger_);
    add_motors(*root_, bodies_, robot_, ledger_);
    compare_order();
    state_the_rest();
    if (assets.NoChildren()) root_->DeleteChild(&assets);
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
    set_mjcf_pose(body, body_pose(link));
    add_inertia(body, link, ledger_);
    add_joint(body, link, ledger_);
    shapes_->add(body, link);
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
  XMLElement *root_ = nullptr, *world_ = nullptr;
  ShapeWriter* shapes_ = nullptr;
  Bodies bodies_;
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
