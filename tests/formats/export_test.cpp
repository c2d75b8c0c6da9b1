// Tests that robots do not change when they are written in a format and read again, or that the
// report says how. Formats are rows of robot_targets(); those that this build cannot read are left
// out.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "formats/exported_robot.hpp"
#include "support/random_robot.hpp"
#include "support/reference.hpp"
#include "torsor/formats/export/names.hpp"
#include "torsor/formats/export/numbers.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/formats/export/sdf.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using exporting::Feature;

constexpr size_t every = std::numeric_limits<size_t>::max();

std::vector<const RobotTarget*> readable_targets() {
  std::vector<const RobotTarget*> out;
  for (const RobotTarget& target : robot_targets())
    if (is_readable(target)) out.push_back(&target);
  return out;
}

// Returns the robot with the names that it has in the file.
RobotDescription with_names_of_file(const RobotDescription& robot, const RobotDescription& read,
                                    const RobotTarget& target, const std::string& report) {
  exporting::Notes ignored;
  if (target.name == "sdf")
    return exporting::with_one_namespace(robot, exporting::sdf_name, "", ignored);
  const auto has_link = [&](const std::string& name) {
    return std::ranges::find(read.links, name, &LinkDescription::name) != read.links.end();
  };
  return exporting::with_renamed_links(
      robot,
      [&](const std::string& name) {
        return !has_link(name) && has_link(name + "_link") &&
               report.find("name of a link") != std::string::npos;
      },
      "", ignored);
}

// Returns the robot with the name of the floating joint that the reader of SDF gives it.
RobotDescription with_floating_base(RobotDescription robot) {
  for (LinkDescription& link : robot.links)
    if (link.joint.kind == JointKind::floating && link.parent.empty()) {
      std::ranges::replace(robot.dof_order, link.joint.name, std::string(floating_base_joint));
      link.joint.name = floating_base_joint;
    }
  return robot;
}

bool changes_more_than_rotors(const ExportedRobot& robot) {
  return std::ranges::any_of(robot.losses, [](const exporting::Loss& loss) {
    return loss.effect == exporting::Effect::structure && !is_about_rotors(loss.what);
  });
}

// Checks that a robot keeps its dynamics, poses and properties, as far as the report says. A robot
// whose mechanism the format cannot express needs only a report.
void expect_round_trip(const RobotDescription& exported, const RobotTarget& target) {
  SCOPED_TRACE(std::string(target.name) + ": " + exported.name);
  const ScratchFolder folder;
  const ExportedRobot out = write(exported, target, folder.path());
  const std::string report = out.report(every);
  RobotDescription read;
  ASSERT_NO_THROW(read = read_again(target, folder.path())) << out.files[0].text.substr(0, 3000);
  RobotDescription robot = with_names_of_file(exported, read, target, report);
  EXPECT_EQ(unsaid(robot, read, report), "") << report;
  // Files with these notes have other coordinates.
  for (const char* note : {" joints with massless links", "whose q is its pose in the world",
                           "limits of the joint of a closure: not written"})
    if (changes_more_than_rotors(out) || report.find(note) != std::string::npos) return;
  if (report.find("its name is not written") != std::string::npos)
    robot = with_floating_base(std::move(robot));
  EXPECT_LT(difference_of_dynamics(robot, read, report), 1e-12) << report;
}

class ExportRobot : public testing::TestWithParam<std::string> {};

TEST_P(ExportRobot, IsKept) {
  for (const RobotTarget* target : readable_targets())
    expect_round_trip(read_robot_file(robot_file(GetParam())), *target);
}

std::vector<std::string> robots_of_less_than_100_links() {
  std::vector<std::string> out = all_robots();
  std::erase(out, "chain100");  // the check would take a minute
  return out;
}

INSTANTIATE_TEST_SUITE_P(Robots, ExportRobot, testing::ValuesIn(robots_of_less_than_100_links()),
                         [](const auto& robot) { return robot.param; });

TEST(Export, KeepsRobotsWithAFloatingBase) {
  for (const RobotTarget* target : readable_targets())
    expect_round_trip(read_robot_file(robot_file("humanoid36"), {.floating_base = true}), *target);
}

TEST(Export, KeepsTheRobotsInLua) {
  const fs::path folder = fs::path(TORSOR_SOURCE_DIR) / "scripts/robots";
  size_t n = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".lua") continue;
    const RobotDescription robot = load_robot(file.path());
    for (const RobotTarget* target : readable_targets()) expect_round_trip(robot, *target);
    ++n;
  }
  EXPECT_GE(n, 7u);
}

