// Tests of sensors on robots: their noise, delay and sampling times, and what controllers read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/contact_bodies.hpp"
#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "support/allocation_counter.hpp"
#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

// Returns what a sensor provides after each of n samples of exact(k).
template <class Exact>
std::vector<List> provided(const std::vector<RobotSensor>& sensors, size_t which, int n,
                           const Exact& exact) {
  const auto model = build(slider());
  const RobotSensors made(*model, sensors, 0.01);
  List stored(made.n_stored());
  std::vector<List> out;
  for (int k = 0; k < n; ++k) {
    made.take(which, k, exact(k), stored);
    const auto now = made.measured(which, stored);
    out.emplace_back(now.begin(), now.end());
  }
  return out;
}

// The average of x[k] y[k + lag] over k, where x and y are columns of samples minus their mean.
double covariance(const std::vector<List>& a, size_t x, const std::vector<List>& b, size_t y,
                  double mean_x, double mean_y, size_t lag = 0) {
  double sum = 0;
  for (size_t k = 0; k + lag < a.size(); ++k) sum += (a[k][x] - mean_x) * (b[k + lag][y] - mean_y);
  return sum / double(a.size() - lag);
}

// The noise of each value has its standard deviation, and is independent of the other values, of
// other times and of other sensors with the same seed. The tolerances are 5 standard deviations of
// each estimate from n samples.
TEST(RobotSensor, NoiseHasItsStatistics) {
  const RobotSensor imu{.name = "a",
                        .noise = {0.01, 0.02, 0.03, 0.2, 0.4, 0.6},
                        .bias = {1, 0, -1, 2, 0, 0},
                        .seed = 5};
  RobotSensor other = imu, reseeded = imu;
  other.name = "b";
  reseeded.seed = 6;
  const List exact{0.5, 0, 0, 0, 0, 9.81};
  constexpr int n = 20000;
  const auto still = [&](int) { return exact; };
  const auto a = provided({imu, other}, 0, n, still), b = provided({imu, other}, 1, n, still),
             c = provided({reseeded}, 0, n, still);
  EXPECT_EQ(a, provided({imu}, 0, n, still));
  for (size_t x = 0; x < 6; ++x) {
    const double mean = exact[x] + imu.bias[x], sigma = imu.noise[x], bound = 5 / std::sqrt(n);
    double sum = 0, beyond = 0;
    for (const List& each : a) {
      sum += each[x] / n;
      beyond += double(std::abs(each[x] - mean) > sigma) / n;
    }
    EXPECT_NEAR(sum, mean, sigma * bound);
    EXPECT_NEAR(std::sqrt(covariance(a, x, a, x, mean, mean)), sigma, sigma * bound / std::sqrt(2));
    EXPECT_NEAR(beyond, 0.3173, bound * std::sqrt(0.3173 * 0.6827));
    EXPECT_NEAR(covariance(a, x, a, x, mean, mean, 1), 0, sigma * sigma * bound);
    EXPECT_NEAR(covariance(a, x, b, x, mean, mean), 0, sigma * sigma * bound);
    EXPECT_NEAR(covariance(a, x, c, x, mean, mean), 0, sigma * sigma * bound);
    const size_t y = (x + 1) % 6;
    EXPECT_NEAR(covariance(a, x, a, y, mean, exact[y] + imu.bias[y]), 0,
                sigma * imu.noise[y] * bound);
  }
}

TEST(RobotSensor, DelaysAndRounds) {
  const RobotSensor force{.kind = SensorKind::contact_force,
                          .bias = {0.04, 0, 0},
                          .resolution = {0.5, 0, 0.25},
                          .delay = 0.03};
  const auto seen = provided({force}, 0, 40, [](int k) { return List{0.1 * k, 1.0 * k, 0.2}; });
  for (int k = 0; k < 40; ++k) {
    const int at = std::max(0, k - 3);
    const List expected{0.5 * std::round((0.1 * at + 0.04) / 0.5), 1.0 * at, 0.25};
    EXPECT_EQ(seen[size_t(k)], expected) << k;
  }
}

// A noisy switch closes with the probability that its noisy force is above the threshold.
TEST(RobotSensor, ASwitchComparesTheForce) {
  const RobotSensor exact{.kind = SensorKind::touch, .threshold = 1};
  const auto ramp = provided({exact}, 0, 40, [](int k) { return List{0.1 * k}; });
  for (int k = 0; k < 40; ++k) EXPECT_EQ(ramp[size_t(k)][0], 0.1 * k > 1) << k;
  const RobotSensor noisy{
      .kind = SensorKind::touch, .noise = {0.5}, .bias = {0.25}, .threshold = 1.5};
  constexpr int n = 20000;
  double closed = 0;
  for (const List& each : provided({noisy}, 0, n, [](int) { return List{0.75}; }))
    closed += each[0] / n;
  EXPECT_NEAR(closed, 0.1587, 5 * std::sqrt(0.1587 * 0.8413 / n));  // beyond one deviation
}

