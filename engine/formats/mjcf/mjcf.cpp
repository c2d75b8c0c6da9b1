#include "torsor/formats/mjcf/mjcf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/mjcf/option.hpp"
#include "torsor/formats/mjcf/references/actuators.hpp"
#include "torsor/formats/mjcf/references/contacts.hpp"
#include "torsor/formats/mjcf/references/equality.hpp"
#include "torsor/formats/mjcf/references/sensors.hpp"
#include "torsor/formats/mjcf/shapes/body_inertia.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

using namespace mjcf;

std::string robot_name(const Files& files, const RobotFileOptions& options) {
  if (!options.name.empty()) return options.name;
  const char* model = files.root().Attribute("model");
  if (model && *model && is_plain_text(model)) return model;
  return std::filesystem::path(files.document_of(files.root()).name()).stem().string();
}

// Connects the root link to the world by a floating joint. Does nothing if the only root already
// has one.
void float_root(const Files& files, const RobotFileOptions& options, const Tree& tree,
                RobotDescription& robot) {
  std::vector<LinkDescription*> roots;
  for (LinkDescription& link : robot.links)
    if (link.parent.empty() && link.name != tree.world_link) roots.push_back(&link);
  const auto floats = [&](const TreeJoint& joint) {
    return joint.type == JointType::free && robot.links[joint.link].name == roots[0]->name;
  };
  if (roots.size() == 1 && std::ranges::any_of(tree.joints, floats)) return;
  if (roots.size() != 1 || roots[0]->joint.kind != JointKind::fixed)
    throw Error(
        fmt::format("{}: a floating base needs one body in <worldbody>, which has no joints; add a "
                    "<freejoint/> "
                    "to the body that floats",
                    files.place(files.root())));
  JointDescription& joint = roots[0]->joint;
  joint.name = floating_base_joint;
  for (int k = 2; tree.joint_index.contains(joint.name); ++k)
    joint.name = fmt::format("{}_{}", floating_base_joint, k);
  joint.kind = JointKind::floating;
  const Pose<double> X = std::get<ScrewPlacement>(joint.placement).X_PL;
  const Quaternion r = quaternion(X.R);
  joint.placement = ScrewPlacement{};
  joint.drives.assign(6, Drive{.passive = !options.base_motors});
  robot.added_joint = joint.name;
  robot.dof_order.insert(robot.dof_order.begin(), joint.name);
  for (NamedState& state : robot.states) {
    state.q.insert(state.q.begin(), {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z});
    state.v.insert(state.v.begin(), 6, 0.0);
  }
}

}  // namespace

RobotDescription read_mjcf(const std::filesystem::path& file, const RobotFileOptions& options) {
  Files files(file, options);
  RobotDescription robot;
  robot.name = robot_name(files, options);
  robot.nonphysical = options.strict ? Nonphysical::reject : Nonphysical::warn;
  robot.com_frames = options.com_frames;
  const Compilers compilers(files);
  const Flags flags = read_flags(files, options.collisions);
  const Classes classes(files);
  Meshes meshes(files, classes, compilers, options.meshes);
  GeomContext geoms{files, classes, compilers, meshes, read_materials(files, classes)};
  Tree tree = read_tree(files, geoms, flags, options, robot);
  if (robot.links.empty())
    throw Error(fmt::format("{}: the file has no <body>; add one to <worldbody>",
                            files.place(files.root())));
  if (const double mass = compilers.main().total_mass; mass > 0) scale_masses(robot, mass);
  read_equality(files, flags, tree, robot);
  read_contacts(files, classes, flags, options, tree, robot);
  const Actuators actuators = read_actuators({files, classes, compilers, flags}, tree, robot);
  read_keyframes(files, tree, actuators, robot);
  check_sensors(files, tree);
  if (options.floating_base) float_root(files, options, tree, robot);
  read_gravity(files, robot);
  files.report(robot);
  return robot;
}

}  // namespace torsor
