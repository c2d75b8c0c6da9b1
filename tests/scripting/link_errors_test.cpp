// Tests of the messages for rejected arguments of arm:link, arm:frame, arm:set, arm:apply,
// torsor.robot and torsor.urdf.

#include <fmt/ranges.h>

#include "scripting/script_file.hpp"
#include "torsor/model/joint.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

std::string link_error(const std::string& calls) {
  return robot_error("local torsor = require 'torsor' local arm = torsor.robot{ name = 'r' }\n" +
                     calls + "\nreturn arm");
}

struct Malformed {
  const char *calls, *message;
};
class MalformedRobot : public testing::TestWithParam<Malformed> {};
TEST_P(MalformedRobot, IsOneClearLine) {
  EXPECT_EQ(link_error(GetParam().calls), std::string("scene.lua:") + GetParam().message);
}

#define REVOLUTE "joint = { 'revolute', name = 'j', axis = {0, 0, 1} }"
#define BODY "inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }"
#define DH "standard_dh = { a = 0, alpha = 0, d = 0, theta = 0 }"
#define BALL "{ sphere = { radius = 1 } }"
constexpr Malformed malformed[] = {
    {"arm:link{ name = 'L2', mas = 1 }",
     "2: arm:link: unknown key 'mas'; use one of: name, parent, joint, origin, home, inertia, "
     "massless, visuals, collisions"},
    {"arm:link{ name = 'L2', massles = true }",
     "2: arm:link: unknown key 'massles\'; did you mean 'massless'?"},
    {"arm:link{ name = 'L2', colour = 1 }",
     "2: arm:link: unknown key 'colour'; use one of: name, parent, joint, origin, home, inertia, "
     "massless, visuals, collisions"},
    {"arm:link{ 'L2' }",
     "2: arm:link: unknown key [1]; use one of: name, parent, joint, origin, home, inertia, "
     "massless, visuals, collisions"},
    {"arm:link{}", "2: arm:link: name is missing"},
    {"arm:link()", "2: arm:link takes a table in braces, not nothing"},
    {"arm:link('x')", "2: arm:link takes a table in braces, not the string 'x'"},
    {"arm:link{ name = 3 }", "2: arm:link: name is 3; it must be a string"},
    {"arm:link{ name = 'L2' }", "2: link 'L2': joint is missing"},
    {"arm:link{ name = 'L2', joint = 'revolute' }",
     "2: link 'L2': joint is the string 'revolute'; it must be a table"},
    {"arm:link{ name = 'L2', joint = {} }",
     "2: link 'L2': joint[1] is missing; it must be a string"},
    {"arm:link{ name = 'L2', joint = { 'revolut' } }",
     "2: link 'L2': joint has the unknown kind 'revolut'; did you mean 'revolute'?"},
    {"arm:link{ name = 'L2', joint = { 'floating', name = 'j', axis = {0, 0, 1} } }",
     "2: link 'L2': joint is floating and has axis; it moves along the axes of the link"},
    {"arm:link{ name = 'L2', joint = { 'universal', name = 'j', axis = {0, 0, 1} } }",
     "2: link 'L2': joint.second_axis is missing"},
    {"arm:link{ name = 'L2', joint = { 'spherical', name = 'j', motors = true, passive = true } }",
     "2: link 'L2': joint has motors and passive; give one of them"},
    {"arm:link{ name = 'L2', joint = { 'planar', name = 'j', axis = {0, 0, 1}, motor = { "
     "rotor_inertia = 1 } } }",
     "2: link 'L2': joint is planar and has motor for 3 degrees of freedom; use drives = { {..}, "
     ".. }, a table for each"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 0, 1}, second_axis = {1, "
     "0, 0} } }",
     "2: link 'L2': joint is revolute and has second_axis, which only a universal joint has"},
    {"arm:link{ name = 'L2', joint = { 'planar', name = 'j', axis = {0, 0, 1}, damping = {1, 'x', "
     "2} } }",
     "2: link 'L2': joint.damping[2] is the string 'x'; it must be a number"},
    {"arm:link{ name = 'L2', joint = { 'revolute', 'x' } }",
     "2: link 'L2': unknown key [2] in joint; use one of: name, axis, second_axis, point, pitch, "
     "standard_dh, modified_dh, armature, damping, limits, mimic, drives, motors, friction, "
     "elastic, motor, spring, stop, passive"},
    {"arm:link{ name = 'L2', joint = { 'revolute', axes = {0, 0, 1} } }",
     "2: link 'L2': unknown key 'axes' in joint; did you mean 'axis'?"},
    {"arm:link{ name = 'L2', joint = { 'revolute', axis = {0, 0, 1} } }",
     "2: link 'L2': joint.name is missing"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j' } }",
     "2: link 'L2': joint.axis is missing"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 1} } }",
     "2: link 'L2': joint.axis has 2 entries; it must be a list of 3 numbers"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = 'z' } }",
     "2: link 'L2': joint.axis is the string 'z'; it must be a list of 3 numbers"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 'z', 1} } }",
     "2: link 'L2': joint.axis[2] is the string 'z'; it must be a number"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 0/0, 1} } }",
     "2: link 'L2': joint.axis[2] is NaN; it must be a finite number"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 0, math.huge} } }",
     "2: link 'L2': joint.axis[3] is inf; it must be a finite number"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {x = 0, y = 0, z = 1} } }",
     "2: link 'L2': joint.axis has gaps or named keys; it must be a list of 3 numbers"},
    {"arm:link{ name = 'L2', joint = { 'helical', name = 'j', axis = {0, 0, 1} } }",
     "2: link 'L2': joint.pitch is missing"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 0, 1}, pitch = 1 } }",
     "2: link 'L2': joint is revolute and has pitch, which only a helical joint has"},
    {"arm:link{ name = 'L2', joint = { 'fixed', axis = {0, 0, 1} } }",
     "2: link 'L2': joint is fixed and has axis; a fixed joint does not move"},
    {"arm:link{ name = 'L2', joint = { 'fixed', armature = 1 } }",
     "2: link 'L2': joint is fixed and has armature; a fixed joint does not move"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', " DH
     ", modified_dh = { alpha = 0, d = 0, theta = 0, r = 0 } } }",
     "2: link 'L2': joint has both standard_dh and modified_dh; give one of them"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', " DH ", axis = {0, 0, 1} } }",
     "2: link 'L2': joint has both standard_dh and axis; the DH row places the axis already"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', " DH ", point = {0, 0, 1} } }",
     "2: link 'L2': joint has both standard_dh and point; the DH row places the axis already"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', " DH " }, origin = {} }",
     "2: link 'L2': joint has standard_dh and the link has origin; the DH row places the link "
     "already"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', modified_dh = { alpha = 0, d = 0, "
     "theta = 0, r = 0 } }, home = {} }",
     "2: link 'L2': joint has modified_dh and the link has home; the DH row places the link "
     "already"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', standard_dh = { a = 0, alpha = 0, d "
     "= 0 } } }",
     "2: link 'L2': joint.standard_dh is incomplete; give one of theta, theta_deg"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', standard_dh = { a = 0, alpha = 0, "
     "alpha_deg = 0, d = 0, theta = 0 } } }",
     "2: link 'L2': joint.standard_dh has both alpha and alpha_deg; give only one of them"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', standard_dh = { a = 0, alpha = 0, r "
     "= 0, theta = 0 } } }",
     "2: link 'L2': unknown key 'r' in joint.standard_dh; use one of: a, alpha, alpha_deg, d, "
     "theta, theta_deg"},
    {"arm:link{ name = 'L2', joint = { 'revolute', name = 'j', axis = {0, 0, 1}, limits = { lower "
     "= 0/0 } } }",
     "2: link 'L2': joint.limits.lower is NaN; it must be a finite number"},
    {"arm:link{ name = 'L2', parent = '', " REVOLUTE ", " BODY " }",
     "2: link 'L2': has an empty parent; leave it out for a link at the base"},
    {"arm:link{ name = 'L2', " REVOLUTE " }",
     "2: link 'L2': is incomplete; give one of inertia, massless"},
    {"arm:link{ name = 'L2', " REVOLUTE ", massless = false }",
     "2: link 'L2': has massless = false and no inertia; give an inertia or massless = true"},
    {"arm:link{ name = 'L2', " REVOLUTE ", massless = 1 }",
     "2: link 'L2': massless is 1; it must be true or false"},
    {"arm:link{ name = 'L2', " REVOLUTE ", massless = true, " BODY " }",
     "2: link 'L2': has both inertia and massless; give only one of them"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", origin = {}, home = {} }",
     "2: link 'L2': has both origin and home; give only one of them"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { mass = 1 } }",
     "2: link 'L2': inertia is incomplete; give one of about_com, about_origin"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1 } } }",
     "2: link 'L2': inertia.about_com.Izz is missing"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { mass = 1, com = {0, 0, 0}, about_com = { "
     "Ixx = 1, Iyy = 1, Izz = 1, Ixy = 0 } } }",
     "2: link 'L2': inertia.about_com.Ixz is missing"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { mass = 1, com = {0, 0, 0}, about_com = { "
     "Ixx = 1, Iyy = 1, Izz = 1, Iyx = 0 } } }",
     "2: link 'L2': unknown key 'Iyx' in inertia.about_com; did you mean 'Ixx'?"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { mass = 0/0, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }",
     "2: link 'L2': inertia.mass is NaN; it must be a finite number"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { mass = 1, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }",
     "2: link 'L2': inertia.com is missing"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { mass = 1, com = {0, 0, 0}, first_moment = "
     "{0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }",
     "2: link 'L2': inertia has about_com and first_moment; give about_origin with first_moment"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { mass = 1, com = {0, 0, 0}, first_moment = {0, 0, 0}, about_origin = { Ixx = 1, "
     "Iyy = 1, Izz = 1 } } }",
     "2: link 'L2': inertia has both com and first_moment; give only one of them"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { mass = 1, grouped = {} } }",
     "2: link 'L2': inertia has grouped and mass; give nothing else with grouped"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { density = 1 } }",
     "2: link 'L2': inertia is that of the visuals, and the link has none; give it visuals"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { density = 0 }, visuals = { " BALL " } }",
     "2: link 'L2': inertia has density = 0; it must be positive"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { density = 1, mass = 1 }, visuals = { " BALL
     " } }",
     "2: link 'L2': inertia has both density and mass; give only one of them"},
    {"arm:link{ name = 'L2', " REVOLUTE ", inertia = { mass = 1, from = 'mesh' }, visuals = { " BALL
     " } }",
     "2: link 'L2': inertia has from = 'mesh'; the only value is 'visuals'"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { density = 1, com = {0, 0, 0} }, visuals = { " BALL " } }",
     "2: link 'L2': inertia has density and com; the visuals determine it already"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { density = 1 }, visuals = { { cone = { radius = 0, length = 1 } } } }",
     "2: link 'L2': inertia cannot be computed: the radius of the cone is 0 m; it must be positive "
     "and finite"},
    {"arm:link{ name = 'L2', " REVOLUTE
     ", inertia = { density = 1 }, visuals = { { mesh = 'https://a/b.stl' } } }",
     "2: link 'L2': inertia cannot be computed: mesh 'https://a/b.stl': it is a URL, not a file "
     "name; use a path"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", origin = { xyz = {0, 0} } }",
     "2: link 'L2': origin.xyz has 2 entries; it must be a list of 3 numbers"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", origin = { rpy = {0, 0, 0}, rpy_deg = {0, 0, 0} } }",
     "2: link 'L2': origin has more than one rotation; use only one of rpy, rpy_deg, rotation, "
     "quaternion"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", origin = { rotation = {{1, 0, 0}, {0, 1, 0}} } }",
     "2: link 'L2': origin.rotation does not have 3 rows; give 3 rows of 3 numbers"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", origin = { rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0}} } }",
     "2: link 'L2': origin.rotation[3] has 2 entries; it must be a list of 3 numbers"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", origin = { rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 2}} } }",
     "2: link 'L2': origin.rotation is not orthonormal (R^T R differs from the identity by 3); "
     "give a rotation matrix"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", origin = { rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}} } }",
     "2: link 'L2': origin.rotation is a reflection (determinant -1); give a rotation matrix"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", origin = { quaternion = {1, 1, 0, 0} } }",
     "2: link 'L2': origin.quaternion (w, x, y, z) has norm 1.4142135623730951; it must be 1"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = 1 }",
     "2: link 'L2': visuals is 1; it must be a list of tables"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { box = {1, 1, 1} } }",
     "2: link 'L2': visuals has gaps or named keys; it must be a list of tables"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { 'box' } }",
     "2: link 'L2': visuals[1] is the string 'box'; it must be a table"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { {} } }",
     "2: link 'L2': visuals[1] is incomplete; give one of box, cylinder, sphere, capsule, "
     "cone, ellipsoid, mesh"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { " BALL
     ", { spere = { radius = 1 } } } }",
     "2: link 'L2': unknown key 'spere' in visuals[2]; did you mean 'sphere'?"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = { { box = {1, 1, 1}, sphere = { radius = 1 } } } }",
     "2: link 'L2': visuals[1] has both box and sphere; give only one of them"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = { { box = {1, 1, 1}, scale = 2 } } }",
     "2: link 'L2': visuals[1] has scale and is a box; only a mesh has a scale"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { { box = {1, 1} } } }",
     "2: link 'L2': visuals[1].box has 2 entries; it must be a list of 3 numbers"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { { cylinder = { radius = 1 } } } }",
     "2: link 'L2': visuals[1].cylinder.length is missing"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = { { sphere = { radius = 1, lenght = 1 } } } }",
     "2: link 'L2': unknown key 'lenght' in visuals[1].sphere; use one of: radius"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { { sphere = 1 } } }",
     "2: link 'L2': visuals[1].sphere is 1; it must be a table"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = { { sphere = { radius = 1 }, color = {1, 0} } } }",
     "2: link 'L2': visuals[1].color has 2 entries; give {r, g, b} or {r, g, b, a}"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = { { sphere = { radius = 1 }, color = 'red' } } }",
     "2: link 'L2': visuals[1].color is the string 'red'; it must be a list of numbers"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = { { sphere = { radius = 1 }, origin = { xzy = {0, 0, 0} } } } }",
     "2: link 'L2': unknown key 'xzy' in visuals[1].origin; did you mean 'xyz'?"},
    {"arm:link(setmetatable({ name = 'L2' }, {}))",
     "2: arm:link: is a table with a metatable; use a plain table, such as { payload = p.payload "
     "}"},
    {"arm:set{ q = setmetatable({}, { __index = { 0 } }) }",
     "2: robot 'r': q is a table with a metatable; use a plain table, a list of numbers"},
    {"arm:set{ q = setmetatable({ j = 0 }, {}) }",
     "2: robot 'r': q is a table with a metatable; use a plain table, a table with names as keys"},
    {"arm:link{ name = 'L2', " REVOLUTE ", " BODY
     ", visuals = setmetatable({}, { __index = { {} } }) }",
     "2: link 'L2': visuals is a table with a metatable; use a plain table, a list of tables"},
    {"arm:set{ q = setmetatable({ 0 }, { __index = { 0, 0 } }) }",
     "2: robot 'r': q has a metatable with __len or __index, whose entries are not read; use a "
     "plain table, a list of numbers"},
    {"arm:set{ q = setmetatable({ 0 }, { __index = setmetatable({}, { __index = { 0, 0 } }) }) }",
     "2: robot 'r': q has a metatable with __len or __index, whose entries are not read; use a "
     "plain table, a list of numbers"},
    {"arm:set{ q = setmetatable({ 0 }, { __index = function() return 0 end }) }",
     "2: robot 'r': q has a metatable with __len or __index, whose entries are not read; use a "
     "plain table, a list of numbers"},
    {"local t = {} for k = 1, 200 do t = setmetatable({}, { __index = t }) end arm:set{ q = "
     "setmetatable({ 0 }, { __index = t }) }",
     "2: robot 'r': q has a metatable with __len or __index, whose entries are not read; use a "
     "plain table, a list of numbers"},
    {"arm:set{ q = setmetatable({ 0 }, { __len = function() return 2 end }) }",
     "2: robot 'r': q has a metatable with __len or __index, whose entries are not read; use a "
     "plain table, a list of numbers"},
    {"arm:frame{ name = 'f', link = 'L2' }", "2: frame 'f': origin is missing"},
    {"arm:frame{ name = 'f', lnk = 'L2' }",
     "2: arm:frame: unknown key 'lnk'; did you mean 'link'?"},
    {"torsor.robot{ nam = 'x' }", "2: torsor.robot: unknown key 'nam'; did you mean 'name'?"},
    {"torsor.robot{ name = 'x', allow_nonphysical = 1 }",
     "2: torsor.robot: allow_nonphysical is 1; it must be true or false"},
    {"torsor.robot{ name = '' }", "2: torsor.robot: name is empty"},
    {"torsor.robot{ name = 'a.b' }",
     "2: torsor.robot: name is 'a.b'; a robot's name must not contain dots, which separate it from "
     "its signals"},
    {"torsor.robot()", "2: torsor.robot takes a table in braces, not nothing"},
    {"torsor.urdf()", "2: torsor.urdf takes the path of a robot file as its first argument"},
    {"torsor.urdf('x.urdf', { nme = 'x' })",
     "2: torsor.urdf: unknown key 'nme'; did you mean 'name'?"},
    {"arm:set{ q = 1 }", "2: robot 'r': q is 1; it must be a table with names as keys"},
    {"arm:set{ q = { j = 'x' } }", "2: robot 'r': q.j is the string 'x'; it must be a number"},
    {"arm:set{ q = { 0, 0/0 } }", "2: robot 'r': q[2] is NaN; it must be a finite number"},
    {"arm:set{ q = { 0, j = 1 } }", "2: robot 'r': q has the key [1]; keys must be names"},
    {"arm:set{ p = {} }",
     "2: robot 'r': unknown key 'p'; use one of: q, v, motor_q, motor_v, hold"},
    {"arm:apply{ wrenches = { L = {} } }",
     "2: robot 'r': wrenches.L has neither moment nor force; give at least one"},
    {"arm:apply{ wrenches = { L = { forces = {0, 0, 1} } } }",
     "2: robot 'r': unknown key 'forces' in wrenches.L; did you mean 'force'?"},
    {"arm:apply{ wrenches = { L = { force = {0, 0} } } }",
     "2: robot 'r': wrenches.L.force has 2 entries; it must be a list of 3 numbers"},
};
INSTANTIATE_TEST_SUITE_P(Calls, MalformedRobot, testing::ValuesIn(malformed));

