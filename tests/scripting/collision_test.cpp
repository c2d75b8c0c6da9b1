// Tests of collisions in Lua: shapes, pairs, distances, contacts, signals, and rejected tables.

#include <fmt/format.h>

#include <cmath>

#include "scripting/scene_run.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

std::string robot_with(const std::string& collisions, const std::string& more = "") {
  return "local torsor = require 'torsor' local arm = torsor.robot{ name = 'r' }\n"
         "arm:link{ name = 'L', joint = { 'revolute', name = 'j', axis = {0, 1, 0} }, "
         "inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }, "
         "collisions = { " +
         collisions + " } }\n" + more + "\n";
}
std::vector<CollisionDescription> collisions_of(const std::string& collisions) {
  return load_robot_text(robot_with(collisions) + "return arm").links.at(0).collisions;
}

TEST(Collision, ShapesAreRead) {
  const auto all = collisions_of(
      "{ box = {1, 2, 3}, name = 'plate', origin = { xyz = {4, 5, 6} }, mu = 0.25, restitution = "
      "0.5, torsional = 0.01, rolling = 0.02, group = 'g' }, { cylinder = { radius = 1, length = 4 "
      "}, stiffness = 1e4, damping = 20 }, { sphere = { radius = 2 } }, { capsule = { radius = 1, "
      "length = 2 } }, { cone = { "
      "radius = 1, length = 2 } }, { ellipsoid = {1, 2, 3} }, { half_space = {0, 2, 0} }, { convex "
      "= { {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1} } }, { height_field = { "
      "heights = { {0, 1, 2}, {3, 4, 5} }, size = {4, 3} } }");
  constexpr ShapeKind kinds[] = {
      ShapeKind::box,        ShapeKind::cylinder, ShapeKind::sphere,
      ShapeKind::capsule,    ShapeKind::cone,     ShapeKind::ellipsoid,
      ShapeKind::half_space, ShapeKind::convex,   ShapeKind::height_field};
  ASSERT_EQ(all.size(), std::size(kinds));
  for (size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k].shape.kind, kinds[k]);
  EXPECT_EQ(all[0].name, "plate");
  EXPECT_EQ(all[0].group, "g");
  EXPECT_EQ(all[0].shape.size.y, 1);
  EXPECT_EQ(all[0].X_LC.p.z, 6);
  EXPECT_EQ(all[0].material.mu, 0.25);
  EXPECT_EQ(all[0].material.restitution, 0.5);
  EXPECT_EQ(all[0].material.torsional, 0.01);
  EXPECT_EQ(all[0].material.rolling, 0.02);
  EXPECT_EQ(all[0].material.stiffness, 0);
  EXPECT_EQ(all[1].material.stiffness, 1e4);
  EXPECT_EQ(all[1].material.damping, 20);
  EXPECT_EQ(all[1].shape.size.z, 2);
  EXPECT_EQ(all[1].material.mu, ContactMaterial{}.mu);
  const Vec3<double> normal = all[6].X_LC.R * Vec3<double>{0, 0, 1};
  EXPECT_NEAR(normal.y, 1, 1e-15);
  EXPECT_EQ(all[7].shape.hull->vertices.size(), 4u);
  const HeightField& field = *all[8].shape.field;
  EXPECT_EQ(field.n_x, 3);
  EXPECT_EQ(field.n_y, 2);
  EXPECT_EQ(field.spacing_x, 2);
  EXPECT_EQ(field.spacing_y, 3);
  EXPECT_EQ(field.node(2, 0).z, 2);
  EXPECT_EQ(field.node(0, 1).z, 3);
}

struct BadCollision {
  const char *collision, *error;
};
constexpr BadCollision bad_collisions[] = {
    {"{ box = {1, 1, 1}, nu = 1 }", "link 'L': unknown key 'nu' in collisions[1]"},
    {"{ }", "link 'L': collisions[1] is incomplete; give one of box, cylinder, sphere"},
    {"{ sphere = { radius = 1 }, box = {1, 1, 1} }", "has both box and sphere"},
    {"{ sphere = { radius = 1 }, scale = 2 }", "only a mesh has a scale"},
    {"{ half_space = {0, 0, 0} }", "collisions[1].half_space has no direction"},
    {"{ half_space = {0, 1} }", "it must be a list of 3 numbers"},
    {"{ convex = { {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0} } }",
     "link 'L': collisions[1] all points are in a plane, so the hull has no volume"},
    {"{ convex = { {0, 0, 0} } }", "a convex hull needs four points, and there are 1"},
    {"{ convex = { {0, 0} } }", "it must be a list of 3 numbers"},
    {"{ height_field = { heights = { {0, 1}, {0} }, size = {1, 1} } }",
     "has 1 heights; the first row has 2"},
    {"{ height_field = { heights = { {0, 1} }, size = {1, 1} } }",
     "collision 1: the height field has 2 x 1 heights; it needs 2 x 2 at least"},
    {"{ sphere = { radius = 1 }, mu = -1 }",
     "link 'L': collision 1: its mu is -1; it must be finite and not negative"},
    {"{ sphere = { radius = 1 }, stiffness = -5 }",
     "link 'L': collision 1: its stiffness is -5; it must be finite and not negative"},
    {"{ sphere = { radius = 1 }, stiffness = 0/0 }", "collisions[1].stiffness is NaN"},
    {"{ sphere = { radius = 1 }, stiffness = math.huge }", "collisions[1].stiffness is"},
    {"{ sphere = { radius = 1 }, damping = 3 }",
     "scene.lua:2: link 'L': collision 1: its damping is 3, and it has no stiffness; give both"},
    {"{ sphere = { radius = 1 }, stiffness = 9, restitution = 1 }",
     "its restitution is 1, and its stiffness 9; the rebound"},
    {"{ sphere = { radius = 1 }, restitution = 2 }",
     "its restitution is 2; it must be from 0 to 1"},
    {"{ box = {1, 0, 1} }", "the size in y of the box is 0 m; it must be positive and finite"},
    {"{ mesh = 'none.stl' }", "file not found"},
    {"{ sphere = { radius = 1 }, mu = 0/0 }", "collisions[1].mu is NaN"},
};

