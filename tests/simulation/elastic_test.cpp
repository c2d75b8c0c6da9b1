// Tests of elastic joints (KHALIL 7.34, 7.35a, 7.35b). The references are states of an independent
// program in extended precision (tests/reference/elastic.json), and rigid joints for large k.
// Another test compares the number of rates of stiff and explicit methods.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/elastic_arms.hpp"

namespace torsor::test {
namespace {

struct Case {
  std::shared_ptr<const Model> model;
  Load load;
  Json table;
  size_t n;
};
Case case_of(const Json& table) {
  RobotDescription robot = planar(table["model"]);
  for (size_t i = 0; i < robot.links.size(); ++i) {
    robot.links[i].joint.damping = table["Fv"][i].get<double>();
    robot.links[i].joint.drives = {elastic_drive(table["k"][i], table["Ia"][i], table["Fvm"][i])};
  }
  Load load;
  if (table["name"] == "single_forced_damped_k1000")
    load.tau_of_time = [](double t, std::span<double> tau) { tau[0] += 5 * std::sin(3 * t); };
  if (table["name"] == "2r_forced_damped")
    load.tau_of_time = [](double t, std::span<double> tau) {
      tau[0] += 5 * std::sin(3 * t);
      tau[1] += -2 * std::cos(4 * t);
    };
  return {build(robot), load, table, robot.links.size()};
}

struct Deviation {
  double positions = 0, velocities = 0, ledger = 0;
  long long rates = 0;
};
Deviation deviation_of(const Case& c, Integrator integrator, double dt,
                       const Tolerances& tolerances = {1e-12, 1e-13}) {
  Simulation s(c.model, solver_factory(), integrator, dt, tolerances);
  s.set_gravity({0, -9.81, 0});
  s.set_load(c.load);
  const std::vector<double> y0 = c.table["y0"];
  const std::span<const double> y(y0);
  s.set_state(y.first(c.n), y.subspan(2 * c.n, c.n));
  s.set_motors(y.subspan(c.n, c.n), y.subspan(3 * c.n, c.n));
  Deviation out;
  double scale = 0;
  for (size_t row = 0; row < c.table["t"].size(); ++row) {
    while (s.time() < c.table["t"][row].get<double>() - dt / 2) s.step();
    const std::vector<double> expected = c.table["state"][row];
    for (size_t i = 0; i < c.n; ++i) {
      out.positions = std::max({out.positions, std::abs(s.state().q()[i] - expected[i]),
                                std::abs(s.motor_q()[i] - expected[c.n + i])});
      out.velocities = std::max({out.velocities, std::abs(s.state().v[i] - expected[2 * c.n + i]),
                                 std::abs(s.motor_v()[i] - expected[3 * c.n + i])});
    }
    EXPECT_NEAR(s.energy().sum(), c.table["energy"][row].get<double>(),
                1e-7 * std::abs(c.table["energy"][row].get<double>()));
    scale =
        std::max({scale, s.energy().kinetic, std::abs(s.energy().potential), s.energy().elastic});
    out.ledger = std::max(out.ledger, std::abs(s.ledger_error()));
  }
  out.ledger /= scale;
  out.rates = s.rates();
  return out;
}

TEST(Elastic, StatesOfAnIndependentProgram) {
  const Json table = stored_table("elastic.json");
  for (const Json& simulation : table["simulations"]) {
    const Case c = case_of(simulation);
    for (const Integrator integrator :
         {Integrator::dormand_prince, Integrator::fehlberg, Integrator::dirk, Integrator::bdf}) {
      const Deviation e =
          deviation_of(c, integrator, 0.1,
                       integrator == Integrator::dirk ? Tolerances{1e-13, 3e-14, 1e-4}
                                                      : Tolerances{1e-12, 1e-13});
      std::printf("%-28s %-15s positions %.1e  velocities %.1e  ledger %.1e  rates %lld\n",
                  simulation["name"].get<std::string>().c_str(), name(integrator), e.positions,
                  e.velocities, e.ledger, e.rates);
      if (integrator != Integrator::bdf) {
        EXPECT_LT(e.positions, 1e-8);
        EXPECT_LT(e.velocities, 1e-8);
        EXPECT_LT(e.ledger, 1e-9);
      } else if (simulation["name"] == "single_free_k100") {
        EXPECT_LT(e.positions, 1e-8);
      }
    }
  }
}

// Checks that q tends as 1/k to that of a rigid joint whose armature has the rotor's inertia. The
// deflection of each spring starts at its value at rest. Otherwise a fast oscillation would remain
// at order 1/k.
TEST(Elastic, TendsToTheRigidJointAsOneOverK) {
  Json model = {
      {"m", {2.0, 1.5}}, {"l", {0.8, 0.6}}, {"com", {0.4, 0.35}}, {"Izz_com", {0.05, 0.03}}};
  const std::vector<double> q0{0.3, 0.5}, v0{0, 0}, Ia{0.12, 0.05};
  const auto end = [&](double k) {
    RobotDescription robot = planar(model);
    for (size_t i = 0; i < 2; ++i) {
      if (k > 0)
        robot.links[i].joint.drives = {elastic_drive(k, Ia[i], 0)},
        robot.links[i].joint.drives[0].elasticity->damping = 2 * std::sqrt(k * Ia[i]) * 0.5;
      else
        robot.links[i].joint.armature = Ia[i];
    }
    Simulation s(build(robot), solver_factory(), Integrator::dirk, 0.1, {1e-10, 1e-12});
    s.set_gravity({0, -9.81, 0});
    s.set_state(q0, v0);
    while (s.time() < 0.95) s.step();
    return s.state().q()[0];
  };
  const double rigid = end(0), coarse = std::abs(end(1e5) - rigid),
               fine = std::abs(end(1e6) - rigid);
  std::printf("|q - q_rigid| at k = 1e5, 1e6: %.3e, %.3e\n", coarse, fine);
  EXPECT_NEAR(std::log10(coarse / fine), 1, 0.1);
}

// Compares methods on a 2R arm with k = 20000, light rotors and damped springs. The mode of the
// springs, at -1e4 1/s, limits the step of RK4. The motion itself would permit longer steps.
TEST(Elastic, AStiffMethodNeedsTwentyTimesFewerRates) {
  Json model = {
      {"m", {2.0, 1.5}}, {"l", {0.8, 0.6}}, {"com", {0.4, 0.35}}, {"Izz_com", {0.05, 0.03}}};
  const auto run = [&](Integrator integrator, double dt, const Tolerances& tolerances,
                       long long& rates) {
    RobotDescription robot = planar(model);
    for (LinkDescription& link : robot.links) {
      link.joint.drives = {elastic_drive(20000, 1e-3, 0)};
      link.joint.drives[0].elasticity->damping = 20;
    }
    Simulation s(build(robot), solver_factory(), integrator, dt, tolerances);
    s.set_gravity({0, -9.81, 0});
    s.set_state(std::vector<double>{0.3, 0.5}, std::vector<double>{0, 0});
    while (s.time() < 1 - dt / 2) s.step();
    rates = s.rates();
    return std::vector<double>{s.state().q()[0], s.state().q()[1], s.motor_q()[0], s.motor_q()[1]};
  };
  const auto apart = [](const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  long long reference_rates = 0, stiff = 0, rk4 = 0;
  const auto exact = run(Integrator::dirk, 1, {1e-12, 1e-13}, reference_rates);
  // rk4 is stable for real eigenvalues if h < 2.785 / |lambda|.
  double limit = 0;
  for (const int steps : {4000, 5000, 6000, 7000, 7500, 8000, 9000, 10000}) {
    try {
      const auto at = run(Integrator::rk4, 1.0 / steps, {}, rk4);
      if (apart(at, exact) < 1e-6) {
        limit = 1.0 / steps;
        break;
      }
    } catch (const torsor::Error&) {
    }
  }
  double best = 0;
  for (const double tolerance : {1e-6, 1e-7, 3e-8, 1e-8, 5e-9, 3e-9, 1e-9}) {
    for (const Integrator integrator : {Integrator::dirk, Integrator::bdf}) {
      const auto at = run(integrator, 1, {tolerance, tolerance}, stiff);
      const double error = apart(at, exact);
      std::printf("%-6s tolerance %.0e: error %.1e, %lld rates\n", name(integrator), tolerance,
                  error, stiff);
      if (error < 1e-6) best = std::max(best, double(rk4) / double(stiff));
    }
  }
  std::printf("rk4 at h = %.3g s: %lld rates; gain %.1f\n", limit, rk4, best);
  EXPECT_GE(best, 20);
}

}  // namespace
}  // namespace torsor::test
