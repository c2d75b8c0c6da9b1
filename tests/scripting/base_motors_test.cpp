// Tests of bases without motors: the default motors of each kind of joint, and a quadruped whose
// controllers cannot move its base.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "scripting/scene_run.hpp"
#include "support/reference.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/centroidal.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

std::string inertial(double mass, double size) {
  const double I = 0.1 * mass * size * size;
  return fmt::format(
      "<inertial><origin xyz='0.01 0 {}'/><mass value='{}'/><inertia ixx='{}' iyy='{}' izz='{}' "
      "ixy='0' ixz='0' iyz='0'/></inertial>",
      -size / 2, mass, I, 1.1 * I, 0.9 * I);
}

// Returns the URDF text of a trunk of 6 kg with four legs of two joints each.
std::string generated_quadruped() {
  std::string out = "<robot name='dog'><link name='trunk'>" + inertial(6, 0.4) + "</link>";
  const auto joint = [&](const std::string& name, const std::string& parent,
                         const std::string& child, const std::string& xyz,
                         const std::string& axis) {
    out += fmt::format("<link name='{}'>{}</link>", child, inertial(0.8, 0.2));
    out += fmt::format(
        "<joint name='{}' type='revolute'><origin xyz='{}'/><parent link='{}'/><child "
        "link='{}'/><axis xyz='{}'/><limit lower='-2' upper='2' velocity='20' "
        "effort='30'/></joint>",
        name, xyz, parent, child, axis);
  };
  for (const auto& [leg, xy] :
       {std::pair{"lf", "0.2 0.1"}, {"rf", "0.2 -0.1"}, {"lh", "-0.2 0.1"}, {"rh", "-0.2 -0.1"}}) {
    const std::string name(leg);
    joint(name + "_hip", "trunk", name + "_thigh", std::string(xy) + " 0", "1 0 0");
    joint(name + "_knee", name + "_thigh", name + "_shank", "0 0 -0.2", "0 1 0");
  }
  return out + "</robot>";
}

std::string whole_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the names of the quadrupeds: the generated one, and published ones if they are present.
std::vector<std::string> quadrupeds() {
  std::vector<std::string> out{"generated"};
  for (const std::string& name : published_robots())
    if (name == "solo12" || name == "anymal_c") out.push_back(name);
  return out;
}

// Returns a scene of a quadruped with a tilted base and its legs at the neutral position, and the
// given statements. `base` is the option floating_base.
Experiment scene_of(const std::string& quadruped, const std::string& base,
                    const std::string& said) {
  const ScriptFolder folder;
  folder.write("dog.urdf", quadruped == "generated" ? generated_quadruped()
                                                    : whole_file(robot_file(quadruped)));
  return load_scene(folder.write("scene.lua", R"(local torsor = require "torsor"
local dog = torsor.urdf("dog.urdf", { name = "dog", floating_base = )" +
                                                  base + R"( })
dog:set{ q = { floating_base = {0, 0, 1, 0.96, 0, 0.28, 0} } }
)" + said + R"(
local world = torsor.world{}
world:add(dog)
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 0.1, record = { "dog.tau" } })"),
                    {}, &registry());
}

class Quadruped : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(BaseMotors, Quadruped, testing::ValuesIn(quadrupeds()),
                         [](const auto& robot) { return robot.param; });

// Compares with the acceleration at rest. The torques tau = (0, g_j) balance gravity at the joints
// only, so M vdot = (-g_base, 0). The test solves this equation by Cholesky's method. M and g are
// those of a solver that the simulation does not use.
TEST_P(Quadruped, FallsUnderGravityCompensation) {
  const Experiment experiment =
      scene_of(GetParam(), "true", "dog:control('gravity_compensation', {})");
  Simulation s(
      experiment.model,
      [](std::shared_ptr<const Model> model) {
        return registry().solver("articulated_body", model);
      },
      Integrator::rk4, 1e-3);
  s.begin(experiment.load, experiment.q, experiment.v);
  const int n = experiment.model->n_v;
  State state(experiment.model);
  state.set_q(s.state().q());
  Solver solver = registry().solver("newton_euler", experiment.model);
  Matrix M(n, n);
  Vector g(n);
  ASSERT_TRUE(solver.mass_matrix(state, M.data()));
  ASSERT_TRUE(solver.gravity(state, g.data()));
  for (int k = 0; k < 6; ++k) EXPECT_EQ(s.torque()[size_t(k)], 0) << k;
  for (int k = 6; k < n; ++k) EXPECT_NEAR(s.torque()[size_t(k)], g[k], 1e-9) << k;
  Vector net = Vector::Zero(n);
  net.head(6) = -g.head(6);
  const Vector expected = solve(M, net);
  for (int k = 0; k < n; ++k)
    EXPECT_NEAR(s.acceleration()[size_t(k)], expected[k], 1e-8 * expected.norm()) << k;
}

// Checks that the centre of mass is in free fall, because no external force but gravity acts:
//   z(t) = z_0 - 9.81 t^2 / 2
TEST_P(Quadruped, HasItsCentreOfMassInFreeFall) {
  for (const char* law : {"dog:control('gravity_compensation', {})",
                          "dog:control('pd_gravity', { kp = 5, kd = 0.1, reference = { q = { "
                          "floating_base = {0, 0, 1, 1, 0, 0, 0} } } })",
                          "dog:control('pid', { kp = 5, kd = 0.1, reference = { q = { "
                          "floating_base = {0, 0, 1, 1, 0, 0, 0} } } })"}) {
    const Experiment experiment = scene_of(GetParam(), "true", law);
    State state(experiment.model);
    state.set_q(experiment.q);
    const double z_0 = centroidal(state).com.z;
    const auto run = finished(experiment);
    const double t = run->simulation().time();
    for (int k = 0; k < 6; ++k) EXPECT_EQ(run->simulation().torque()[size_t(k)], 0) << law;
    state.set_q(run->simulation().state().q());
    EXPECT_NEAR(centroidal(state).com.z, z_0 - 9.81 * t * t / 2, 1e-9) << law;
  }
}