TEST(RobotSensor, RejectsWrongSettings) {
  const auto error = [](const RobotSensor& sensor, int copies = 1) {
    const auto model = build(slider());
    return error_of([&] {
      (void)RobotSensors(*model, std::vector<RobotSensor>(size_t(copies), sensor), 0.01);
    });
  };
  const RobotSensor right{.name = "imu", .source = "a.lua:3"};
  EXPECT_NO_THROW((void)RobotSensors(*build(slider()), std::vector{right}, 0.01));
  const auto with = [&](auto change) {
    RobotSensor out = right;
    change(out);
    return error(out);
  };
  EXPECT_EQ(with([](RobotSensor& s) { s.noise = {-1, 0, 0, 0, 0, 0}; }),
            "a.lua:3: sensor 'imu' of robot 'slider': the sensor's noise is -1; it must not be "
            "negative");
  EXPECT_THAT(with([](RobotSensor& s) { s.delay = -0.1; }),
              HasSubstr("delay is -0.1; it must not"));
  EXPECT_THAT(with([](RobotSensor& s) { s.delay = 0.013; }),
              HasSubstr("it must be a whole number of periods of 0.01 s"));
  EXPECT_THAT(with([](RobotSensor& s) { s.bias = {NAN, 0, 0, 0, 0, 0}; }),
              HasSubstr("bias must be finite"));
  EXPECT_THAT(with([](RobotSensor& s) { s.period = 1e-6; }), HasSubstr("at least a thousandth"));
  EXPECT_THAT(error(right, 2), HasSubstr("another sensor of the robot has the same name"));
}

// Checks the times of samples and the delay on an acceleration a = t. Two of five periods end
// within steps.
TEST(RobotSensor, SamplesAtItsTimes) {
  for (const Integrator integrator : every_integrator()) {
    Simulation s(build(slider()), solver_factory(), integrator, 0.01);
    Load load;
    load.tau_of_time = [](double t, std::span<double> tau) { tau[0] += t; };
    load.sensors = {
        {.name = "slow", .frame = s.model().frame("cart"), .period = 0.004},
        {.name = "late", .frame = s.model().frame("cart"), .period = 0.004, .delay = 0.012},
        {.name = "step", .frame = s.model().frame("cart")}};
    s.begin(load, List{0}, List{0});
    for (int n = 0; n < 30; ++n) {
      const int k = int(std::floor(n * 0.01 / 0.004 + 1e-9));
      EXPECT_NEAR(s.sensor_measured(0)[3], 0.004 * k, 1e-12) << name(integrator) << " " << n;
      EXPECT_NEAR(s.sensor_measured(1)[3], 0.004 * std::max(0, k - 3), 1e-12) << name(integrator);
      EXPECT_NEAR(s.sensor_measured(2)[3], 0.01 * n, 1e-12) << name(integrator);
      EXPECT_NEAR(s.sensor_measured(0)[5], 9.81, 1e-12);
      s.step();
    }
  }
}

// A controller reads accelerations by the torques before its own: at its k-th sample, those of the
// torque that it set at the sample before.
TEST(RobotSensor, ControllersReadWhatHappenedBefore) {
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::dormand_prince, Integrator::time_stepping}) {
    List read;
    const auto law = [&](const Measured& at, double, std::span<const double>,
                         const ControlLaw::Answer& out) {
      read.push_back(at.sensors[3]);
      out.memory[0] += 1;
      out.tau[0] = out.memory[0];
    };
    Simulation s(build(slider()), solver_factory(), integrator, 0.01);
    Load load;
    load.sensors = {{.name = "imu", .frame = s.model().frame("cart"), .period = 0.02}};
    load.controls = {{.name = "law",
                      .law = std::make_shared<FunctionLaw>(law, 0, List{0}),
                      .period = 0.02,
                      .sensors = {0}}};
    s.begin(load, List{0}, List{0});
    read.erase(read.begin(), read.end() - 1);  // the start may be evaluated several times
    for (int n = 0; n < 10; ++n) s.step();
    ASSERT_EQ(read.size(), 6u);
    for (size_t k = 0; k < read.size(); ++k) EXPECT_NEAR(read[k], double(k), 1e-12);
  }
}

TEST(RobotSensor, ContinuousControlsReadNone) {
  Simulation s(build(slider()), solver_factory(), Integrator::rk4, 0.01);
  Load load;
  load.sensors = {{.name = "imu", .frame = 0}};
  load.controls = {{.name = "law",
                    .law = std::make_shared<FunctionLaw>(FunctionLaw::Function()),
                    .sensors = {0}}};
  EXPECT_THAT(error_of([&] { s.set_load(load); }),
              HasSubstr("the control 'law' has a sensor: give it a sampling rate"));
}