// Checks the robots of all scenes: closed loops, elastic joints, friction laws, transmissions.
TEST(Export, KeepsTheRobotsOfTheScenes) {
  size_t n = 0;
  for (const auto& file : fs::directory_iterator(fs::path(TORSOR_SOURCE_DIR) / "scenes")) {
    if (file.path().extension() != ".lua") continue;
    std::vector<RobotDescription> robots;
    try {
      robots = load_robots(file.path());
    } catch (const Error&) {
      continue;  // the scene needs plugins
    }
    for (const RobotDescription& robot : robots)
      for (const RobotTarget* target : readable_targets()) {
        SCOPED_TRACE(file.path().filename().string());
        expect_round_trip(robot, *target);
      }
    n += robots.size();
  }
  EXPECT_GE(n, 20u);
}

TEST(Export, KeepsRandomRobots) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const RobotDescription robot =
        random_robot(8, seed % 2 ? TreeShape::tree : TreeShape::chain, seed, RandomKinds::every);
    for (const RobotTarget* target : readable_targets()) expect_round_trip(robot, *target);
  }
}

// A robot with one link of each interesting kind of joint.
RobotDescription simple_robot() {
  RobotDescription robot;
  robot.name = "simple";
  const JointKind kinds[] = {JointKind::revolute, JointKind::revolute, JointKind::prismatic};
  for (int k = 0; k < 3; ++k) {
    LinkDescription link;
    link.name = "l" + std::to_string(k + 1);
    if (k > 0) link.parent = "l" + std::to_string(k);
    link.joint.name = "j" + std::to_string(k + 1);
    link.joint.kind = kinds[k];
    link.joint.placement = ScrewPlacement{
        .X_PL = translation<double>({0.1 * k, 0.2, 0.3}) * rotation_x(0.4 + k), .axis = {0, 0, 1}};
    link.inertia = inertia_about_com(1 + k, {0.1, 0.02, 0.3}, {0.1, 0.12, 0.13, 0.01, 0, -0.02});
    robot.links.push_back(link);
  }
  return robot;
}

Motor motor(double rotor_inertia) {
  Motor out;
  out.rotor_inertia = rotor_inertia;
  return out;
}

struct FieldRow {
  const char* name;
  Feature feature;
  std::function<void(RobotDescription&)> set;
};
Drive& drive_of(RobotDescription& robot) {
  JointDescription& joint = robot.links[1].joint;
  if (joint.drives.empty()) joint.drives = {Drive{}};
  return joint.drives[0];
}
CollisionDescription& collision_of(RobotDescription& robot) {
  auto& list = robot.links[2].collisions;
  if (list.empty()) list.push_back({.shape = {ShapeKind::sphere, {0.1, 0, 0}}});
  return list[0];
}
void set_kind(RobotDescription& robot, JointKind kind) {
  JointDescription& joint = robot.links[2].joint;
  joint.kind = kind;
  joint.placement = ScrewPlacement{.X_PL = translation<double>({0.1, 0.2, 0.3})};
}
void set_base_spring(RobotDescription& robot, const PoseSpring& spring) {
  JointDescription& joint = robot.links[0].joint;
  joint.kind = JointKind::floating;
  joint.placement = ScrewPlacement{};
  joint.spring = spring;
}
ClosureDescription loop(ClosureKind kind) {
  ClosureDescription out;
  out.name = "loop";
  out.kind = kind;
  out.frames[0] = "l1";
  out.frames[1] = "l3";
  out.axes[0] = {0, 1, 0};
  out.origins[1] = translation<double>({0.1, 0, 0});
  return out;
}
void add_visual(RobotDescription& robot, const torsor::Shape& shape) {
  robot.links[1].visuals.push_back(
      {translation<double>({0.1, 0, 0}) * rotation_y(std::numbers::pi / 2), shape, std::nullopt});
}

