// Long runs of closed mechanisms: their loops stay closed, and the energy stays bounded.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/closed_mechanism.hpp"

namespace torsor::test {
namespace {

// The lengths of the links are about 1 m, so that errors in m are also relative ones.
TEST(ClosedLoops, StayClosedForAMillionSteps) {
  for (const char* name : {"A1_fourbar", "A3_fivebar", "A5_bricard"}) {
    Simulation run = ClosedMechanism(name).start(Integrator::rk4, 1e-3);
    double largest = 0;
    for (int k = 0; k < 1'000'000; ++k) {
      run.step();
      if (k % 1000 == 0)
        for (const double error : run.closure_errors())
          largest = std::max(largest, std::abs(error));
    }
    std::printf("%-30s largest error %.1e\n", name, largest);
    EXPECT_LT(largest, 1e-12) << name;
  }
}

// A four-bar linkage without gravity, whose crank turns without end.
Simulation turning(const ClosedMechanism& mechanism, Integrator integrator, double dt) {
  Simulation run = mechanism.start(integrator, dt);
  run.set_gravity({0, 0, 0});
  std::vector<double> v(size_t(mechanism.model->n_v), 0.0),
      q(run.state().q().begin(), run.state().q().end());
  const int crank = mechanism.model->joints[0].v_index;
  v[size_t(crank)] = 6;
  std::vector<char> held(v.size(), 0);
  held[size_t(crank)] = 1;
  run.set_state(q, v, held);
  return run;
}

// The largest relative error of the energy in the first and in the second half of a run.
struct EnergyErrors {
  double early = 0, late = 0, turns = 0;
};
EnergyErrors energy_errors(Simulation run, double turns) {
  EnergyErrors out;
  const double start = run.energy().sum(), q0 = run.state().q()[0];
  while (out.turns < turns) {
    run.step();
    out.turns = std::abs(run.state().q()[0] - q0) / 6.283185307179586;
    double& half = out.turns < turns / 2 ? out.early : out.late;
    half = std::max(half, std::abs(run.energy().sum() / start - 1));
  }
  return out;
}

// A symplectic method keeps the energy, also of a crank that turns in one direction.
TEST(ClosedLoops, KeepTheEnergyOverManyTurns) {
  const auto [early, late, turns] = energy_errors(
      turning(ClosedMechanism("A1_fourbar"), Integrator::implicit_midpoint, 1e-2), 3000);
  std::printf("%.0f turns: relative energy error %.3e in the first half, %.3e in the second\n",
              turns, early, late);
  EXPECT_LT(late, 1.001 * early);
}

// The drift of the energy with rk4 has the order of the method.
TEST(ClosedLoops, TheEnergyErrorOfRk4HasItsOrder) {
  const ClosedMechanism mechanism("A1_fourbar");
  const double coarse = energy_errors(turning(mechanism, Integrator::rk4, 2.5e-3), 20).late,
               fine = energy_errors(turning(mechanism, Integrator::rk4, 1.25e-3), 20).late;
  std::printf("rk4: %.2e and %.2e, order %.2f\n", coarse, fine, std::log2(coarse / fine));
  EXPECT_GT(std::log2(coarse / fine), 3.7);
}

}  // namespace
}  // namespace torsor::test
