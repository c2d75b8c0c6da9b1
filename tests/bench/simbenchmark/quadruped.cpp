// The quadruped ANYmal of the suite: its files res/benchmark/ANYmal-*-benchmark/ode-rai-dart/
// robot.urdf. Its four legs are mirror images of one.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bench/simbenchmark/bodies.hpp"
#include "bench/simbenchmark/task.hpp"
#include "torsor/mechanics/centroidal.hpp"

namespace torsor::bench::simbenchmark {

namespace {

// A leg: fore (+1) or hind (-1), left (+1) or right (-1).
struct Side {
  const char* name;
  double x, y;
};
constexpr std::array<Side, 4> sides = {
    {{"LF", 1, 1}, {"RF", 1, -1}, {"LH", -1, 1}, {"RH", -1, -1}}};

Vec3<double> mirrored(const Side& side, const Vec3<double>& p) {
  return {side.x * p.x, side.y * p.y, p.z};
}
// A reflection of x and y changes the sign of products of inertia with one reflected factor.
Sym3<double> mirrored_inertia(const Side& side, const Sym3<double>& I) {
  return {I.xx, I.yy, I.zz, side.x * side.y * I.xy, side.x * I.xz, side.y * I.yz};
}

// URDF's roll, pitch and yaw without yaw, and an origin.
Pose<double> placed(const Vec3<double>& p, double roll, double pitch) {
  return translation(p) * rotation_y(pitch) * rotation_x(roll);
}

CollisionDescription shape_at(const Pose<double>& X_LC, ShapeKind kind, const Vec3<double>& size,
                              double mu) {
  return {.X_LC = X_LC, .shape = {kind, size}, .material = {.mu = mu}};
}

LinkDescription leg_link(const std::string& name, const std::string& parent,
                         const std::string& joint, JointKind kind, const Pose<double>& X_PL,
                         const Vec3<double>& axis) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.name = joint;
  out.joint.kind = kind;
  out.joint.placement = ScrewPlacement{.X_PL = X_PL, .axis = axis};
  return out;
}

void add_leg(RobotDescription& robot, const Side& side, bool has_shapes, double mu) {
  const std::string name = side.name;
  LinkDescription hip = leg_link(name + "_HIP", "base", name + "_HAA", JointKind::revolute,
                                 translation(mirrored(side, {0.2629, 0.115, 0})), {1, 0, 0});
  hip.inertia = inertia_about_com(
      1.1064, mirrored(side, {0.0542, -0.0136, 0}),
      mirrored_inertia(side, {0.00123301508523, 0.000993231183395, 0.00142160349098,
                              -6.4285329973e-05, 6.9990104e-08, 2.327401345e-06}));
  LinkDescription thigh = leg_link(name + "_THIGH", hip.name, name + "_HFE", JointKind::revolute,
                                   translation(mirrored(side, {0.0585, 0.0315, 0})), {0, 1, 0});
  thigh.inertia = inertia_about_com(
      1.51, mirrored(side, {0.0008, 0.0545, -0.1975}),
      mirrored_inertia(side, {0.0147571628275, 0.0144188925719, 0.00178449075964, -1.7996507882e-05,
                              0.000205877679383, -0.00181291342366}));
  LinkDescription shank = leg_link(name + "_SHANK", thigh.name, name + "_KFE", JointKind::revolute,
                                   translation(mirrored(side, {0, 0.111, -0.25})), {0, 1, 0});
  shank.inertia = inertia_about_com(
      0.318, mirrored(side, {0.016355414056, -0.00562219106, -0.064350437219}),
      mirrored_inertia(side, {0.0037693717909, 0.00400446467635, 0.000418471691904,
                              -7.7334500762e-05, -0.000152069372983, -0.0003218356083}));
  LinkDescription foot = leg_link(
      name + "_FOOT", shank.name, name + "_ANKLE", JointKind::fixed,
      placed(mirrored(side, {0, -0.016, -0.31}), side.y * 0.323, side.x * 0.549), {0, 0, 1});
  foot.inertia = inertia_about_com(
      0.1922685, mirrored(side, {-5.552058e-06, 7.1133124e-05, -0.021388647779}),
      mirrored_inertia(side, {8.3086410294e-05, 8.2860209667e-05, 8.1948124086e-05, 4.16901601e-07,
                              3.99054799e-07, -3.45712252e-07}));
  if (has_shapes) {
    const Vec3<double> motor{0.04, 0, 0.04}, bone{0.015, 0, 0.095};
    hip.collisions = {shape_at(placed(mirrored(side, {0.0585, 0.0315, 0}), side.x * M_PI / 2, 0),
                               ShapeKind::cylinder, motor, mu)};
    thigh.collisions = {shape_at(placed(mirrored(side, {0, 0.07, -0.25}), M_PI / 2, 0),
                                 ShapeKind::cylinder, motor, mu)};
    shank.collisions = {shape_at(placed(mirrored(side, {0.06, -0.03, -0.18}), 0, side.x * 0.34),
                                 ShapeKind::cylinder, bone, mu)};
    foot.collisions = {shape_at(Pose<double>::identity(), ShapeKind::sphere, {0.03, 0, 0}, mu)};
  }
  for (LinkDescription& link : std::array{hip, thigh, shank, foot})
    robot.links.push_back(std::move(link));
}

RobotDescription quadruped(bool has_shapes, double mu) {
  RobotDescription robot;
  robot.name = "anymal";
  LinkDescription base;
  base.name = "base";
  base.joint.name = "base_free";
  base.joint.kind = JointKind::floating;
  base.inertia = inertia_about_com(21.39, {0, 0, 0},
                                   {0.268388530624, 0.884235660795, 0.829158678306,
                                    0.000775392455422, -0.0151848534451, -0.000989297489507});
  if (has_shapes)
    base.collisions = {
        shape_at(translation<double>({0, 0, 0.08}), ShapeKind::box, {0.2655, 0.116, 0.13}, mu)};
  robot.links.push_back(base);
  for (const Side& side : sides) add_leg(robot, side, has_shapes, mu);
  LinkDescription imu = leg_link("imu", "base", "imu_mount", JointKind::fixed,
                                 placed({0.0245, -0.04255, 0.1857}, M_PI, 0), {0, 0, 1});
  imu.inertia = inertia_about_com(
      0.05, {0, 0, 0}, {1.60333333333e-05, 2.80333333333e-05, 1.60333333333e-05, 0, 0, 0});
  robot.links.push_back(imu);
  return robot;
}

// The joints of a leg in the position in which the robot stands, rad.
std::array<double, 3> stance(const Side& side) {
  return {side.y * 0.03, side.x * 0.4, -side.x * 0.8};
}

void place_quadruped(std::vector<double>& q, double height) {
  place(q, {0, 0, height});
  for (const Side& side : sides)
    for (const double angle : stance(side)) q.push_back(angle);
}

double mass_of(const Model& model) {
  double out = 0;
  for (int i = 1; i < model.n_body; ++i) out += model.inertia_B[size_t(i)].m;
  return out;
}

// Returns a force on a frame that is fixed in the world.
ForceFunction force_on(int frame, const Vec3<double>& force_W) {
  return {.robot = 0,
          .frames = {frame},
          .evaluate = [force_W](const ForceFunction::State&, const ForceFunction::Answer& answer) {
            answer.F_F_W[0] = {{0, 0, 0}, force_W};
          }};
}

// Lifts the robot for 1 s by twice its weight.
Start lifted(const Method& method) {
  Start out;
  ModelBuilder builder;
  builder.add(quadruped(false, 0));
  out.model = builder.build();
  place_quadruped(out.q, 2);
  out.v.assign(size_t(out.model->n_v), 0.0);
  Start lift = out;
  lift.load.force_functions = {
      force_on(out.model->frame("base"), {0, 0, 2 * 9.81 * mass_of(*out.model)})};
  Simulation run = begin(lift, method);
  const long long steps = std::llround(1 / method.dt);
  while (run.steps() < steps) run.step();
  out.q.assign(run.state().q().begin(), run.state().q().end());
  out.v = run.state().v;
  return out;
}

Start hit_by_ball() {
  constexpr double mass = 10, speed = 5, height = 2;
  Start out;
  RobotDescription robot = quadruped(true, 0);
  add_ball(robot, "ball", mass, 0.2, {.mu = 0});
  ModelBuilder builder;
  builder.add(robot);
  out.model = builder.build();
  place_quadruped(out.q, height);
  place(out.q, {0, -5, height});
  out.v.assign(size_t(out.model->n_v), 0.0);
  out.v[out.v.size() - 2] = speed;
  out.gravity_W = {0, 0, 0};
  return out;
}

// The motors exert the torques kp (stance - q) - kd v.
ForceFunction hold_stance() {
  return {.robot = 0,
          .frames = {},
          .evaluate = [](const ForceFunction::State& now, const ForceFunction::Answer& answer) {
            constexpr double kp = 40, kd = 1;  // N m/rad, N m s/rad
            for (size_t side = 0; side < sides.size(); ++side)
              for (size_t k = 0; k < 3; ++k) {
                const size_t joint = 3 * side + k;
                answer.tau[6 + joint] =
                    kp * (stance(sides[side])[k] - now.q[7 + joint]) - kd * now.v[6 + joint];
              }
          }};
}

}  // namespace