const std::vector<FieldRow>& field_rows() {
  using F = Feature;
  using R = RobotDescription;
  static const std::vector<FieldRow> rows = {
      {"family", F::family, [](R& r) { r.family = "none"; }},
      {"nonphysical", F::allowed_nonphysical,
       [](R& r) {
         r.nonphysical = Nonphysical::allow;
         r.links[0].inertia.I.xx = 20;
       }},
      {"dof_order", F::dof_order,
       [](R& r) {
         r.dof_order = {"j3", "j1", "j2"};
       }},
      {"actuator", F::actuator,
       [](R& r) {
         r.actuators = {{.name = "servo", .joint = "j1", .kind = "position", .gear = {1}}};
       }},
      {"named_state", F::named_state,
       [](R& r) {
         r.states = {{.name = "home", .q = {1, 2, 3}, .v = {0, 0, 0}}};
       }},
      {"gravity", F::gravity,
       [](R& r) {
         r.gravity_W = {0, 0, -1.62};
       }},
      {"com_frames", F::placement_form, [](R& r) { r.com_frames = true; }},
      {"pair", F::collision_pair,
       [](R& r) {
         collision_of(r);
         r.collision_pairs = {{.names = {"l1", "l3"}, .collide = false, .mu = 0.3}};
       }},
      {"frame", F::frame,
       [](R& r) {
         r.frames = {{"tip", "l3", translation<double>({0.1, 0.2, 0.3}) * rotation_y(0.4), ""}};
       }},
      {"transmission", F::transmission,
       [](R& r) {
         r.transmissions = {
             {{"j1", "j2"}, {{0.1, 0.02}, {0, 0.1}}, {motor(1e-3), motor(2e-3)}, ""}};
       }},
      {"stiffness", F::stiffness_matrix,
       [](R& r) {
         for (size_t k : {0, 1}) {
           r.links[k].joint.drives = {Drive{}};
           r.links[k].joint.drives[0].motor.rotor_inertia = 0.01;
         }
         r.stiffnesses = {{{"j1", "j2"}, {{10, 1}, {1, 20}}, {0.1, 0.2}, ""}};
       }},
      {"closure", F::closure, [](R& r) { r.closures = {loop(ClosureKind::point_on_plane)}; }},
      {"closure_joint", F::closure_joint,
       [](R& r) {
         r.closures = {loop(ClosureKind::revolute)};
         JointDescription& joint = r.closures[0].joint.emplace();
         joint.kind = JointKind::revolute;
         joint.damping = 0.3;
         joint.drives = {Drive{.spring = {3, 0}, .passive = true}};
       }},
      {"grouped", F::grouped, [](R& r) { r.links[0].grouped = true; }},
      {"box", F::visual,
       [](R& r) {
         add_visual(r, Box{{0.1, 0.2, 0.3}});
       }},
      {"cone", F::visual,
       [](R& r) {
         add_visual(r, Cone{0.1, 0.2});
       }},
      {"ellipsoid", F::visual,
       [](R& r) {
         add_visual(r, Ellipsoid{{0.1, 0.2, 0.3}});
       }},
      {"capsule", F::visual,
       [](R& r) {
         add_visual(r, Capsule{0.1, 0.2});
       }},
      {"mesh", F::visual,
       [](R& r) {
         add_visual(r, MeshFile{"mesh.stl", {1, 2, 3}, "/folder/robot.urdf:3"});
       }},
      {"color", F::color,
       [](R& r) {
         add_visual(r, Sphere{0.1});
         r.links[1].visuals[0].color = Color{0.1, 0.2, 0.3, 0.4};
       }},
      {"shapes_left_out", F::shapes_left_out, [](R& r) { r.links[0].shapes_left_out = true; }},
      {"collision", F::collision, [](R& r) { collision_of(r).X_LC = rotation_x(0.3); }},
      {"half_space", F::collision,
       [](R& r) {
         collision_of(r).shape = {ShapeKind::half_space, {}};
       }},
      {"hull", F::collision,
       [](R& r) {
         const Vec3<double> points[] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.2, 0}, {0, 0, 0.3}};
         collision_of(r).shape = convex_shape(points);
       }},
      {"height_field", F::collision,
       [](R& r) {
         collision_of(r).shape = {
             ShapeKind::height_field,
             {},
             nullptr,
             std::make_shared<HeightField>(HeightField{2, 3, 0.5, 0.25, {0, 1, 2, 3, 4, 5}})};
       }},
      {"collision_name", F::collision_name, [](R& r) { collision_of(r).name = "foot"; }},
      {"collision_group", F::collision_group, [](R& r) { collision_of(r).group = "feet"; }},
      {"mu", F::mu, [](R& r) { collision_of(r).material.mu = 0.3; }},
      {"restitution", F::restitution, [](R& r) { collision_of(r).material.restitution = 0.3; }},
      {"torsional", F::torsional, [](R& r) { collision_of(r).material.torsional = 0.01; }},
      {"rolling", F::rolling, [](R& r) { collision_of(r).material.rolling = 0.01; }},
      {"surface_stiffness", F::surface_stiffness,
       [](R& r) { collision_of(r).material.stiffness = 1e4; }},
      {"surface_damping", F::surface_damping,
       [](R& r) {
         collision_of(r).material.stiffness = 1e4;
         collision_of(r).material.damping = 10;
       }},
      {"fixed_joint_name", F::fixed_joint_name,
       [](R& r) {
         set_kind(r, JointKind::fixed);
         r.links[2].joint.name = "glue";
       }},
      {"dh", F::placement_form,
       [](R& r) {
         r.links[1].joint.placement = StandardDh{0.1, 0.2, 0.3, 0.4};
       }},
      {"at_home", F::placement_form,
       [](R& r) {
         r.links[1].joint.placement = ScrewPlacement{.X_PL = rotation_x(0.3),
                                                     .axis = {0, 0.6, 0.8},
                                                     .point = {0.1, 0.2, 0},
                                                     .at_home = true};
       }},
      {"point", F::placement_form,
       [](R& r) {
         r.links[1].joint.placement =
             ScrewPlacement{.axis = {0, 0.6, 0.8}, .point = {0.1, 0.2, 0}, .at_home = true};
       }},
      {"helical", F::helical,
       [](R& r) {
         set_kind(r, JointKind::helical);
         r.links[2].joint.pitch = 0.1;
       }},
      {"universal", F::universal,
       [](R& r) {
         r.links[1].joint.second_axis = {1, 0, 0};
         r.links[1].joint.damping = PerDof({0.1, 0.2});
       }},
      {"cylindrical", F::cylindrical,
       [](R& r) {
         set_kind(r, JointKind::cylindrical);
         r.links[2].joint.damping = PerDof({0.1, 0.2});
       }},
      {"planar", F::planar,
       [](R& r) {
         set_kind(r, JointKind::planar);
         r.links[2].joint.damping = 0.2;
       }},
      {"spherical", F::spherical, [](R& r) { set_kind(r, JointKind::spherical); }},
      {"floating", F::floating,
       [](R& r) {
         set_kind(r, JointKind::floating);
         r.links[2].joint.damping = 0.2;
       }},
      {"armature", F::armature, [](R& r) { r.links[1].joint.armature = 0.2; }},
      {"damping", F::damping, [](R& r) { r.links[1].joint.damping = 0.2; }},
      {"lower", F::position_limits, [](R& r) { r.links[1].joint.lower = -0.2; }},
      {"slide", F::position_limits, [](R& r) { r.links[2].joint.upper = 0.2; }},
      {"velocity", F::velocity_limit, [](R& r) { r.links[1].joint.velocity_limit = 2; }},
      {"effort", F::effort_limit, [](R& r) { r.links[1].joint.effort_limit = 2; }},
      {"mimic", F::mimic,
       [](R& r) {
         r.links[1].joint.mimic = Mimic{"j1", 2, 0.1};
       }},
      {"passive", F::motors, [](R& r) { drive_of(r).passive = true; }},
      {"coulomb", F::coulomb,
       [](R& r) {
         drive_of(r).friction = {
             .law = Friction::Law::coulomb, .viscous = 0.2, .coulomb = 0.1, .breakaway = 0.1};
       }},
      {"viscous", F::viscous,
       [](R& r) {
         r.links[1].joint.damping = 0.5;
         drive_of(r).friction = {.law = Friction::Law::coulomb, .viscous = 0.2};
       }},
      {"breakaway", F::breakaway,
       [](R& r) {
         drive_of(r).friction = {.law = Friction::Law::coulomb, .coulomb = 0.1, .breakaway = 0.3};
       }},
      {"stribeck", F::friction_law,
       [](R& r) {
         drive_of(r).friction = {
             .law = Friction::Law::stribeck, .coulomb = 0.1, .breakaway = 0.3, .decay = 2};
       }},
      {"piecewise", F::friction_law,
       [](R& r) {
         drive_of(r).friction = {
             .law = Friction::Law::piecewise_linear, .coulomb = 0.1, .transition = 0.01};
       }},
      {"lugre", F::friction_law,
       [](R& r) {
         drive_of(r).friction = {.law = Friction::Law::lugre,
                                 .coulomb = 0.1,
                                 .breakaway = 0.3,
                                 .decay = 2,
                                 .bristle_stiffness = 100,
                                 .bristle_damping = 1};
       }},
      {"elasticity", F::elasticity,
       [](R& r) {
         drive_of(r).elasticity = Elasticity{100, 2, 0.1};
         drive_of(r).motor.rotor_inertia = 0.01;
       }},
      {"rotor_inertia", F::rotor_inertia, [](R& r) { drive_of(r).motor.rotor_inertia = 0.01; }},
      {"gear_ratio", F::gear_ratio,
       [](R& r) {
         drive_of(r).motor.rotor_inertia = 0.01;
         drive_of(r).motor.gear_ratio = -50;
       }},
      {"motor_friction", F::motor_friction,
       [](R& r) {
         drive_of(r).motor.friction = {
             .law = Friction::Law::coulomb, .coulomb = 0.1, .breakaway = 0.1};
       }},
      {"amplifier", F::amplifier,
       [](R& r) {
         drive_of(r).motor.torque_constant = 0.1;
         drive_of(r).motor.max_current = 3;
       }},
      {"rotor_body", F::rotor_body,
       [](R& r) {
         drive_of(r).motor.rotor_inertia = 0.01;
         drive_of(r).motor.body = true;
       }},
      {"clamp", F::clamp,
       [](R& r) {
         r.links[1].joint.effort_limit = 3;
         drive_of(r).motor.clamp = true;
       }},
      {"stall_torque", F::stall_torque,
       [](R& r) {
         r.links[1].joint.velocity_limit = 3;
         drive_of(r).motor.stall_torque = 7;
       }},
      {"spring", F::spring,
       [](R& r) {
         drive_of(r).spring = {3, 0.1};
       }},
      {"ball_spring", F::spring,
       [](R& r) {
         set_kind(r, JointKind::spherical);
         r.links[2].joint.spring = PoseSpring{.angular = 3};
       }},
      {"ball_spring_at_rest", F::spring,
       [](R& r) {
         set_kind(r, JointKind::spherical);
         r.links[2].joint.spring = PoseSpring{.angular = 3, .rest = {0.8, 0, 0, 0.6}};
       }},
      {"inner_floating_spring", F::spring,
       [](R& r) {
         set_kind(r, JointKind::floating);
         r.links[2].joint.spring = PoseSpring{3, 3, {}};
       }},
      {"floating_spring", F::spring,
       [](R& r) {
         set_base_spring(r, PoseSpring{3, 3, {0.1, 0.2, 0.3, 0.8, 0, 0.6, 0}});
       }},
      {"floating_spring_of_two_stiffnesses", F::spring,
       [](R& r) {
         set_base_spring(r, PoseSpring{3, 7, {}});
       }},
      {"floating_spring_without_force", F::spring,
       [](R& r) {
         set_base_spring(r, PoseSpring{3, 0, {}});
       }},
      {"stop", F::stop,
       [](R& r) {
         r.links[1].joint.lower = -1;
         r.links[1].joint.upper = 1;
         drive_of(r).stop = Stop{0.5};
       }},
  };
  return rows;
}

