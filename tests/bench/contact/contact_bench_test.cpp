// Tests of `torsor bench --steps` for scenes with contacts. Libraries simulate the same mechanism
// as Torsor: positions at the end are compared. No test depends on a time.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class ContactBench : public Program {
 protected:
  // Runs torsor_bench --steps --json, and returns the results of each scene.
  Json scenes(long long steps, const std::vector<std::string>& names) {
    std::vector<std::string> arguments = {"--steps", std::to_string(steps), "--repetitions", "1",
                                          "--json"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return Json::parse(output.out)["scenes"];
  }
  // The same for a scene whose script adds robots to `world`.
  Json results(long long steps, const std::string& script, double dt = 1e-3) {
    const std::string text =
        "local torsor = require 'torsor'\nlocal world = torsor.world()\n" + script +
        "\nreturn world:experiment{ integrator = { 'time_stepping', dt = " + std::to_string(dt) +
        " }, duration = 1, record = { 'energy' } }";
    return scenes(steps, {file("scene.lua", text)})[0]["results"];
  }
};

const Json& by(const Json& results, const std::string& method) {
  for (const Json& result : results)
    if (result["method"] == method) return result;
  ADD_FAILURE() << "no method " << method << " in " << results;
  return results[0];
}

// A Lua function that adds a free body at a height above a point of the x axis. Its centre of
// mass is not the origin, and its shape has a frame of its own.
constexpr const char* add_free_bodies = R"(
world:collision{ half_space = {0, 0, 1}, name = 'ground' }
local n = 0
local function add(shape, height, v, rpy)
  n = n + 1
  local robot = torsor.robot{ name = 'r' .. n }
  robot:link{ name = 'l', joint = { 'floating', name = 'free' },
    inertia = { mass = 2, com = {0, 0, 0.01}, about_com = { Ixx = 0.02, Iyy = 0.03, Izz = 0.025 } },
    collisions = { shape } }
  robot:set{ q = { free = { xyz = {2 * n, 0, height}, rpy = rpy or {0, 0, 0} } }, v = v and { free = v } }
  world:add(robot)
end
)";

#if TORSOR_BENCH_HAS_PEERS

std::vector<double> position(const Json& results, const std::string& method) {
  return by(results, method)["q"].get<std::vector<double>>();
}

constexpr const char* library_methods[] = {"pyramidal", "elliptic", "elliptic, stiff"};

// Each shape lies on the ground with the frame that it has in its body. Heights follow from sizes:
// a wrong size or axis changes them by centimetres.
TEST_F(ContactBench, ShapesComeToRestAtTheSameHeights) {
  const Json out = results(1500, std::string(add_free_bodies) + R"(
add({ sphere = { radius = 0.1 }, origin = { xyz = {0, 0, 0.05} } }, 0.07)
add({ box = {0.2, 0.4, 0.6}, origin = { rpy_deg = {90, 0, 0} } }, 0.22)
add({ capsule = { radius = 0.1, length = 0.4 }, origin = { xyz = {0, 0, 0.02}, rpy_deg = {0, 90, 0} } }, 0.1)
add({ cylinder = { radius = 0.15, length = 0.2 } }, 0.12)
add({ ellipsoid = {0.1, 0.2, 0.3}, origin = { rpy_deg = {0, 90, 0} } }, 0.12))");
  const std::vector<double> heights = {0.05, 0.2, 0.08, 0.1, 0.1};
  for (const Json& result : out) {
    // Gauss-Seidel does not converge for every problem of points of a face.
    if (result["method"] == "projected_gauss_seidel" && result.contains("reason")) {
      EXPECT_THAT(result["reason"].get<std::string>(), HasSubstr("needs more iterations"));
      continue;
    }
    ASSERT_TRUE(result.contains("q")) << result;
    const std::vector<double> q = result["q"];
    const double allowed = result["name"] == "Torsor" ? 1e-8 : 2e-3;
    for (size_t k = 0; k < heights.size(); ++k)
      EXPECT_NEAR(q[7 * k + 2], heights[k], allowed) << "shape " << k << " of " << result["method"];
    EXPECT_NEAR(result["last_overlap_m"].get<double>(), 0, allowed) << result["method"];
    EXPECT_GE(result["contact_points"].get<int>(), result["name"] == "Torsor" ? 5 : 1);
  }
}

