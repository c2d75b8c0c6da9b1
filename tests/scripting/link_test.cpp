// Tests of arm:link, arm:frame, torsor.robot and torsor.urdf. They must give the same descriptions
// as C++ code that calls the builder.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scripting/script_file.hpp"
#include "support/tetrahedron.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr double pi = std::numbers::pi;

RobotDescription robot_of(const std::string& calls, const std::string& options = "name = 'r'") {
  return load_robot_text("local torsor = require 'torsor' local arm = torsor.robot{ " + options +
                         " } " + calls + "\nreturn arm");
}
// Returns the statement arm:link with the given entries, for a link named 'L'.
std::string link(const std::string& entries) {
  return "arm:link{ name = 'L', " + entries + " }";
}
const std::string joint = "joint = { 'revolute', name = 'j', axis = {0, 0, 1} }, ";
LinkDescription one(const std::string& entries) {
  return robot_of(link(entries)).links.at(0);
}
void expect_vector(const Vec3<double>& a, double x, double y, double z) {
  EXPECT_EQ(a.x, x);
  EXPECT_EQ(a.y, y);
  EXPECT_EQ(a.z, z);
}

TEST(Link, JointIsReadCompletely) {
  const LinkDescription L =
      one("joint = { 'helical', name = 'j', axis = {0, 1, 0}, point = {1, 2, 3}, pitch = 0.01, "
          "armature = 0.2, damping = 0.3, limits = { lower = -1, upper = 2, velocity = 3, effort = "
          "4 } }, massless = true, origin = { xyz = {4, 5, 6} }");
  EXPECT_EQ(L.joint.kind, JointKind::helical);
  EXPECT_EQ(L.joint.name, "j");
  EXPECT_EQ(L.joint.pitch, 0.01);
  EXPECT_EQ(L.joint.armature, 0.2);
  EXPECT_EQ(L.joint.damping, 0.3);
  EXPECT_EQ(L.joint.lower, -1);
  EXPECT_EQ(L.joint.upper, 2);
  EXPECT_EQ(L.joint.velocity_limit, 3);
  EXPECT_EQ(L.joint.effort_limit, 4);
  const auto& screw = std::get<ScrewPlacement>(L.joint.placement);
  expect_vector(screw.axis, 0, 1, 0);
  expect_vector(screw.point, 1, 2, 3);
  expect_vector(screw.X_PL.p, 4, 5, 6);
  EXPECT_FALSE(screw.at_home);
  EXPECT_EQ(L.parent, "");
  EXPECT_THAT(L.source, HasSubstr("scene.lua:1"));
}

TEST(Link, EveryKindIsReadByItsName) {
  for (const std::string& kind : joint_kind_names()) {
    const JointTraits& row = traits(*joint_kind(kind));
    const std::string joint_table = "joint = { '" + kind + "', name = 'j'" +
                                    (row.axis ? ", axis = {0, 1, 0}" : "") +
                                    (row.user_pitch ? ", pitch = 1" : "") + " }, massless = true";
    EXPECT_EQ(one(joint_table).joint.kind, *joint_kind(kind)) << kind;
  }
}

