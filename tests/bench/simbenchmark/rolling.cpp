#include <fmt/format.h>

#include <cmath>

#include "bench/simbenchmark/bodies.hpp"
#include "bench/simbenchmark/task.hpp"

namespace torsor::bench::simbenchmark {

namespace {

constexpr double box_mass = 10, rolling_mass = 1, pull = 150, weight = 9.81;  // kg, kg, N, m/s^2
constexpr int balls = 25;

// Accelerations of the box and of each ball, m/s^2.
struct Accelerations {
  double box, ball;
};

// Each ball has the inertia 2/5 m r^2 and rolls, if friction suffices. The friction f_2 of the box
// accelerates its centre by f_2 / m, and its lowest point by f_2 / m (1 + 5/2), which is the
// acceleration of the box. The friction f_1 of the ground acts on the box by Coulomb's law:
//   M a = F - f_1 - n f_2,   f_1 = mu_ground (M + n m) g,   a = 7/2 f_2 / m
//   f_2 = (F - f_1) / (M (7/(2 m) + n/M))
Accelerations rolling_accelerations(double mu_ground) {
  const double f1 = mu_ground * (box_mass + balls * rolling_mass) * weight;
  const double f2 = (pull - f1) / box_mass / (3.5 / rolling_mass + balls / box_mass);
  return {(pull - f1 - balls * f2) / box_mass, f2 / rolling_mass};
}

Vec3<double> rolling_direction(bool is_diagonal) {
  return is_diagonal ? Vec3<double>{0.5, std::sqrt(0.75), 0} : Vec3<double>{0, 1, 0};
}

// The bodies start with the overlaps of the suite, by which its engines find the contacts.
Start rolling_start(const Vec3<double>& direction, double mu_ground, double mu_ball) {
  constexpr double overlap = 2e-5;
  Start out;
  RobotDescription robot;
  robot.name = "rolling";
  add_block(robot, "box", box_mass, {20, 20, 1}, {.mu = 0.8});
  place(out.q, {0, 0, 0.5 - overlap});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      add_ball(robot, fmt::format("ball{}{}", i, j), rolling_mass, 0.5, {.mu = 1});
      place(out.q, {2.0 * i - 4, 2.0 * j - 4, 1.5 - 3 * overlap});
    }
  for (size_t k = 1; k < robot.links.size(); ++k)
    robot.collision_pairs.push_back({.names = {"box", robot.links[k].name}, .mu = mu_ball});
  ModelBuilder builder;
  builder.add(robot);
  builder.add(ground({.mu = 0.5}));
  builder.add(CollisionPairDescription{.names = {"box", "world"}, .mu = mu_ground});
  out.model = builder.build();
  out.v.assign(size_t(out.model->n_v), 0.0);
  // The box does not turn, so that its axes are those of the world.
  out.load.wrench_F = {{out.model->frame("box"), {{0, 0, 0}, pull * direction}}};
  return out;
}

}  // namespace

// The error is |velocity of the box - its exact one|^2 + the same of the first ball. The exact
// velocities are always those of the suite's friction.
Task rolling(bool is_diagonal, double mu_ground, double mu_ball) {
  const Vec3<double> direction = rolling_direction(is_diagonal);
  Task out;
  out.name = is_diagonal ? "rolling_xy" : "rolling_y";
  out.summary = "a box is pulled over a plane and carries 25 balls";
  out.error = "squared error of two velocities";
  out.unit = "(m/s)^2";
  out.duration = 4;
  out.steps = {1e-3};
  out.start = [=](const Method&) { return rolling_start(direction, mu_ground, mu_ball); };
  out.squared_error = [direction](const Simulation&) {
    return [direction, exact = rolling_accelerations(0.4)](const Simulation& now) {
      const State& state = now.state();
      const auto error = [&](int body, double acceleration) {
        const Vec3<double> d =
            centre_velocity(state.q(), state.v, body) - (acceleration * now.time()) * direction;
        return dot(d, d);
      };
      return error(0, exact.box) + error(1, exact.ball);
    };
  };
  return out;
}

}  // namespace torsor::bench::simbenchmark