// A mechanism that touches nothing: hinges with a massless link between them, springs, dampers, dry
// friction, a stop, a ball joint, a constant torque, and a free body that turns. Both methods have
// errors of order dt.
TEST_F(ContactBench, MechanismsAreTheSame) {
  const Json out = results(5000, std::string(add_free_bodies) + R"(
local arm = torsor.robot{ name = 'arm' }
local function inertia(m) return { mass = m, com = {0.1, 0.02, -0.2}, about_com = { Ixx = 0.02, Iyy = 0.03, Izz = 0.025 } } end
arm:link{ name = 'cross', massless = true, origin = { xyz = {0, 0, 3}, rpy = {0.3, 0.2, 0.1} },
  joint = { 'revolute', name = 'a', axis = {0, 1, 0.2}, armature = 0.05, damping = 0.1 } }
arm:link{ name = 'upper', parent = 'cross', origin = { xyz = {0.1, 0.05, -0.1}, rpy = {0, 0.4, 0} }, inertia = inertia(1),
  joint = { 'revolute', name = 'b', axis = {1, 0, 0}, armature = 0.02, spring = { stiffness = 30, rest = 0.4 } } }
arm:link{ name = 'slide', parent = 'upper', origin = { xyz = {0, 0, -0.3}, rpy = {0.2, 0, 0} }, inertia = inertia(0.5),
  joint = { 'prismatic', name = 'c', axis = {0, 0.3, 1}, damping = 3, spring = { stiffness = 200, rest = 0.02 },
            friction = { 'coulomb', coulomb = 0.3 } } }
arm:link{ name = 'ball', parent = 'slide', origin = { xyz = {0, 0.1, -0.3} }, inertia = inertia(0.4),
  joint = { 'spherical', name = 'd', point = {0, 0, 0.1} },
  collisions = { { sphere = { radius = 0.02 } } } }
arm:set{ q = { a = 0.5, b = -0.3, c = 0.01 }, v = { a = 1, c = 0.2, d = {0.5, 0, -0.3} } }
arm:apply{ tau = { b = 1.5 } }
world:add(arm)
add({ sphere = { radius = 0.1 } }, 4, {3, -2, 1, 0.3, 0.2, 0.1}, {0.5, 1, -0.4}))",
                           1e-4);
  const std::vector<double> q = position(out, "newton_admm");
  for (const char* method : library_methods) {
    const std::vector<double> other = position(out, method);
    ASSERT_EQ(other.size(), q.size());
    // The signs of quaternions are free.
    for (const size_t first : {size_t(3), q.size() - 4})
      EXPECT_NEAR(std::abs(q[first] * other[first] + q[first + 1] * other[first + 1] +
                           q[first + 2] * other[first + 2] + q[first + 3] * other[first + 3]),
                  1, 1e-5)
          << method;
    for (const size_t k : {0, 1, 2, 7, 8, 9})
      EXPECT_NEAR(other[k], q[k], 2e-3) << "entry " << k << " of q of " << method;
  }
}