TEST(Export, KeepsOrReportsEachFieldOfADescription) {
  for (const FieldRow& row : field_rows()) {
    SCOPED_TRACE(row.name);
    RobotDescription robot = simple_robot();
    row.set(robot);
    for (const RobotTarget* target : readable_targets()) expect_round_trip(robot, *target);
  }
}

// Every feature has a row above that makes it an entry of the inventory. Two exceptions cannot be
// set by a user.
TEST(Export, EachFeatureHasARow) {
  for (const exporting::FeatureTraits& each : exporting::all_features()) {
    if (each.feature == Feature::elastic_drive || each.feature == Feature::transmission_law)
      continue;
    bool found = false;
    for (const FieldRow& row : field_rows()) {
      if (row.feature != each.feature) continue;
      RobotDescription robot = simple_robot();
      row.set(robot);
      for (const exporting::Item& item : exporting::inventory(robot))
        found = found || item.feature == each.feature;
    }
    EXPECT_TRUE(found) << each.name;
  }
}

// An entry of the inventory that a writer does not mention is in the report.
TEST(Export, WhatAWriterForgetsIsReported) {
  RobotDescription robot = simple_robot();
  drive_of(robot).spring = {3, 0.1};
  const exporting::Ledger ledger(robot);
  EXPECT_EQ(exporting::report_of(ledger.losses(), 8),
            "changes the forces: spring: not written: the format cannot express it (joint 'j2' "
            "3)\n");
}