TEST(JointKinds, AnUnknownKindIsAnsweredWithAllKinds) {
  EXPECT_EQ(
      link_error("arm:link{ name = 'L2', joint = { 'ball' } }"),
      fmt::format("scene.lua:2: link 'L2': joint has the unknown kind 'ball'; use one of: {}, "
                  "universal",
                  fmt::join(joint_kind_names(), ", ")));
}

// Checks sizes and colours. The builder validates them, and its message has the line of the link.
TEST(Visuals, ThatCannotBeDrawnAreRejectedWithTheirLine) {
  const auto seen = [](const std::string& visual) {
    return scene_error(
        "local torsor = require 'torsor' local arm = torsor.robot{ name = 'r' }\n"
        "arm:link{ name = 'L2', " REVOLUTE ", " BODY ", visuals = { " BALL ", " +
        visual +
        " } }\nlocal world = torsor.world{} world:add(arm) return world:experiment{ solver = "
        "'newton_euler', integrator = { 'rk4', dt = 1 }, duration = 1, record = {} }");
  };
  const std::string place = "link 'L2': visual 2: ";
  EXPECT_THAT(
      seen("{ sphere = { radius = 0 } }"),
      testing::AllOf(testing::StartsWith("scene.lua:"),
                     HasSubstr("scene.lua:2: " + place + "the radius of the sphere is 0 m")));
  EXPECT_THAT(seen("{ box = {1, -1, 1} }"), HasSubstr(place + "the size in y of the box is -1 m"));
  EXPECT_THAT(seen("{ box = {1, 1, 1}, color = {1, 2, 0} }"),
              HasSubstr(place + "the colour (1, 2, 0, 1) has 2; each part is from 0 to 1"));
}

TEST(Urdf, ErrorsNameBothFiles) {
  const ScriptFolder folder;
  folder.write("bad.urdf", "<robot name='x'>\n<link nam='a'/></robot>");
  const auto file = folder.write("scene.lua", "\nrequire('torsor').urdf('bad.urdf')");
  try {
    load_robot(file);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::StartsWith(file.string() + ":2: " +
                                              (folder.path() / "bad.urdf").string() + ":2: "));
  }
  EXPECT_THAT(link_error("torsor.urdf('missing.urdf')"), HasSubstr("scene.lua:2: missing.urdf"));
}

}  // namespace
}  // namespace torsor::test