// Excluded pairs pass through each other, a rule makes adjacent links collide, and a rule
// replaces the friction of a pair.
TEST_F(ContactBench, RulesForPairsAreTheSame) {
  const Json out = results(1000, R"(
world:collision{ half_space = {math.sin(0.3), 0, math.cos(0.3)}, name = 'ground', mu = 0.9 }
local function block(name, y, height)
  local robot = torsor.robot{ name = name }
  robot:link{ name = 'l', joint = { 'floating', name = 'free' },
    inertia = { mass = 2, com = {0, 0, 0}, about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.02 } },
    collisions = { { box = {0.2, 0.2, 0.1}, mu = 0.4 } } }
  robot:set{ q = { free = { xyz = {height * math.sin(0.3), y, height * math.cos(0.3)}, rpy = {0, 0.3, 0} } } }
  world:add(robot)
end
block('sticks', 0, 0.05)
block('slides', 1, 0.05)
world:collision_pair{ 'slides.l', 'world', mu = 0.1 }
block('low', 2, 0.05)
block('through', 2, 0.08)
world:collision_pair{ 'low.l', 'through.l', collide = false }
local jaw = torsor.robot{ name = 'jaw' }
for i, name in ipairs{ 'fixed', 'moving' } do
  jaw:link{ name = name, parent = i == 2 and 'fixed' or nil, origin = { xyz = {0, i == 1 and 5 or 0, i == 1 and 3 or 0.3} },
    joint = { 'prismatic', name = name, axis = {0, 0, 1}, damping = 1, spring = { stiffness = i == 1 and 1e4 or 0, rest = 0 } },
    inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.02 } },
    collisions = { { sphere = { radius = 0.1 } } } }
end
jaw:collision_pair{ 'fixed', 'moving', collide = true }
world:add(jaw))");
  const double g = 9.81, sine = std::sin(0.3), cosine = std::cos(0.3);
  const double distance = 0.5 * g * (sine - 0.1 * cosine);  // after 1 s
  for (const Json& result : out) {
    const std::string method = result["method"];
    const std::vector<double> q = result["q"];
    const auto along = [&](size_t body, double x, double z) {
      return (q[7 * body] - x) * cosine - (q[7 * body + 2] - z) * sine;
    };
    EXPECT_NEAR(along(0, 0.05 * sine, 0.05 * cosine), 0, 0.01) << method;
    EXPECT_NEAR(along(1, 0.05 * sine, 0.05 * cosine), distance, 0.02 * distance) << method;
    const double above = q[7 * 3] * sine + q[7 * 3 + 2] * cosine;
    EXPECT_NEAR(above, 0.05, 3e-3) << method << ": the second block lies on the ground";
    EXPECT_NEAR(q[28 + 1], -0.1, 5e-3) << method << ": the jaw closes to the sum of the radii";
  }
}

// A free fall from rest by the semi-implicit Euler method falls by g h^2 k (k + 1) / 2 in k steps,
// so that its energy is too small by m g^2 h t / 2.
TEST_F(ContactBench, TheEnergyErrorOfAFreeFallHasAClosedForm) {
  const Json out = results(400, std::string(add_free_bodies) + R"(
    add({ sphere = { radius = 0.1 } }, 3))");
  EXPECT_LT(by(out, "newton_admm")["energy_error_J"].get<double>(), 1e-11);
  for (const char* method : library_methods)
    EXPECT_NEAR(by(out, method)["energy_error_J"].get<double>(), 9.81 * 9.81 * 1e-3 * 0.4, 1e-9);
}

TEST_F(ContactBench, TheReasonIsGivenWhereALibraryIsNotCompared) {
  const auto reason = [&](const std::string& script) {
    return by(results(5, add_free_bodies + script), "elliptic")["reason"].get<std::string>();
  };
  EXPECT_THAT(reason("add({ cone = { radius = 0.1, length = 0.2 }, name = 'tip' }, 1)"),
              HasSubstr("is not compared for shapes like 'tip'"));
  EXPECT_THAT(reason("add({ sphere = { radius = 0.1 }, restitution = 0.5 }, 1)"),
              HasSubstr("is not compared for restitution"));
  const Json moved = scenes(5, {source("scenes/gripper.lua").string()})[0]["results"];
  EXPECT_THAT(by(moved, "elliptic")["reason"].get<std::string>(),
              HasSubstr("without controls, prescribed motion and other forces"));
  EXPECT_TRUE(by(moved, "newton_admm").contains("ns"));
}

#endif