// A finger of 1 kg that slides along z, 1 cm above a plane.
std::shared_ptr<const Model> finger() {
  RobotDescription robot = slider();
  robot.links[0].joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  robot.links[0].collisions = {{.shape = {ShapeKind::sphere, {0.1, 0, 0}}}};
  return on_plane(robot, {});
}

std::vector<RobotSensor> sensors_of(const Model& model) {
  const int cart = model.frame("cart");
  return {{.name = "imu",
           .frame = cart,
           .noise = List(6, 0.1),
           .bias = List(6, 0.01),
           .delay = 0.003,
           .seed = 3},
          {.name = "wrench",
           .kind = SensorKind::joint_wrench,
           .frame = cart,
           .joint = 0,
           .noise = List(6, 0.1),
           .period = 0.002,
           .delay = 0.004},
          {.name = "touch",
           .kind = SensorKind::touch,
           .link = 0,
           .noise = {0.1},
           .threshold = 0.5,
           .delay = 0.002},
          {.name = "force", .kind = SensorKind::contact_force, .link = 0, .noise = {0.1, 0, 0.2}}};
}

// The finger lands on the plane, and its law reacts to all sensors.
Simulation probing(bool reads = true) {
  const auto model = finger();
  Simulation s(model, solver_factory(), Integrator::time_stepping, 1e-3);
  const auto law = [](const Measured& at, double, std::span<const double>,
                      const ControlLaw::Answer& out) {
    for (const double value : at.sensors) out.memory[0] += value;
    out.tau[0] = 9 - 5 * at.v[0] - 1e-3 * out.memory[0];
  };
  Load load;
  if (reads) load.sensors = sensors_of(*model);
  load.controls = {{.name = "law",
                    .law = std::make_shared<FunctionLaw>(law, 0, List{0}),
                    .period = 0.002,
                    .sensors = reads ? std::vector<int>{0, 1, 2, 3} : std::vector<int>()}};
  s.begin(load, List{0.11}, List{-0.3});
  return s;
}

TEST(RobotSensor, ContinuesFromASnapshot) {
  expect_forks_continue([] { return probing(); });
  Simulation a = probing(), b = probing();
  bool touched = false;
  for (int k = 0; k < 100; ++k) {
    a.step(), b.step();
    touched |= a.sensor_measured(2)[0] > 0;
    ASSERT_EQ(bits(a.snapshot()), bits(b.snapshot()));
  }
  EXPECT_TRUE(touched);
  const Snapshot middle = a.snapshot();
  for (int k = 0; k < 50; ++k) a.step();
  b.restore(middle);
  for (int k = 0; k < 50; ++k) b.step();
  EXPECT_EQ(bits(a.snapshot()), bits(b.snapshot()));
}

// Sensors that no control reads do not change the motion, not even its last bit.
TEST(RobotSensor, DoesNotChangeTheMotion) {
  for (const Integrator integrator : every_integrator()) {
    const auto run = [&](bool sensed) {
      const auto model = integrator == Integrator::time_stepping ? finger() : sticking_arm();
      Simulation s(model, solver_factory(), integrator, 1e-3);
      Load load;
      if (sensed)
        for (const double period : {0.0, 0.003})
          load.sensors.push_back({.name = period > 0 ? "slow" : "fast",
                                  .kind = SensorKind::joint_wrench,
                                  .joint = 0,
                                  .period = period});
      s.begin(load, model->n_v == 1 ? List{0.11} : List{0.1, 0.2}, List(size_t(model->n_v), 0.5));
      for (int k = 0; k < 100; ++k) s.step();
      Snapshot out = s.snapshot();
      out.held.clear();
      return bits(out);
    };
    EXPECT_EQ(run(true), run(false)) << name(integrator);
  }
}

// Checks that steps with sensors allocate as often as steps without. Steps with contacts allocate.
TEST(RobotSensor, ASampleAllocatesNothing) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call, which allocates";
#endif
  for (const Integrator integrator : {Integrator::rk4, Integrator::time_stepping}) {
    const auto count = [&](bool sensed) {
      const bool touches = integrator == Integrator::time_stepping;
      const auto model = touches ? finger() : build(slider());
      Simulation s(model, solver_factory(), integrator, 1e-3);
      Load load;
      if (sensed) load.sensors = sensors_of(*model);
      if (sensed && !touches) load.sensors.resize(2);
      s.begin(load, List{0.1}, List{0});
      for (int k = 0; k < 10; ++k) s.step();  // the first contacts make room
      if (sensed && touches) {
        EXPECT_EQ(s.sensor_measured(2)[0], 1);
      }
      const long before = allocations();
      for (int k = 0; k < 10; ++k) s.step();
      return allocations() - before;
    };
    EXPECT_EQ(count(true), count(false)) << name(integrator);
  }
}

}  // namespace
}  // namespace torsor::test