TEST(Collision, BadTablesAreErrors) {
  for (const auto& [collision, error] : bad_collisions) {
    SCOPED_TRACE(collision);
    const std::string text = robot_with(collision) +
                             "local w = torsor.world{} w:add(arm) return w:experiment{ integrator "
                             "= { 'rk4', dt = 0.1 }, duration = 1, record = { 'r.q' } }";
    EXPECT_THAT(scene_error(text), HasSubstr(error));
  }
}

TEST(Collision, PairsAndPlacesAreChecked) {
  const std::string ball = "{ sphere = { radius = 0.1 } }";
  const auto error = [&](const std::string& more) {
    return scene_error(robot_with(ball, more) +
                       "local w = torsor.world{} w:add(arm) return w:experiment{ integrator = { "
                       "'rk4', dt = 0.1 }, duration = 1, record = { 'r.q' } }");
  };
  EXPECT_THAT(error("arm:collision{ link = 'M', sphere = { radius = 1 } }"),
              HasSubstr("arm:collision: there is no link 'M'"));
  EXPECT_THAT(error("arm:collision_pair{ 'L', 'wrld', collide = false }"),
              HasSubstr("did you mean 'world'?"));
  EXPECT_THAT(error("arm:collision_pair{ 'L', 'world' }"), HasSubstr("it changes nothing"));
  EXPECT_THAT(error("arm:collision_pair{ 'L', 'world', m = 1 }"), HasSubstr("unknown key 'm'"));
  EXPECT_THAT(error("arm:collision_pair{ 'L', 'world', stiffness = -1 }"),
              HasSubstr("its stiffness is -1; it must be finite and not negative"));
}

// Distances and contacts of a ball above a plane.
constexpr const char* ball_above_plane = R"(
local w = torsor.world{}
w:add(arm, { at = { xyz = {0, 0, 0.5} } })
w:collision{ half_space = {0, 0, 1}, name = "ground", mu = 0.9, restitution = 0.25 }
w:collision{ half_space = {0, 0, 1}, name = "foam", origin = { xyz = {0, 0, -1} },
             stiffness = 4000, damping = 8 }
)";
const std::string ball_at_1 =
    "{ sphere = { radius = 0.1 }, origin = { xyz = {1, 0, 0} }, name = 'ball', mu = 0.4 }";

TEST(Collision, DistancesAndContactsAreMethods) {
  const std::string statements = robot_with(ball_at_1) + ball_above_plane + R"(
local d = arm:dynamics{}
local function near(a, b) if math.abs(a - b) > 1e-12 then error(a .. " is not " .. b) end end
local angle = 0.3
local gap = 0.5 - math.sin(angle) - 0.1
for _, x in ipairs{ d:distance("L", "world", {angle}), d:distance("ball", "ground", {angle}),
                    d:least_distance({angle}) } do
  near(x.distance, gap)
  if x.a ~= "ball" or x.b ~= "ground" then error(x.a .. x.b) end
  near(x.normal[3], -1)
  near(x.point_a[3], gap)
  near(x.point_b[3], 0)
  near(x.point_b[1], math.cos(angle))
end
if #d:contacts({angle}) ~= 0 then error("a contact") end
local all = d:contacts({angle}, 0.5)
if #all ~= 1 or #all[1].points ~= 1 then error("not one contact") end
near(all[1].points[1].gap, gap)
near(all[1].points[1].position[3], gap / 2)
near(all[1].mu, 0.6)
near(all[1].restitution, 0.25)
near(all[1].stiffness, 0)
near(all[1].damping, 0)
local foam = d:contacts({angle}, 1.2)[2]
near(foam.stiffness, 4000)
near(foam.damping, 8)
)";
  const auto error = [&](const std::string& more) {
    return run(statements + more, {}, {}, &registry()).error;
  };
  EXPECT_EQ(error(""), "");
  EXPECT_THAT(error("d:distance('L', 'wrold', {0})"),
              HasSubstr("there is no collider, nor a link with one, named 'wrold'"));
  EXPECT_THAT(error("d:distance('L', 'ball', {0})"),
              HasSubstr("a collider has no distance from itself"));
  EXPECT_THAT(error("w:collision{ sphere = { radius = 1 } }"),
              HasSubstr("world:collision: the dynamics of robot 'r' are already in use"));
  EXPECT_THAT(error("w:collision_pair{ 'ball', 'ground', mu = 1 }"),
              HasSubstr("world:collision_pair: the dynamics of robot 'r' are already in use"));
}

