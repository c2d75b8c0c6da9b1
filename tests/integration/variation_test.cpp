// Tests of the derivative of an integration step with respect to its start, against central
// differences of steps of the same integrator.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "torsor/integration/variation.hpp"

namespace torsor::test {
namespace {

using State = std::array<double, 2>;  // p, u

// The arguments of a step: the state at its start and a constant force.
struct Start {
  State z;
  double force = 0;
};
const Start start{{0.4, 1.2}, 0.5};
constexpr double step = 0.2;

// The accelerations of the pendulum p' = u,
//   u' = (force - sin p - (damping + p^2 / 5) u) / (1 + ahead damping)
// The denominator applies the damping to the velocity at the time `ahead` later (semi-implicit
// Euler).
constexpr double damping = 0.3;
double acceleration(double p, double u, double force, double ahead) {
  return (force - std::sin(p) - (damping + p * p / 5) * u) / (1 + ahead * damping);
}

struct Pendulum : System {
  explicit Pendulum(double push) : force(push) {}
  Layout layout() const override { return {.velocities = 1}; }
  bool rate(double, const double* z, double ahead, double* zdot) override {
    zdot[0] = z[1];
    zdot[1] = acceleration(z[0], z[1], force, ahead);
    return true;
  }
  double force;
};

// The pendulum and its derivatives with respect to its arguments s = (p, u, force) at the start:
// the positions [p, dp/ds] and the velocities [u, du/ds].
struct PendulumPair : System {
  Layout layout() const override { return {.velocities = 4}; }
  bool rate(double, const double* z, double ahead, double* zdot) override {
    const double *P = z, *U = z + 4, by_p = -std::cos(P[0]) - 2 * P[0] / 5 * U[0],
                 by_u = -damping - P[0] * P[0] / 5;
    std::copy_n(U, 4, zdot);
    zdot[4] = acceleration(P[0], U[0], start.force, ahead);
    for (int k = 1; k < 4; ++k)
      zdot[4 + k] = (by_p * P[k] + by_u * U[k] + (k == 3)) / (1 + ahead * damping);
    return true;
  }
};

class Variation : public testing::TestWithParam<std::string> {
 protected:
  // Returns the state at `time`. A method with fixed steps makes one step of this length.
  State reached(const Start& from, double time) const {
    Pendulum pendulum(from.force);
    const auto stepper = make_stepper(method, tolerances, pendulum);
    stepper->start(0, from.z, 0);
    while (stepper->time() < time) EXPECT_TRUE(stepper->advance(time));
    return {stepper->state()[0], stepper->state()[1]};
  }
  // Returns the derivative of the state at `time` with respect to argument k (p, u or force):
  // central differences, extrapolated to fourth order.
  State slope(int k, double time) const {
    const auto difference = [&](double h) {
      const auto moved = [&](double by) {
        Start from = start;
        (k < 2 ? from.z[size_t(k)] : from.force) += by;
        return reached(from, time);
      };
      const State up = moved(h), down = moved(-h);
      return State{(up[0] - down[0]) / (2 * h), (up[1] - down[1]) / (2 * h)};
    };
    const State coarse = difference(0.02), fine = difference(0.01);
    return {(4 * fine[0] - coarse[0]) / 3, (4 * fine[1] - coarse[1]) / 3};
  }
  void expect_slopes(std::span<const double> pair, double time) const {
    const State z = reached(start, time);
    EXPECT_NEAR(pair[0], z[0], 1e-11);
    EXPECT_NEAR(pair[4], z[1], 1e-11);
    for (int k = 0; k < 3; ++k) {
      SCOPED_TRACE("parameter " + std::to_string(k));
      const State expected = slope(k, time);
      EXPECT_NEAR(pair[size_t(1 + k)], expected[0], tolerance);
      EXPECT_NEAR(pair[size_t(5 + k)], expected[1], tolerance);
    }
  }

  Integrator method = *integrator(GetParam());
  Tolerances tolerances{1e-12, 1e-13};
  // The error of the differences is at most h^4 = 1e-8 times the fifth derivative of the step,
  // which is below 1.
  static constexpr double tolerance = 1e-8;
};
INSTANTIATE_TEST_SUITE_P(Integrators, Variation, testing::ValuesIn(integrator_names()),
                         [](const auto& test) { return test.param; });

std::unique_ptr<Stepper> start_pair(Integrator method, const Tolerances& tolerances, System& state,
                                    System& pair) {
  auto stepper = make_pair_stepper(method, tolerances, state, pair);
  stepper->start(0, std::array<double, 8>{start.z[0], 1, 0, 0, start.z[1], 0, 1, 0}, 0);
  return stepper;
}

TEST_P(Variation, IsTheLimitOfDifferences) {
  Pendulum state(start.force);
  PendulumPair pair;
  const auto stepper = start_pair(method, tolerances, state, pair);
  while (stepper->time() < step) ASSERT_TRUE(stepper->advance(step));
  expect_slopes(stepper->state(), step);
}

// Returns the methods with fixed steps. Their state inside a step is that of a shorter step. The
// other methods interpolate there, so they are not tested inside a step.
std::vector<std::string> fixed_steps() {
  std::vector<std::string> names = integrator_names();
  std::erase_if(
      names, [](const std::string& name) { return traits(integrator(name).value()).is_adaptive; });
  return names;
}
class VariationInside : public Variation {};
INSTANTIATE_TEST_SUITE_P(Integrators, VariationInside, testing::ValuesIn(fixed_steps()),
                         [](const auto& test) { return test.param; });

TEST_P(VariationInside, IsTheLimitOfDifferences) {
  Pendulum state(start.force);
  PendulumPair pair;
  const auto stepper = start_pair(method, tolerances, state, pair);
  ASSERT_TRUE(stepper->advance(step));
  std::array<double, 8> inside{};
  ASSERT_TRUE(stepper->state_at(step / 3, inside));
  expect_slopes(inside, step / 3);
}

TEST(Integrator, NamesReadBack) {
  for (const std::string& text : integrator_names())
    EXPECT_EQ(name(integrator(text).value()), text);
  EXPECT_FALSE(integrator("rk5"));
}

}  // namespace
}  // namespace torsor::test
