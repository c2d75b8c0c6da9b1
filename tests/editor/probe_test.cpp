// Tests of the probe on scenes with complete mechanisms, against closed forms and laws of
// mechanics.

#include "editor/probe/probe.hpp"

#include <gmock/gmock.h>

#include "editor/plugins.hpp"
#include "editor/probe/derivatives.hpp"
#include "editor/probe/frame_dynamics.hpp"
#include "editor/states.hpp"
#include "editor/still_states.hpp"
#include "support/random_state.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/handles/tracer.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;

// A shipped scene after some steps, and a probe of its state.
struct Looked {
  Looked(const char* name, int steps)
      : run(scene_of(load_scene(std::string(TORSOR_SOURCE_DIR) + "/scenes/" + name, {},
                                &shipped_plugins()))) {
    run.advance(steps);
    now = run.state();
    probe.look_at(now);
  }
  HandRun run;
  Probe probe;
  std::shared_ptr<const SessionState> now;
};

// Checks the elastic arm. Only the springs of the joints act on its links: k = 2000, d = 0.5.
TEST(ProbeOfAMechanism, AnElasticJointGivesItsSpringsTorque) {
  Looked at("elastic_arm.lua", 53);
  const Snapshot& now = at.now->state;
  const Answer& tau = at.probe.torque();
  ASSERT_EQ(tau.failure, "");
  for (size_t k = 0; k < 2; ++k) {
    const double spring = -2000 * (now.q[k] - now.motor_q[k]) - 0.5 * (now.v[k] - now.motor_v[k]);
    EXPECT_NEAR(tau.x[k], spring, 1e-10 * std::abs(spring)) << k;
  }
}

// Checks a block that sticks 0.037 m from the rest position of its spring of 100 N/m.
TEST(ProbeOfAMechanism, WhatStictionHoldsStandsStill) {
  Looked at("stiction.lua", 380);
  const double spring = -100 * (at.now->state.q[0] - 0.3);
  ASSERT_GT(std::abs(spring), 1);
  EXPECT_EQ(at.probe.acceleration().x, std::vector{0.0});
  EXPECT_NEAR(at.probe.joint_forces().constraint[0], -spring, 1e-14 * std::abs(spring));
  EXPECT_EQ(at.probe.joint_forces().friction, std::vector{0.0});
}

// Checks a ball that the ground throws up. Ground, drag and a spring act on its body, so the
// torques of its joints are zero.
TEST(ProbeOfAMechanism, ForcesActOnBodies) {
  Looked at("dropped_ball.lua", 52);
  const double up = at.probe.acceleration().x[1];
  ASSERT_GT(up, 9.81);
  for (const double tau : at.probe.torque().x) EXPECT_NEAR(tau, 0, 1e-10 * up);
}

// Checks that the recursion of a solver is traced at this state, with all joint torques: springs,
// forces, stiction and motors.
TEST(ProbeOfAMechanism, RecursionsAreTracedAtTheState) {
  for (const char* scene :
       {"elastic_arm.lua", "stiction.lua", "dropped_ball.lua", "tumbling_body.lua"}) {
    Looked at(scene, 52);
    for (const auto& [solver, expected] :
         {std::pair{"solver.articulated_body", at.probe.acceleration()},
          {"solver.newton_euler", at.probe.torque()},
          {"solver.lie_group", at.probe.torque()},
          {"solver.lagrange_christoffel", at.probe.torque()}}) {
      const Recursion& told = at.probe.recursion(solver);
      ASSERT_EQ(told.failure, "") << scene;
      double size = 1;
      for (const double x : expected.x) size = std::max(size, std::abs(x));
      for (size_t k = 0; k < expected.x.size(); ++k)
        EXPECT_NEAR(told.tracer->result()[k], expected.x[k], 1e-9 * size)
            << scene << ", " << solver;
    }
  }
  Looked at("dropped_ball.lua", 1);
  EXPECT_THAT(at.probe.recursion("solver.planar_lagrange").failure,
              testing::HasSubstr("only for robots of the family"));
}

TEST(ProbeOfAMechanism, TheLedgerCloses) {
  for (const char* scene :
       {"elastic_arm.lua", "stiction.lua", "dropped_ball.lua", "tumbling_body.lua"}) {
    Looked at(scene, 200);
    const Energy energy = at.probe.simulation().energy();
    double scale = std::abs(energy.kinetic) + std::abs(energy.potential) + energy.elastic;
    for (const double work : at.now->state.work) scale += std::abs(work);
    EXPECT_LT(std::abs(ledger_error(energy, at.now->state)), 1e-6 * scale) << scene;
  }
}

