// Tests of energies against closed forms and against the mass matrix.

#include <gtest/gtest.h>

#include "support/dense_dynamics.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

constexpr double energy_rounding = 1e-12;

// Compares with point masses at the ends of rods, whose positions and velocities are summed without
// Jacobians.
// Equations: KHALIL 7.9, 7.24; RCFS 105.
TEST(Energy, PlanarChainOfPointMasses) {
  Random random(1);
  for (const int n : {1, 2, 3, 5, 10}) {
    const Vector length =
        Eigen::Map<const Vector>(random_values(random, n, 1).data(), n).cwiseAbs();
    const Vector mass = Eigen::Map<const Vector>(random_values(random, n, 2).data(), n).cwiseAbs();
    const auto model = build(planar_n_link(length, mass));
    State state(model);
    state.set_q(random_values(random, n, 3));
    state.v = random_values(random, n, 2);
    state.set_gravity({0, -9.81, 0});
    double kinetic = 0, potential = 0, angle = 0, rate = 0;
    Eigen::Vector2d p(0, 0), v(0, 0);
    for (int i = 0; i < n; ++i) {
      angle += state.q()[size_t(i)];
      rate += state.v[size_t(i)];
      p += length[i] * Eigen::Vector2d(std::cos(angle), std::sin(angle));
      v += length[i] * rate * Eigen::Vector2d(-std::sin(angle), std::cos(angle));
      kinetic += 0.5 * mass[i] * v.squaredNorm();
      potential += mass[i] * 9.81 * p[1];
    }
    EXPECT_NEAR(kinetic_energy(state), kinetic, energy_rounding * kinetic);
    EXPECT_NEAR(potential_energy(state), potential,
                energy_rounding * 9.81 * mass.sum() * length.sum());
  }
}

// Equations: KHALIL 7.5; JIN 36; MR 9.10, 9.60.
TEST(Energy, KineticIsTheQuadraticFormOfTheMassMatrix) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(10, Shape::tree, seed, Kinds::every));
    const State state = random_state(model, random);
    const torsor_model flat = model->view();
    const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
    const double expected = 0.5 * v.dot(DenseDynamics(flat, state.view()).M * v);
    EXPECT_NEAR(kinetic_energy(state), expected, energy_rounding * expected);
  }
}

// Checks that dU/dq is the gravity torque, against central differences of second order.
TEST(Energy, PotentialFallsAlongGravity) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(10, Shape::tree, seed, Kinds::every));
    State state = random_state(model, random);
    const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
    const torsor_model flat = model->view();
    const double exact = DenseDynamics(flat, state.view()).g.dot(v);
    const std::vector<double> q(state.q().begin(), state.q().end());
    const auto error = [&](double h) {
      double U[2];
      for (const int side : {0, 1}) {
        std::vector<double> at(q.size());
        integrate(*model, q.data(), state.v.data(), side ? h : -h, at.data());
        state.set_q(at);
        U[side] = potential_energy(state);
      }
      return std::abs((U[1] - U[0]) / (2 * h) - exact);
    };
    EXPECT_LT(error(1e-3), 1e-4 * std::abs(exact) + 1e-4);
    EXPECT_NEAR(observed_order(error(2e-2), error(1e-2)), 2, 0.1);
  }
}

// Checks that a link fixed to the world has no energy, whatever its mass. Potential energy is zero
// at the height of the world's origin.
TEST(Energy, OfFixedLinksIsZero) {
  RobotDescription robot = planar_n_link(Vector::Constant(1, 2), Vector::Constant(1, 3));
  LinkDescription anvil;
  anvil.name = "anvil";
  anvil.joint.placement = ScrewPlacement{.X_PL = translation<double>({0, 5, 0})};
  anvil.inertia = inertia_about_com(1e3, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  robot.links.push_back(anvil);
  State state(build(robot));
  state.set_gravity({0, -10, 0});
  // The rod lies along x, at height zero.
  EXPECT_EQ(potential_energy(state), 0);
  EXPECT_EQ(kinetic_energy(state), 0);
  state.v[0] = 1;
  EXPECT_DOUBLE_EQ(kinetic_energy(state), 6);  // m l^2 / 2
}

TEST(Energy, OfARotor) {
  RobotDescription robot = planar_n_link(Vector::Constant(1, 2), Vector::Constant(1, 3));
  robot.links[0].joint.armature = 8;
  State state(build(robot));
  state.v[0] = 3;
  EXPECT_DOUBLE_EQ(kinetic_energy(state), 0.5 * (3 * 2 * 2 + 8) * 9);
}

}  // namespace
}  // namespace torsor::test