TEST(Export, TheSameRobotGivesTheSameBytes) {
  const RobotDescription robot = random_robot(8, TreeShape::tree, 3, RandomKinds::every);
  for (const RobotTarget& target : robot_targets()) {
    const ScratchFolder a, b;
    EXPECT_EQ(write(robot, target, a.path()).files[0].text,
              write(robot, target, b.path()).files[0].text);
  }
}

TEST(Export, NamesWithSpecialCharacters) {
  RobotDescription robot = simple_robot();
  robot.links[0].name = robot.links[1].parent = "<a & \"b\"> 'c' --]] \\n é";
  robot.links[1].joint.name = "j \\\" ]] -->";
  for (const RobotTarget* target : readable_targets()) expect_round_trip(robot, *target);
}

TEST(Export, RejectsLongChainsInMjcf) {
  RobotDescription robot;
  robot.name = "long";
  for (int k = 0; k < 96; ++k) {
    LinkDescription link = simple_robot().links[0];
    link.name = "l" + std::to_string(k);
    if (k > 0) link.parent = "l" + std::to_string(k - 1);
    link.joint.name = "j" + std::to_string(k);
    robot.links.push_back(std::move(link));
  }
  const RobotTarget& mjcf = *robot_target("mjcf");
  const ScratchFolder folder;
  EXPECT_THAT([&] { write(robot, mjcf, folder.path()); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("more than 95 links in a row")));
  robot.links.pop_back();
  write(robot, mjcf, folder.path());
  EXPECT_EQ(build(read_again(mjcf, folder.path()))->n_v, 95);
}