// Checks that torques and the active solver are those of the state.
TEST(ProbeOfAMechanism, FollowsTheRunsChanges) {
  Looked at("elastic_arm.lua", 10);
  at.run.change(10, TorqueChange{{1, 2}});
  at.run.change(10, SolverChange{"lie_group"});
  at.run.advance(3);
  at.probe.look_at(at.run.state());
  EXPECT_EQ(at.probe.solver().id(), "solver.lie_group");
  EXPECT_THAT(at.probe.simulation().constant_torque(), testing::ElementsAre(1, 2));
  const std::span<const double> vdot = at.run.simulation().acceleration();
  EXPECT_EQ(at.probe.acceleration().x, std::vector(vdot.begin(), vdot.end()));
}

// A robot at a random state, and a probe with a solver.
struct Posed {
  Posed(std::shared_ptr<const Model> model, const char* solver) {
    Experiment experiment = experiment_of(model);
    experiment.solver = solver;
    experiment.load.tau = random_values(random, model->n_v, 5);
    now = state_of(still_scene(std::move(experiment)), 0, random_position(random, *model, 1),
                   random_values(random, model->n_v, 2));
    probe.look_at(now);
  }
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static Square square(const Answer& answer) {
    EXPECT_EQ(answer.failure, "");
    const auto n = Eigen::Index(std::lround(std::sqrt(double(answer.x.size()))));
    return Eigen::Map<const Square>(answer.x.data(), n, n);
  }
  Square jacobian(int frame) {
    return Eigen::Map<const Square>(probe.jacobian(frame).data(), 6,
                                    Eigen::Index(now->state.v.size()));
  }
  Random random{7};
  std::shared_ptr<const SessionState> now;
  Probe probe;
};

TEST(ProbeOfFrames, LambdaIsTheInverseOfTheMobility) {
  Posed at(build(random_robot(14, test::Shape::chain, 3)), "newton_euler");
  const int frame = int(at.probe.state().model().frames.size()) - 1;
  const FrameDynamics& found = at.probe.frame_dynamics(frame);
  ASSERT_EQ(found.failure, "");
  ASSERT_EQ(found.space.rank, 6);
  const Posed::Square J = at.jacobian(frame);
  const Eigen::MatrixXd mobility =
      J * Posed::square(at.probe.answer(Quantity::inverse_mass_matrix)) * J.transpose();
  EXPECT_LT((found.space.Lambda * mobility - Eigen::MatrixXd::Identity(6, 6)).norm(), 1e-9);
  EXPECT_NEAR(found.condition(), symmetric_condition(mobility), 1e-8 * found.condition());
}

// Checks two joints that move a frame in two directions: the kinetic energy by Lambda equals that
// by M.
TEST(ProbeOfFrames, LambdaOfFewJointsHasTheKineticEnergy) {
  Posed at(build(planar_n_link(Vector{{1, 2}}, Vector{{1, 0.7}})), "lie_group");
  const int frame = int(at.probe.state().model().frames.size()) - 1;
  const FrameDynamics& found = at.probe.frame_dynamics(frame);
  ASSERT_EQ(found.failure, "");
  EXPECT_EQ(found.space.rank, 2);
  EXPECT_EQ(found.inertias.size(), 2u);
  EXPECT_EQ(found.space.immovable.cols(), 4);
  const Eigen::Map<const Eigen::VectorXd> v(at.probe.state().v.data(), 2);
  const Eigen::VectorXd V = at.jacobian(frame) * v;
  const double energy = v.dot(Posed::square(at.probe.answer(Quantity::mass_matrix)) * v);
  EXPECT_NEAR(V.dot(found.space.Lambda * V), energy, 1e-10 * energy);
}

