// Tests of sensors: the measurements of sampled controllers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

// The measurements for q = f(k T) and v = g(k T), k = 0, 1, ...
struct Seen {
  List q, v;
};
template <class F, class G>
Seen look(const Sensor& sensor, double T, const F& f, const G& g_) {
  const auto model = build(slider());
  SensorMemory memory(*model, sensor, T);
  List stored(memory.size());
  Seen out;
  for (int k = 0; k < 2000; ++k) {
    const List q{f(k * T)}, v{g_(k * T)};
    const Measured seen = memory.measure(*model, k, {k * T, q, v}, stored);
    out.q.push_back(seen.q[0]);
    out.v.push_back(seen.v[0]);
  }
  return out;
}
double line(double t) {
  return 0.3 * t - 0.1;
}
double rate(double) {
  return 0.3;
}

TEST(Sensor, WithoutOptionsIsExact) {
  const Seen seen = look({}, 0.01, line, rate);
  EXPECT_EQ(seen.q[7], line(0.07));
  EXPECT_EQ(seen.v[7], 0.3);
}

TEST(Sensor, RoundsToItsResolution) {
  const Seen seen = look({.resolution = 0.004}, 0.01, line, rate);
  for (size_t k = 0; k < seen.q.size(); ++k) {
    EXPECT_NEAR(seen.q[k], line(0.01 * double(k)), 0.002 + 1e-12);
    EXPECT_NEAR(std::remainder(seen.q[k], 0.004), 0, 1e-12);
  }
}

TEST(Sensor, DifferentiatesPositions) {
  const Seen seen = look({.differentiates = true}, 0.01, line, [](double) { return 99.0; });
  // Before the start, the joint is at its first position.
  EXPECT_EQ(seen.v[0], 0);
  for (size_t k = 1; k < seen.v.size(); ++k) EXPECT_NEAR(seen.v[k], 0.3, 1e-10);
  // A rate that is differentiated with the resolution r is a multiple of r / T.
  const Seen steps = look({.resolution = 0.004, .differentiates = true}, 0.01, line, rate);
  for (const double v : steps.v) EXPECT_NEAR(std::remainder(v, 0.4), 0, 1e-9);
}

TEST(Sensor, Delays) {
  const Seen seen = look({.delay = 0.03}, 0.01, line, rate);
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(seen.q[k], line(0));
  for (size_t k = 3; k < seen.q.size(); ++k) EXPECT_EQ(seen.q[k], line(0.01 * double(k - 3)));
}

// Checks that noise is normal with the given standard deviation, that it depends only on the seed,
// and that it is independent in q and v.
TEST(Sensor, IsNoisy) {
  const auto still = [](double) { return 0.0; };
  const Seen a = look({.noise = 0.1, .rate_noise = 2, .seed = 7}, 0.01, still, still),
             b = look({.noise = 0.1, .rate_noise = 2, .seed = 7}, 0.01, still, still),
             c = look({.noise = 0.1, .rate_noise = 2, .seed = 8}, 0.01, still, still);
  EXPECT_EQ(a.q, b.q);
  EXPECT_NE(a.q, c.q);
  double mean = 0, square = 0, rates = 0, mixed = 0, beyond = 0;
  const double n = double(a.q.size());
  for (size_t k = 0; k < a.q.size(); ++k) {
    mean += a.q[k] / n;
    square += a.q[k] * a.q[k] / n;
    rates += a.v[k] * a.v[k] / n;
    mixed += a.q[k] * a.v[k] / n;
    beyond += (std::abs(a.q[k]) > 0.1) / n;
  }
  EXPECT_NEAR(mean, 0, 0.1 * 4 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(square), 0.1, 0.1 * 4 / std::sqrt(2 * n));
  EXPECT_NEAR(std::sqrt(rates), 2, 2 * 4 / std::sqrt(2 * n));
  EXPECT_NEAR(mixed, 0, 0.2 * 4 / std::sqrt(n));
  EXPECT_NEAR(beyond, 0.317, 4 * std::sqrt(0.317 * 0.683 / n));
}

// Checks that a sensor's memory is part of the state of a run: a copy of the simulation continues
// with the same bits.
TEST(Sensor, ContinuesFromASnapshot) {
  const auto make = [] {
    Simulation s(build(slider()), solver_factory(), Integrator::rk4, 0.01);
    Load load;
    const auto law = [](const Measured& at, double, std::span<const double>,
                        const ControlLaw::Answer& out) {
      out.memory[0] += at.q[0];
      out.tau[0] = -40 * at.q[0] - 6 * at.v[0] - out.memory[0];
    };
    load.controls = {{.name = "law",
                      .law = std::make_shared<FunctionLaw>(law, 0, List{0.5}),
                      .period = 0.004,
                      .sensor = {.resolution = 1e-3,
                                 .noise = 1e-3,
                                 .differentiates = true,
                                 .delay = 0.012,
                                 .seed = 3}}};
    s.set_load(load);
    s.set_state(List{0.5}, List{0});
    return s;
  };
  expect_forks_continue(make);
}

TEST(Sensor, RejectsInvalidSettings) {
  const auto model = build(slider());
  const auto rejected = [&](const Sensor& sensor) -> std::string {
    try {
      SensorMemory(*model, sensor, 0.01);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejected({.delay = 0.03}), "");
  EXPECT_THAT(rejected({.delay = 0.035}),
              HasSubstr("delay is 0.035; it must be a whole number of periods of 0.01 s"));
  EXPECT_THAT(rejected({.delay = -0.01}), HasSubstr("must not be negative"));
  EXPECT_THAT(rejected({.noise = std::nan("")}), HasSubstr("noise is nan"));
  EXPECT_THAT(rejected({.resolution = -1}), HasSubstr("resolution is -1"));
}

}  // namespace
}  // namespace torsor::test