TEST(Export, ThousandsOfLinks) {
  RobotDescription robot;
  robot.name = "long";
  for (int k = 0; k < 2'500; ++k) {
    LinkDescription link = simple_robot().links[0];
    link.name = "l" + std::to_string(k);
    // Branches of 40 links, because readers of XML limit the depth of elements.
    if (k % 40 > 0) link.parent = "l" + std::to_string(k - 1);
    link.joint.name = "j" + std::to_string(k);
    robot.links.push_back(std::move(link));
  }
  for (const RobotTarget* target : readable_targets()) {
    const ScratchFolder folder;
    write(robot, *target, folder.path());
    EXPECT_EQ(build(read_again(*target, folder.path()))->n_v, 2'500) << target->name;
  }
}

// Checks the angles at and near the singular pitch, where roll and yaw are not unique.
TEST(RollPitchYaw, KeepsEveryRotation) {
  Random random(5);
  const double half = std::numbers::pi / 2;
  for (const double pitch : {0.0, 0.3, half, -half, half - 1e-4, half - 1e-7, half - 1e-8,
                             half - 1e-9, -half + 1e-10, half - 1e-12, half + 1e-8, 3.0})
    for (int sample = 0; sample < 200; ++sample) {
      const Mat3<double> R = (rotation_z(random.uniform(-4, 4)) * rotation_y(pitch) *
                              rotation_x(sample % 3 == 0 ? 0 : random.uniform(-4, 4)))
                                 .R;
      const Vec3<double> a = exporting::roll_pitch_yaw(R);
      const Mat3<double> S = (rotation_z(a.z) * rotation_y(a.y) * rotation_x(a.x)).R;
      for (int k = 0; k < 9; ++k) ASSERT_NEAR(R.m[k], S.m[k], 2e-15) << pitch;
    }
}

TEST(Rounded, RemovesRoundingErrorsOnly) {
  using exporting::rounded;
  EXPECT_EQ(rounded(0.1 + 0.2, 4e-16), "0.3");
  EXPECT_EQ(rounded(1e-17, 4e-16), "0");
  EXPECT_EQ(rounded(-0.0, 0), "0");
  EXPECT_EQ(rounded(1.0 / 3, 1e-17), exporting::number(1.0 / 3));
  Random random(6);
  for (int k = 0; k < 1000; ++k) {
    const double x = random.uniform(-3, 3);
    EXPECT_EQ(std::stod(rounded(x, 0)), x);
    EXPECT_NEAR(std::stod(rounded(x, 1e-15)), x, 1e-15);
  }
}

}  // namespace
}  // namespace torsor::test