// Checks rates against central differences of second order along the motion with constant vdot.
TEST(ProbeOfDerivatives, RatesAreThoseOfTheMotion) {
  Posed at(build(random_robot(6, test::Shape::tree, 11)), "lie_group");
  const State& now = at.probe.state();
  const std::vector<double> vdot = at.probe.acceleration().x;
  const size_t n = vdot.size();
  Solver solver = shipped_plugins().solver("newton_euler", now.model_ptr());
  constexpr double h = 1e-4;
  std::vector<double> tau[3], M[2];
  for (const int side : {-1, 0, 1}) {
    State moved = now;
    std::vector<double> d(n), q(now.q().begin(), now.q().end());
    for (size_t k = 0; k < n; ++k) {
      d[k] = side * h * now.v[k] + h * h / 2 * vdot[k];
      moved.v[k] += side * h * vdot[k];
    }
    integrate(now.model(), now.q().data(), d.data(), std::abs(side), q.data());
    moved.set_q(q);
    tau[side + 1].resize(n);
    ASSERT_TRUE(solver.inverse(moved, vdot.data(), tau[side + 1].data()));
    if (side == 0) continue;
    M[side > 0].resize(n * n);
    ASSERT_TRUE(solver.mass_matrix(moved, M[side > 0].data()));
  }
  const auto expect = [&](StateDerivative what, double tolerance, const auto& difference) {
    const Answer& answer = at.probe.derivative(what);
    ASSERT_EQ(answer.failure, "");
    double size = 0;
    for (const double x : answer.x) size = std::max(size, std::abs(x));
    EXPECT_GT(size, 0);
    for (size_t k = 0; k < answer.x.size(); ++k)
      EXPECT_NEAR(answer.x[k], difference(k), tolerance * size) << k;
  };
  expect(StateDerivative::tau_dot, 1e-5,
         [&](size_t k) { return (tau[2][k] - tau[0][k]) / (2 * h); });
  expect(StateDerivative::tau_ddot, 1e-3,
         [&](size_t k) { return (tau[2][k] - 2 * tau[1][k] + tau[0][k]) / (h * h); });
  expect(StateDerivative::M_dot, 1e-5, [&](size_t k) { return (M[1][k] - M[0][k]) / (2 * h); });
}

TEST(ProbeOfDerivatives, PartialsGoTogether) {
  Posed at(build(random_robot(6, test::Shape::tree, 11)), "newton_euler");
  const auto M = Posed::square(at.probe.answer(Quantity::mass_matrix));
  for (const auto& [of_tau, of_vdot] :
       {std::pair{StateDerivative::dtau_dq, StateDerivative::dvdot_dq},
        {StateDerivative::dtau_dv, StateDerivative::dvdot_dv}}) {
    const auto dtau = Posed::square(at.probe.derivative(of_tau)),
               dvdot = Posed::square(at.probe.derivative(of_vdot));
    EXPECT_GT(dtau.norm(), 0);
    EXPECT_LT((M * dvdot + dtau).norm(), 1e-9 * dtau.norm());
  }
  // C v is quadratic in v, so (dtau/dv) v = 2 C v.
  const Eigen::Map<const Eigen::VectorXd> v(at.probe.state().v.data(), M.rows());
  const Eigen::VectorXd Cv = Posed::square(at.probe.answer(Quantity::coriolis_matrix)) * v;
  EXPECT_LT((Posed::square(at.probe.derivative(StateDerivative::dtau_dv)) * v - 2 * Cv).norm(),
            1e-9 * Cv.norm());
}

TEST(ProbeOfDerivatives, ASolverWithoutDerivativesNamesOthers) {
  Posed at(build(random_robot(4, test::Shape::chain, 5)), "articulated_body");
  EXPECT_EQ(at.probe.derivative(StateDerivative::dtau_dq).failure,
            "articulated_body does not provide partial derivatives; choose newton_euler");
  EXPECT_EQ(at.probe.derivative(StateDerivative::M_dot).failure,
            "articulated_body does not provide rates of M, C and g; choose lie_group");
}

// Checks the products C v, because C itself is not unique.
TEST(ProbeOfDerivatives, ChristoffelSymbolsGiveCoriolisForces) {
  Posed at(build(random_robot(5, test::Shape::tree, 9)), "newton_euler");
  const std::vector<double>& symbols = at.probe.christoffel().answer.x;
  const std::vector<double>&v = at.probe.state().v, &bias = at.probe.answer(Quantity::bias).x,
        &gravity = at.probe.answer(Quantity::gravity).x;
  const size_t n = v.size();
  for (size_t i = 0; i < n; ++i) {
    double sum = 0, size = 0;
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k) {
        sum += symbols[(i * n + j) * n + k] * v[j] * v[k];
        size += std::abs(symbols[(i * n + j) * n + k] * v[j] * v[k]);
      }
    EXPECT_NEAR(sum, bias[i] - gravity[i], 1e-10 * (size + std::abs(gravity[i]))) << i;
  }
}

}  // namespace
}  // namespace torsor::editor::test