TEST_P(Quadruped, HoversWithMotorsAtItsBase) {
  const auto run = finished(
      scene_of(GetParam(), "{ motors = true }", "dog:control('gravity_compensation', {})"));
  EXPECT_NE(run->simulation().torque()[5], 0);
  for (const double rate : run->simulation().state().v) EXPECT_NEAR(rate, 0, 1e-9);
}

std::string quadruped_error(const std::string& said) {
  try {
    (void)finished(scene_of("generated", "true", said));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(BaseMotors, AreNamedByLawsThatNeedThem) {
  EXPECT_THAT(
      quadruped_error(
          "dog:control('computed_torque', { frequency = 5, reference = { q = { floating_base = "
          "{0, 0, 1, 1, 0, 0, 0} } } })"),
      HasSubstr("controller 'controller.computed_torque' needs a motor at every joint, but there "
                "is none at 'floating_base'; use a controller that does without, such as "
                "controller.pd_gravity, or set motors = true in the joint's table, or "
                "floating_base = { motors = true } for the base of a robot file"));
  EXPECT_THAT(
      quadruped_error(
          "dog:control(function(t, state) local tau = {} for k = 1, #state.v do tau[k] = 1 end "
          "return tau end, { rate = 100 })"),
      HasSubstr("returns a torque for joint 'floating_base', but this joint is passive: it has no "
                "motor; return 0 for it"));
  EXPECT_THAT(
      quadruped_error("dog:apply{ tau = { floating_base = {0, 0, 0, 0, 0, 9} } }"),
      HasSubstr(
          "joint 'floating_base' is passive: no torque can be applied to it; apply a wrench to "
          "its link, or set motors = true"));
}

TEST(BaseMotors, AreOptionalInTheUrdfReader) {
  const auto error = [](const std::string& base) -> std::string {
    try {
      (void)scene_of("generated", base, "");
    } catch (const Error& thrown) {
      return thrown.what();
    }
    return "";
  };
  EXPECT_EQ(error("{ motors = false }"), "");
  EXPECT_THAT(error("{ motor = true }"), HasSubstr("did you mean 'motors'?"));
  EXPECT_THAT(error("1"), HasSubstr("floating_base is 1"));
}

// Returns one character for each dof of joint 'j' of a robot built in Lua: 'm' for a motor, '-' for
// none.
std::string motors(const std::string& joint, bool at_base) {
  const RobotDescription robot = load_robot_text(fmt::format(
      R"(local torsor = require "torsor"
local body = {{ mass = 1, com = {{0, 0, 0}}, about_com = {{ Ixx = 1, Iyy = 1, Izz = 1 }} }}
local r = torsor.robot{{ name = "r" }}
r:link{{ name = "a", joint = {{ "fixed" }}, inertia = body }}
r:link{{ name = "b", {} joint = {{ {} }}, inertia = body }}
return r)",
      at_base ? "" : "parent = 'a',", joint));
  std::string out;
  const auto model = build(robot);
  for (const Drive& drive : model->drives) out += drive.passive ? '-' : 'm';
  return out;
}

TEST(BaseMotors, HaveADefaultForEachKind) {
  const std::string axis = ", name = 'j', axis = {0, 0, 1}", point = ", name = 'j'";
  for (const bool at_base : {true, false}) {
    EXPECT_EQ(motors("'floating'" + point, at_base), "------");
    EXPECT_EQ(motors("'planar'" + axis, at_base), at_base ? "---" : "mmm");
    EXPECT_EQ(motors("'spherical'" + point, at_base), at_base ? "---" : "mmm");
    EXPECT_EQ(motors("'cylindrical'" + axis, at_base), "mm");
    EXPECT_EQ(motors("'revolute'" + axis, at_base), "m");
    EXPECT_EQ(motors("'planar'" + axis + ", drives = { {}, { motor = { rotor_inertia = 1 } }, {} }",
                     at_base),
              at_base ? "-m-" : "mmm");
  }
}

TEST(BaseMotors, CanBeSetForEveryKind) {
  const std::string axis = ", name = 'j', axis = {0, 0, 1}", point = ", name = 'j'";
  for (const bool at_base : {true, false})
    for (const auto& [joint, n] : {std::pair{"'floating'" + point, 6},
                                   {"'planar'" + axis, 3},
                                   {"'spherical'" + point, 3},
                                   {"'cylindrical'" + axis, 2},
                                   {"'universal', second_axis = {1, 0, 0}" + axis, 2},
                                   {"'revolute'" + axis, 1}}) {
      EXPECT_EQ(motors(joint + ", motors = true", at_base), std::string(size_t(n), 'm')) << joint;
      EXPECT_EQ(motors(joint + ", passive = false", at_base), std::string(size_t(n), 'm')) << joint;
      EXPECT_EQ(motors(joint + ", passive = true", at_base), std::string(size_t(n), '-')) << joint;
    }
}

}  // namespace
}  // namespace torsor::test