TEST(Link, ArmatureAndDampingMayBeListsByColumn) {
  const LinkDescription L = one(
      "joint = { 'spherical', name = 'j', armature = {1, 2, 3}, damping = 4, point = {1, 2, 3} }, "
      "massless = true");
  EXPECT_EQ(L.joint.armature, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(L.joint.damping, 4);
  expect_vector(std::get<ScrewPlacement>(L.joint.placement).point, 1, 2, 3);
}

TEST(Link, AUniversalJointHasTwoAxes) {
  const LinkDescription L =
      one("joint = { 'universal', name = 'j', axis = {1, 0, 0}, second_axis = {0, 1, 0} }, "
          "massless = true");
  EXPECT_EQ(L.joint.kind, JointKind::revolute);
  expect_vector(*L.joint.second_axis, 0, 1, 0);
}

TEST(Link, LimitsMayBeInfinite) {
  const LinkDescription L =
      one("joint = { 'revolute', name = 'j', axis = {0, 0, 1}, limits = { lower = -math.huge, "
          "upper = 1 } }, massless = true");
  EXPECT_EQ(L.joint.lower, -INFINITY);
  EXPECT_EQ(L.joint.upper, 1);
  EXPECT_EQ(L.joint.effort_limit, INFINITY);
}

TEST(Link, DhRowsKeepTheirConvention) {
  const auto standard =
      std::get<StandardDh>(one("joint = { 'revolute', name = 'j', standard_dh = { a = 1, "
                               "alpha_deg = 90, d = 2, theta = 3 } }, massless = true")
                               .joint.placement);
  EXPECT_EQ(standard.a, 1);
  EXPECT_DOUBLE_EQ(standard.alpha, pi / 2);
  EXPECT_EQ(standard.d, 2);
  EXPECT_EQ(standard.theta, 3);
  const auto modified =
      std::get<ModifiedDh>(one("joint = { 'prismatic', name = 'j', modified_dh = { alpha = 1, d = "
                               "2, theta_deg = 180, r = 4, gamma = 5, b = 6 } }, massless = true")
                               .joint.placement);
  EXPECT_EQ(modified.alpha, 1);
  EXPECT_EQ(modified.d, 2);
  EXPECT_DOUBLE_EQ(modified.theta, pi);
  EXPECT_EQ(modified.r, 4);
  EXPECT_EQ(modified.gamma, 5);
  EXPECT_EQ(modified.b, 6);
}

void expect_inertia(const SpatialInertia<double>& M, double m, const Vec3<double>& h,
                    const Sym3<double>& I) {
  EXPECT_DOUBLE_EQ(M.m, m);
  const double actual[] = {M.h.x, M.h.y, M.h.z, M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz};
  const double expected[] = {h.x, h.y, h.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  for (int k = 0; k < 9; ++k) EXPECT_DOUBLE_EQ(actual[k], expected[k]) << k;
}

// Checks all forms of the inertia of one body with m = 2, c = (0.1, 0.2, 0.3). Steiner's term m
// (c.c 1 - c c^T) is computed by hand.
TEST(Link, InertiaIsReadInEveryForm) {
  const std::string moments =
      "{ Ixx = 1.26, Iyy = 2.2, Izz = 2.1, Ixy = -0.03, Ixz = -0.04, Iyz = -0.09 }";
  const Vec3<double> h{0.2, 0.4, 0.6};
  const Sym3<double> I{1.26, 2.2, 2.1, -0.03, -0.04, -0.09};
  const auto inertia = [](const std::string& form) { return one(joint + "inertia = " + form); };
  expect_inertia(
      inertia("{ mass = 2, com = {0.1, 0.2, 0.3}, about_com = { Ixx = 1, Iyy = 2, Izz = 2, Ixy = "
              "0.01, Ixz = 0.02, Iyz = 0.03 } }")
          .inertia,
      2, h, I);
  expect_inertia(
      inertia("{ mass = 2, com = {0.1, 0.2, 0.3}, about_origin = " + moments + " }").inertia, 2, h,
      I);
  expect_inertia(
      inertia("{ mass = 2, first_moment = {0.2, 0.4, 0.6}, about_origin = " + moments + " }")
          .inertia,
      2, h, I);
  const LinkDescription grouped = inertia(
      "{ grouped = { mass = 2, first_moment = {0.2, 0.4, 0.6}, about_origin = " + moments + " } }");
  expect_inertia(grouped.inertia, 2, h, I);
  EXPECT_TRUE(grouped.grouped);
  EXPECT_FALSE(
      inertia("{ mass = 2, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }").grouped);
  expect_inertia(one(joint + "massless = true").inertia, 0, {0, 0, 0}, {0, 0, 0, 0, 0, 0});
}

// Two solids: a cylinder of radius 1 and length 3 at the origin, and a capsule, cone and ellipsoid.
TEST(Link, InertiaIsThatOfTheVisuals) {
  const auto M = one(joint +
                     "inertia = { density = 2 }, visuals = { { cylinder = { radius = 1, "
                     "length = 3 }, origin = { xyz = {0, 0, 5} } } }")
                     .inertia;
  const double m = 2 * pi * 3;
  EXPECT_NEAR(M.m, m, 1e-13);
  EXPECT_NEAR(M.h.z, 5 * m, 1e-12);
  EXPECT_NEAR(M.I.zz, m / 2, 1e-13);
  EXPECT_NEAR(M.I.xx, m * (3 * 1 + 9) / 12 + 25 * m, 1e-11);
  // The volumes are 4/3 pi + 2 pi, pi/3 and 8 pi, together 35/3 pi.
  const auto all =
      one(joint +
          "inertia = { mass = 35, from = 'visuals' }, visuals = { { capsule = { radius = 1, "
          "length = 2 } }, { cone = { radius = 1, length = 1 } }, { ellipsoid = {1, 2, 3}, "
          "origin = { xyz = {1, 0, 0} } } }")
          .inertia;
  EXPECT_NEAR(all.m, 35, 1e-13);
  EXPECT_NEAR(all.h.x, 35 * 8 / (35 / 3.0), 1e-12);
  EXPECT_NEAR(all.h.z, -35 * (1 / 3.0) / (35 / 3.0) / 4, 1e-12);
}

TEST(Link, InertiaIsThatOfAMesh) {
  const ScriptFolder folder;
  folder.write("own/t.stl", tetrahedron_stl);
  folder.write("others/t.stl", tetrahedron_stl);
  const auto file = [&](const std::string& mesh) {
    return folder.write("own/s.lua", "local arm = require('torsor').robot{ name = 'r' }\n" +
                                         link(joint +
                                              "inertia = { density = 6 }, visuals = { { "
                                              "mesh = '" +
                                              mesh + "' } }") +
                                         " return arm");
  };
  const auto M = Script().load_robot(file("t.stl")).links[0].inertia;
  EXPECT_NEAR(M.m, 6, 1e-6);  // its edges 1, 2 and 3 m are orthogonal
  EXPECT_NEAR(M.h.z, 6 * 3.0 / 4, 1e-6);
  try {
    (void)Script().load_robot(file("../others/t.stl"));
    ADD_FAILURE() << "a file of another folder was read";
  } catch (const PermissionNeeded& needed) {
    EXPECT_EQ(needed.request.file, std::filesystem::canonical(folder.path() / "others/t.stl"));
    EXPECT_THAT(needed.what(), HasSubstr("s.lua:2: arm:link: "));
  }
}

TEST(Link, VisualsAreReadInOrder) {
  const auto visuals = one(joint +
                           "massless = true, visuals = { { box = {1, 2, 3}, origin = { xyz = {4, "
                           "5, 6} }, color = {0.1, 0.2, 0.3} }, { cylinder = { radius = 7, length "
                           "= 8 }, color = {0, 0, 0, 0.5} }, { sphere = { radius = 9 } }, { mesh = "
                           "'a/b.stl', scale = 2 }, { mesh = 'c.dae', scale = {1, -2, 3} } }")
                           .visuals;
  ASSERT_EQ(visuals.size(), 5u);
  expect_vector(std::get<Box>(visuals[0].shape).size, 1, 2, 3);
  expect_vector(visuals[0].X_LV.p, 4, 5, 6);
  EXPECT_EQ(visuals[0].color->r, 0.1);
  EXPECT_EQ(visuals[0].color->g, 0.2);
  EXPECT_EQ(visuals[0].color->b, 0.3);
  EXPECT_EQ(visuals[0].color->a, 1);
  EXPECT_EQ(std::get<Cylinder>(visuals[1].shape).radius, 7);
  EXPECT_EQ(std::get<Cylinder>(visuals[1].shape).length, 8);
  expect_vector(visuals[1].X_LV.p, 0, 0, 0);
  EXPECT_EQ(visuals[1].color->a, 0.5);
  EXPECT_EQ(std::get<Sphere>(visuals[2].shape).radius, 9);
  EXPECT_FALSE(visuals[2].color);
  const auto &mesh = std::get<MeshFile>(visuals[3].shape),
             &other = std::get<MeshFile>(visuals[4].shape);
  EXPECT_EQ(mesh.file, "a/b.stl");
  EXPECT_THAT(mesh.source, testing::EndsWith("scene.lua:1"));
  expect_vector(mesh.scale, 2, 2, 2);
  expect_vector(other.scale, 1, -2, 3);
  EXPECT_TRUE(one(joint + "massless = true").visuals.empty());
  EXPECT_TRUE(one(joint + "massless = true, visuals = {}").visuals.empty());
}

// Compares all forms of a rotation with products of exponentials.
TEST(Pose, EveryRotationIsTheSame) {
  const auto rotation_of = [](const std::string& rotation) {
    return std::get<ScrewPlacement>(
               one(joint + "massless = true, origin = { " + rotation + " }").joint.placement)
        .X_PL.R;
  };
  const Mat3<double> R = exp_so3({0, 0, 0.3}) * exp_so3({0, -0.5, 0}) * exp_so3({0.7, 0, 0});
  std::string rows;
  for (int i = 0; i < 3; ++i) rows += fmt::format("{{{}, {}, {}}},", R(i, 0), R(i, 1), R(i, 2));
  const Quaternion q = quaternion(R);
  for (const std::string& text :
       {std::string("rpy = {0.7, -0.5, 0.3}"),
        fmt::format("rpy_deg = {{{}, {}, {}}}", 0.7 * 180 / pi, -0.5 * 180 / pi, 0.3 * 180 / pi),
        "rotation = {" + rows + "}",
        fmt::format("quaternion = {{{}, {}, {}, {}}}", q.w, q.x, q.y, q.z)}) {
    const Mat3<double> actual = rotation_of(text);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(actual.m[k], R.m[k], 4e-16) << text << " " << k;
  }
}

// Compares a robot given by screws in the home position (MR) with the same robot given link by
// link. The poses must agree at random q.
TEST(Home, EqualsTheRobotGivenLinkByLink) {
  const std::string inertia =
      ", inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } } ";
  const RobotDescription by_link = robot_of(
      "arm:link{ name = 'a', joint = { 'revolute', name = 'j1', axis = {0, 0, 1}, point = {0, 0, "
      "0.5} }, origin = { xyz = {1, 0, 0}, rpy = {0.4, 0, 0} }" +
      inertia +
      "arm:link{ name = 'b', parent = 'a', joint = { 'helical', name = 'j2', pitch = 0.2, axis = "
      "{1, 0, 0}, point = {0, 0.3, 0} }, origin = { xyz = {0, 2, 0}, rpy = {0, 0.3, 0} }" +
      inertia);
  const Pose<double> X_RA = Pose<double>{exp_so3({0.4, 0, 0}), {1, 0, 0}};
  const Pose<double> X_RB = X_RA * Pose<double>{exp_so3({0, 0.3, 0}), {0, 2, 0}};
  const auto home = [](const Pose<double>& X, const Vec3<double>& axis, const Vec3<double>& point) {
    const Vec3<double> e = X.R * axis, y = X * point;
    const Quaternion q = quaternion(X.R);
    return fmt::format(
        "axis = {{{}, {}, {}}}, point = {{{}, {}, {}}} }}, home = {{ xyz = {{{}, {}, {}}}, "
        "quaternion = {{{}, {}, {}, {}}} }}",
        e.x, e.y, e.z, y.x, y.y, y.z, X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z);
  };
  const RobotDescription at_home = robot_of(
      "arm:link{ name = 'a', joint = { 'revolute', name = 'j1', " +
      home(X_RA, {0, 0, 1}, {0, 0, 0.5}) + inertia +
      "arm:link{ name = 'b', parent = 'a', joint = { 'helical', name = 'j2', pitch = 0.2, " +
      home(X_RB, {1, 0, 0}, {0, 0.3, 0}) + inertia);
  State s(build(by_link)), t(build(at_home));
  const std::vector<double> q{0.7, -1.1};
  s.set_q(q);
  t.set_q(q);
  for (const char* name : {"a", "b"}) {
    const Pose<double> X = frame_pose(s, s.model().frames[size_t(s.model().frame(name))]);
    const Pose<double> Y = frame_pose(t, t.model().frames[size_t(t.model().frame(name))]);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(X.R.m[k], Y.R.m[k], 1e-14);
    EXPECT_NEAR(norm(X.p - Y.p), 0, 1e-14);
  }
}

TEST(Robot, OptionsReachTheDescription) {
  const RobotDescription
      plain = robot_of(""),
      special = robot_of(
          "", "name = 's', allow_nonphysical = true, com_frames = true, family = 'planar_n_link'");
  EXPECT_EQ(plain.nonphysical, Nonphysical::reject);
  EXPECT_FALSE(plain.com_frames);
  EXPECT_EQ(special.name, "s");
  EXPECT_EQ(special.nonphysical, Nonphysical::allow);
  EXPECT_TRUE(special.com_frames);
  EXPECT_EQ(special.family, "planar_n_link");
}

constexpr const char* urdf_text =
    "<robot name='two'><link name='base'/><link name='far'><inertial><mass value='1'/><inertia "
    "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='last' "
    "type='revolute'><parent link='near'/><child link='far'/><axis xyz='0 0 1'/><limit lower='-1' "
    "upper='1' effort='1' velocity='1'/></joint><link name='near'><inertial><mass "
    "value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint "
    "name='first' type='revolute'><parent link='base'/><child link='near'/><axis xyz='0 0 "
    "1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";

TEST(Urdf, IsFoundNextToTheSceneAndCanBeExtended) {
  const ScriptFolder folder;
  folder.write("robots/two.urdf", urdf_text);
  const auto file =
      folder.write("scene.lua",
                   "local torsor = require 'torsor' local r = torsor.urdf('robots/two.urdf', { "
                   "name = 'mine', com_frames = true }) r:link{ name = 'tool', parent = 'far', "
                   "joint = { 'prismatic', name = 'slide', axis = {1, 0, 0} }, inertia = { mass = "
                   "1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } } return r");
  const RobotDescription robot = load_robot(file);
  EXPECT_EQ(robot.name, "mine");
  EXPECT_TRUE(robot.com_frames);
  const auto model = build(robot);
  ASSERT_EQ(model->joints.size(), 3u);
  EXPECT_EQ(model->joints[0].name, "last");
  EXPECT_EQ(model->joints[1].name, "first");
  EXPECT_EQ(model->joints[2].name, "slide");
}

// Checks that the scene can name a robot whose file has no name. Then there is no warning.
TEST(Urdf, ANameInTheSceneReplacesAMissingOne) {
  const ScriptFolder folder;
  folder.write("a.urdf", "<robot><link name='a'/></robot>");
  const auto loaded = [&](const std::string& options) {
    return load_robot(folder.write(
        "scene.lua",
        "local torsor = require 'torsor' return torsor.urdf('a.urdf', " + options + ")"));
  };
  EXPECT_EQ(loaded("{ name = 'mine' }").name, "mine");
  EXPECT_THAT(loaded("{ name = 'mine', strict = true }").warnings, testing::IsEmpty());
  EXPECT_THAT(loaded("{}").warnings, testing::SizeIs(1));
}

}  // namespace
}  // namespace torsor::test