// Rules of the world reach the model of one robot, unless they name another robot.
TEST(Collision, DynamicsHaveThePairsOfTheWorld) {
  const auto mu_in = [&](const std::string& statements) {
    return run(robot_with(ball_at_1) + ball_above_plane + statements +
                   "error('mu ' .. arm:dynamics{}:contacts({0.3}, 0.5)[1].mu)",
               {}, {}, &registry())
        .error;
  };
  EXPECT_THAT(mu_in("w:collision_pair{ 'ball', 'ground', mu = 0.125 }"), HasSubstr("mu 0.125"));
  const std::string second =
      "local other = torsor.robot{ name = 's' }\n"
      "other:link{ name = 'L', joint = { 'fixed' }, inertia = { mass = 1, com = {0, 0, 0}, "
      "about_com "
      "= { Ixx = 1, Iyy = 1, Izz = 1 } }, collisions = { { sphere = { radius = 0.1 } } } }\n"
      "w:add(other, { at = { xyz = {5, 0, 5} } })\n";
  EXPECT_THAT(mu_in("w:collision_pair{ 'r.ball', 'ground', mu = 0.125 }"), HasSubstr("mu 0.125"));
  EXPECT_THAT(mu_in(second + "w:collision_pair{ 'r.ball', 'ground', mu = 0.125 } "
                             "w:collision_pair{ 's.L', 'r.ball', mu = 2 }"),
              HasSubstr("mu 0.125"));
}

// A beam of 1 kg on a hinge, whose ball lies on the ground without friction, 1 m from the hinge:
// the force N on it follows from the torque tau of the motor: tau + m g x = N x.
TEST(Collision, ContactForcesAreMethods) {
  const std::string statements =
      "local torsor = require 'torsor' local arm = torsor.robot{ name = 'r' }\n"
      "arm:link{ name = 'L', joint = { 'revolute', name = 'j', axis = {0, 1, 0} }, inertia = { "
      "mass = 1, com = {1, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }, collisions = { { "
      "sphere = { radius = 0.1 }, origin = { xyz = {1, 0, 0} }, name = 'ball', mu = 0 } } }\n"
      "local w = torsor.world{ gravity = {0, 0, -10} }\n"
      "w:collision{ half_space = {0, 0, 1}, origin = { xyz = {0, 0, -0.1} }, name = 'ground' }\n"
      "w:add(arm)\nlocal d = arm:dynamics{}\n";
  const auto error = [&](const std::string& more) {
    return run(statements + more, {}, {}, &registry()).error;
  };
  EXPECT_EQ(error(R"(
local function near(a, b) if math.abs(a - b) > 1e-9 then error(a .. " is not " .. b) end end
for _, options in ipairs{ {}, { dt = 1e-4 } } do
  local all = d:contact_forces({0}, {0}, {4}, options)
  if #all ~= 1 then error(#all .. " points") end
  local point = all[1]
  if point.a ~= "ball" or point.b ~= "ground" then error(point.a .. point.b) end
  near(point.force[3], -14)   -- on the ground
  near(point.force[1], 0)
  near(point.normal[3], -1)
  near(point.gap, 0)
  near(point.position[1], 1)
end
near(#d:contact_forces({-0.2}, {0}, {0}), 0)
)"),
            "");
  EXPECT_THAT(error("d:contact_forces({0}, {0}, {0}, { step = 1 })"), HasSubstr("step"));
  EXPECT_THAT(error("d:contact_forces({0}, {0}, {0}, { dt = 0 })"),
              HasSubstr("the step dt is 0 s; it must be a positive number"));
  EXPECT_THAT(error("d:contact_forces({0}, {0})"), HasSubstr("takes 4 arguments, not 2"));
}

TEST(Collision, DistancesAreSignals) {
  const Experiment experiment =
      load_scene_text(robot_with(ball_at_1) + ball_above_plane +
                      "return w:experiment{ integrator = { 'rk4', dt = 0.1 }, duration = 1, record "
                      "= { 'least_distance', 'distance.ball:ground' } }");
  EXPECT_EQ(experiment.model->colliders.size(), 3u);
  const Recorder recorder(*experiment.model, experiment.record);
  ASSERT_EQ(recorder.columns().size(), 3u);
  EXPECT_EQ(recorder.columns()[2].name, "distance.ball:ground");
  try {
    (void)Recorder(*experiment.model, {"distance.ball:grund"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not name two colliders: write distance.A:B, with two "
                                        "of ball, ground, foam"));
  }
}

}  // namespace
}  // namespace torsor::test