// A block slides down an incline without friction with the acceleration g sin(a). Its mean speed in
// the last quarter of the time T is 7/8 of its last one.
TEST_F(ContactBench, CreepIsTheMeanSpeedOfTheLastQuarter) {
  const Json out = results(800, R"(
world:collision{ half_space = {math.sin(0.2), 0, math.cos(0.2)}, name = 'ground', mu = 0 }
local robot = torsor.robot{ name = 'block' }
robot:link{ name = 'l', joint = { 'floating', name = 'free' },
  inertia = { mass = 2, com = {0, 0, 0}, about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.02 } },
  collisions = { { box = {0.2, 0.2, 0.1} } } }
robot:set{ q = { free = { xyz = {0.05 * math.sin(0.2), 0, 0.05 * math.cos(0.2)}, rpy = {0, 0.2, 0} } } }
world:add(robot))");
  const double expected = 7.0 / 8 * 9.81 * std::sin(0.2) * 0.8;
  for (const Json& result : out)
    EXPECT_NEAR(result["creep_m_per_s"].get<double>(), expected, 0.01 * expected) << result;
}

// A constant torque has an energy: a motor that lifts a mass does not increase the sum.
TEST_F(ContactBench, TheEnergyIncludesConstantTorques) {
  const Json out = results(300, std::string(add_free_bodies) + R"(
local lift = torsor.robot{ name = 'lift' }
lift:link{ name = 'l', joint = { 'prismatic', name = 'j', axis = {0, 0, 1} }, origin = { xyz = {0, 0, 1} },
  inertia = { mass = 2, com = {0, 0, 0}, about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.02 } },
  collisions = { { sphere = { radius = 0.1 } } } }
lift:apply{ tau = { j = 50 } }
world:add(lift))");
  const Json& result = by(out, "newton_admm");
  EXPECT_LT(result["energy_gain_J"].get<double>(), 1e-10);
  EXPECT_LT(result["energy_error_J"].get<double>(), 1e-10);
}

// Each box of a stack of five has four points below it. In a wall of three columns, five
// pairs of bricks of two courses touch.
TEST_F(ContactBench, PilesOfBoxesStandStill) {
  const Json all = scenes(20, {"stacks:10", "walls:15"});
  ASSERT_EQ(all.size(), 2u);
  const Json& stacks = by(all[0]["results"], "newton_admm");
  EXPECT_EQ(stacks["contact_points"], 40);
  const Json& wall = by(all[1]["results"], "newton_admm");
  EXPECT_EQ(wall["contact_points"], 4 * (3 + 4 * 5));
  for (const Json& result : {stacks, wall}) {
    EXPECT_LT(result["creep_m_per_s"].get<double>(), 1e-7);
    EXPECT_LT(result["largest_overlap_m"].get<double>(), 1e-8);
  }
}

TEST_F(ContactBench, PrintsATableOfEachSceneAndOfPiles) {
  const Output output =
      torsor({"--steps", "2", "--repetitions", "1", "stacks:5", "stacks:10", "stacks:25"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("stacks:5: 30 dof, 6 shapes; 2 steps of 0.001 s\n"));
  EXPECT_THAT(output.out, HasSubstr("stacks: ns a step"));
  EXPECT_THAT(output.out, HasSubstr("Torsor projected_gauss_seidel"));
}

struct StepsMistake {
  std::string name, said;
};
class ContactBenchMistake : public ContactBench,
                            public testing::WithParamInterface<StepsMistake> {};

TEST_P(ContactBenchMistake, IsOneLine) {
  const Output output = torsor({"--steps", "5", GetParam().name});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, HasSubstr(GetParam().said));
  EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
}

INSTANTIATE_TEST_SUITE_P(
    , ContactBenchMistake,
    testing::Values(StepsMistake{"stacks:0", "'stacks:0': the number of boxes is 1 to 2000"},
                    StepsMistake{"walls:x", "'walls:x': the number of boxes is 1 to 2000"},
                    StepsMistake{"no_such.lua", "no_such.lua"},
                    StepsMistake{TORSOR_SOURCE_DIR "/scripts/robots/iiwa.lua",
                                 "--steps needs a scene"}));

}  // namespace
}  // namespace torsor::test
