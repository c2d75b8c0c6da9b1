#include <fmt/format.h>

#include <algorithm>

#include "bench/simbenchmark/bodies.hpp"
#include "bench/simbenchmark/task.hpp"
#include "torsor/base/random.hpp"

namespace torsor::bench::simbenchmark {

namespace {

constexpr double ball_radius = 0.1, ball_mass = 10;  // m, kg

Start on_ground(const RobotDescription& robot, std::vector<double> q,
                const ContactMaterial& material) {
  ModelBuilder builder;
  builder.add(robot);
  builder.add(ground(material));
  Start out{.model = builder.build(), .q = std::move(q), .v = {}};
  out.v.assign(size_t(out.model->n_v), 0.0);
  return out;
}

Start cube_of_balls(int n, double height, double restitution) {
  constexpr double spacing = 0.21, scatter = 0.001;  // m
  const ContactMaterial material{.mu = 0, .restitution = restitution};
  Random random(42);
  RobotDescription robot;
  robot.name = "cube";
  std::vector<double> q;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        add_ball(robot, fmt::format("ball{}", robot.links.size()), ball_mass, ball_radius,
                 material);
        // separate statements, so that the order of the numbers is defined
        const double x = spacing * i + random.uniform(0, scatter);
        const double y = spacing * j + random.uniform(0, scatter);
        const double z = spacing * k + random.uniform(0, scatter) + height;
        place(q, {x, y, z});
      }
  return on_ground(robot, std::move(q), material);
}

// Returns the sum of the squared overlaps of all pairs of balls, and of balls and the ground, m^2.
double squared_overlaps(const Simulation& now) {
  const std::span<const double> q = now.state().q();
  const int n = int(q.size()) / 7;
  double out = 0;
  const auto add = [&](double overlap) { out += overlap > 0 ? overlap * overlap : 0; };
  for (int i = 0; i < n; ++i) {
    add(ball_radius - centre(q, i).z);
    for (int j = i + 1; j < n; ++j) add(2 * ball_radius - norm(centre(q, i) - centre(q, j)));
  }
  return out;
}

Task cube_task(const char* name, const char* summary, int n, double height, double duration,
               double restitution) {
  Task out;
  out.name = name;
  out.summary = summary;
  out.duration = duration;
  out.start = [=](const Method&) { return cube_of_balls(n, height, restitution); };
  return out;
}

}  // namespace

// The energy of balls without contact is kinetic + potential, as in Simulation::energy().
SquaredError energy_error(double exact) {
  return [exact](const Simulation& now) {
    const double error = now.energy().sum() - exact;
    return error * error;
  };
}

Task bouncing(double restitution) {
  Task out;
  out.name = "bouncing";
  out.summary = "49 balls bounce on a plane";
  out.error = "squared error of the energy";
  out.unit = "J^2";
  out.duration = 20;
  out.steps = {1e-5, 4e-5, 1e-4, 4e-4, 1e-3, 4e-3, 1e-2, 4e-2, 0.1};
  out.start = [restitution](const Method&) {
    const ContactMaterial material{.mu = 0, .restitution = restitution};
    RobotDescription robot;
    robot.name = "balls";
    std::vector<double> q;
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) {
        add_ball(robot, fmt::format("ball{}{}", i, j), ball_mass, ball_radius, material);
        place(q, {2.0 * i, 2.0 * j, 5});
      }
    return on_ground(robot, std::move(q), material);
  };
  out.squared_error = [](const Simulation&) { return energy_error(49 * ball_mass * 9.81 * 5); };
  return out;
}

Task inelastic_cube(int n, double height, double duration) {
  Task out = cube_task("666", "216 balls fall into a heap, inelastic", n, height, duration, 0);
  out.error = "sum of squared overlaps";
  out.unit = "m^2";
  out.steps = {1e-4, 4e-4, 1e-3, 4e-3, 1e-2, 4e-2, 0.1};
  out.squared_error = [](const Simulation&) { return squared_overlaps; };
  return out;
}

Task elastic_cube(int n, double height, double duration) {
  Task out = cube_task("666_elastic", "216 balls fall, elastic", n, height, duration, 1);
  out.error = "squared error of the energy";
  out.unit = "J^2";
  out.steps = {1e-4, 4e-4, 1e-3, 4e-3, 1e-2, 4e-2, 0.1};
  out.squared_error = [](const Simulation& start) { return energy_error(start.energy().sum()); };
  return out;
}

}  // namespace torsor::bench::simbenchmark