Task quadruped_energy() {
  Task out;
  out.name = "anymal_energy";
  out.summary = "ANYmal falls freely after a lift of 1 s";
  out.error = "squared error of the energy";
  out.unit = "J^2";
  out.duration = 2;
  out.steps = {1e-5, 4e-5, 1e-4, 4e-4, 1e-3, 4e-3, 1e-2};
  out.start = lifted;
  out.squared_error = [](const Simulation& start) { return energy_error(start.energy().sum()); };
  return out;
}

Task quadruped_momentum() {
  Task out;
  out.name = "anymal_momentum";
  out.summary = "a ball hits ANYmal without gravity";
  out.error = "squared error of the momentum";
  out.unit = "(N s)^2";
  out.duration = 10;
  out.steps = {1e-5, 4e-5, 1e-4, 4e-4, 1e-3, 4e-3, 1e-2};
  out.start = [](const Method&) { return hit_by_ball(); };
  out.squared_error = [](const Simulation&) {
    return [](const Simulation& now) {
      const Vec3<double> error = centroidal(now.state()).momentum.f - Vec3<double>{0, 50, 0};
      return dot(error, error);
    };
  };
  return out;
}

Task quadruped_stand(double duration) {
  Task out;
  out.name = "anymal_stand";
  out.summary = "ANYmal stands on a plane";
  out.duration = duration;
  out.steps = {5e-3};
  out.start = [](const Method&) {
    Start start;
    ModelBuilder builder;
    builder.add(quadruped(true, 0.8));
    builder.add(ground({.mu = 0.8}));
    start.model = builder.build();
    place_quadruped(start.q, 0.54);
    start.v.assign(size_t(start.model->n_v), 0.0);
    start.load.force_functions = {hold_stance()};
    return start;
  };
  return out;
}

}  // namespace torsor::bench::simbenchmark
