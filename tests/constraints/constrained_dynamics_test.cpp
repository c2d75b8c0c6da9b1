// Tests of the dynamics of closed mechanisms: ranks, forward and inverse dynamics, reactions, and
// the choice of independent and actuated dof.

#include "torsor/constraints/loops/constrained_dynamics.hpp"

#include <gmock/gmock.h>

#include <Eigen/QR>
#include <algorithm>

#include "constraints/closed_states.hpp"
#include "support/error_of.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

struct Ranks {
  const char* name;
  Eigen::Index rows, rank, mobility;
  std::vector<Eigen::Index> redundant;
};

class MechanismRank : public testing::TestWithParam<Ranks> {};

// The mobilities of the mechanisms are known; Gruebler's count of rows is wrong for Bricard's
// linkage and for planar mechanisms in space.
TEST_P(MechanismRank, IsThatOfTheMechanism) {
  const auto& [name, rows, rank, mobility, redundant] = GetParam();
  Mechanism mechanism(name);
  for (size_t row = 0; row < mechanism.rows(); row += 3) {
    mechanism.set_row(row);
    ConstrainedDynamics dynamics(*mechanism.model);
    dynamics.evaluate(mechanism.solver, mechanism.state);
    EXPECT_EQ(dynamics.rows().size(), rows);
    EXPECT_EQ(dynamics.motions().rank(), rank);
    EXPECT_EQ(dynamics.motions().mobility(), mobility);
    EXPECT_EQ(dynamics.motions().redundant_rows(dynamics.rows()), redundant);
    const Eigen::VectorXd& sigma = dynamics.motions().singular_values();
    EXPECT_GT(sigma[rank - 1], 1e-3);
    if (rank < sigma.size()) {
      EXPECT_LT(sigma[rank], 1e-7);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Known, MechanismRank,
                         testing::Values(Ranks{"A1_fourbar", 5, 2, 1, {3}},
                                         Ranks{"A3_fivebar", 5, 2, 2, {3}},
                                         Ranks{"A4_parallelogram", 5, 2, 1, {3}},
                                         Ranks{"A4b_three_crank_parallelogram", 10, 3, 1, {4, 4}},
                                         Ranks{"A5_bricard", 5, 4, 1, {1}}));

// Returns a planar four-bar in a tilted plane away from the origin.
Model tilted_four_bar() {
  Model model = *Mechanism("A1_fourbar").model;
  const Pose<double> tilt{exp_so3(Vec3<double>{0.3, -0.7, 0.4}), {3, 1, -2}};
  for (int body = 1; body < model.n_body; ++body)
    if (model.parent[size_t(body)] == 0)
      model.X_PB0[size_t(body)] = tilt * model.X_PB0[size_t(body)];
  Closure& closure = model.closures[0];
  if (closure.body_A == 0) closure.X_BA = tilt * closure.X_BA;
  if (closure.body_B == 0) closure.X_BB = tilt * closure.X_BB;
  return model;
}

// The rows across the plane are zero, rather than rounding errors with a direction.
TEST(ConstrainedDynamics, IgnoresRowsOfRoundingErrors) {
  Model across = tilted_four_bar();
  across.closures[0].kind = ClosureKind::point_on_plane;  // its normal is the axis of the hinges
  for (const auto& [model, rank] :
       {std::pair{std::make_shared<const Model>(across), 0},
        std::pair{std::make_shared<const Model>(tilted_four_bar()), 2}}) {
    Solver solver = registry().solver("newton_euler", model);
    State state(model);
    state.set_q(std::vector<double>{0.1, 0.1, -0.1});
    ConstrainedDynamics::assemble(solver, state, std::vector<char>{1, 0, 0});
    EXPECT_EQ(state.q()[0], 0.1);
    ConstrainedDynamics dynamics(*model);
    dynamics.evaluate(solver, state);
    dynamics.require_closed();
    EXPECT_EQ(dynamics.motions().rank(), rank);
    EXPECT_EQ(dynamics.rows().jacobian().rowwise().norm().array().cwiseEqual(0).count(),
              rank == 0 ? 1 : 3);
  }
}

class ReactionForce : public testing::TestWithParam<const char*> {};

// The parts of the force at the cut joint that are determinate, along the whole reference motion.
TEST_P(ReactionForce, IsThatOfTheReference) {
  Mechanism mechanism(GetParam());
  for (const auto& [name, list] : mechanism.table["values"]["joint_forces"].items())
    for (size_t row = 0; row < mechanism.rows(); ++row) {
      mechanism.set_row(row);
      ConstrainedDynamics dynamics(*mechanism.model);
      dynamics.evaluate(mechanism.solver, mechanism.state);
      const auto motion = dynamics.forward(mechanism.loads());
      const Closure& closure = mechanism.closure(name);
      const Wrench<double> F = dynamics.rows().closure_wrenches(
          mechanism.state, motion.multipliers)[size_t(&closure - mechanism.model->closures.data())];
      const Vec3<double> f =
          frame_pose(mechanism.state, {"", closure.body_A, closure.X_BA}).R * F.f;
      EXPECT_LT(norm(f - vec3(list[row])), 1e-9 * (1 + norm(f))) << "row " << row;
    }
}
INSTANTIATE_TEST_SUITE_P(Planar, ReactionForce,
                         testing::Values("A1_fourbar", "A3_fivebar", "A4_parallelogram"));

// The delta robot at the samples of its closed form. Its rods can spin freely about their axes; the
// reference has no spin. The velocity of least energy for the rates of the hips has none.
TEST(ConstrainedDynamics, InvertsTheDeltaRobot) {
  Mechanism delta("A6_delta_inverse_dynamics");
  const Json& values = delta.table["values"];
  std::vector<int> hips;
  for (const char* hip : {"hip1", "hip2", "hip3"}) hips.push_back(delta.dof(hip));
  std::vector<char> held(size_t(delta.model->n_v), 0);
  for (const int hip : hips) held[size_t(hip)] = 1;
  double worst = 0, largest = 0;
  for (size_t row = 0; row < values["theta"].size(); ++row) {
    const Vector theta = vector(values["theta"][row]) - vector(values["theta"][0]),
                 rates = vector(values["theta_rate"][row]),
                 accelerations = vector(values["theta_acc"][row]),
                 torques = vector(values["torque"][row]);
    Vector vdot = Vector::Zero(delta.model->n_v);
    std::vector<double> q(delta.state.q().begin(), delta.state.q().end());
    for (int k = 0; k < 3; ++k) {
      q[size_t(delta.model->coordinate[size_t(hips[size_t(k)])])] = theta[k];
      vdot[hips[size_t(k)]] = accelerations[k];
    }
    delta.state.set_q(q);
    std::ranges::fill(delta.state.v, 0.0);
    ConstrainedDynamics::assemble(delta.solver, delta.state, held);
    ConstrainedDynamics dynamics(*delta.model, {.actuated = hips});
    dynamics.evaluate(delta.solver, delta.state);
    EXPECT_EQ(dynamics.motions().rank(), 15);
    EXPECT_EQ(dynamics.motions().mobility(), 9);
    const Eigen::MatrixXd& Z = dynamics.motions().basis();
    const Eigen::MatrixXd of_hips = Z(hips, Eigen::all);
    Eigen::Map<Vector>(delta.state.v.data(), delta.model->n_v) =
        Z * of_hips.completeOrthogonalDecomposition().solve(rates);
    dynamics.evaluate(delta.solver, delta.state);
    dynamics.require_closed();
    const auto motion = dynamics.follow(vdot);
    const Vector found = motion.tau(hips);
    worst = std::max(worst, (found - torques).cwiseAbs().maxCoeff());
    largest = std::max(largest, torques.cwiseAbs().maxCoeff());
    EXPECT_EQ(motion.tau.squaredNorm(), found.squaredNorm());
    // The motion needs no force that no actuator has, so that inverse() accepts it.
    EXPECT_LT((dynamics.inverse(motion.vdot).tau - motion.tau).norm(), 1e-10 * largest);
    EXPECT_LT((dynamics.forward(motion.tau).vdot - motion.vdot).norm(), 1e-9 * motion.vdot.norm());
  }
  EXPECT_LT(worst, 1e-10 * largest);
  RecordProperty("largest error", std::to_string(worst / largest * 1e15) + "e-15");
}

// forward(inverse) is the identity, with random torques as over-actuated drives.
TEST(ConstrainedDynamics, ForwardOfInverseIsTheIdentity) {
  const auto expect_identity = [](Solver& solver, const State& state, Random& random) {
    const Model& model = state.model();
    std::vector<int> all(size_t(model.n_v));
    std::iota(all.begin(), all.end(), 0);
    ConstrainedDynamics dynamics(model, {.actuated = all});
    dynamics.evaluate(solver, state);
    dynamics.require_closed();
    const Eigen::Index k = dynamics.motions().mobility();
    const std::vector<double> wanted = random_values(random, model.n_v, 5);
    const auto motion = dynamics.inverse(Eigen::Map<const Vector>(wanted.data(), model.n_v));
    for (const int dof : dynamics.independent()) EXPECT_EQ(motion.vdot[dof], wanted[size_t(dof)]);
    const auto back = dynamics.forward(motion.tau);
    EXPECT_LT((back.vdot - motion.vdot).norm(), 1e-9 * (1 + motion.vdot.norm()));
    // The torques have least norm: they are in the span of Z.
    EXPECT_LT((back.multipliers - motion.multipliers).norm(),
              1e-9 * (1 + motion.multipliers.norm()));
    // The reduced equation of motion, for other torques.
    const std::vector<double> given = random_values(random, model.n_v, 5);
    const Eigen::Map<const Vector> tau(given.data(), model.n_v);
    const Vector vdot = dynamics.forward(tau).vdot;
    Vector own(k);
    for (Eigen::Index i = 0; i < k; ++i) own[i] = vdot[dynamics.independent()[size_t(i)]];
    const Vector left = dynamics.reduced_mass_matrix() * own + dynamics.reduced_bias(),
                 right = dynamics.transfer().transpose() * tau;
    EXPECT_LT((left - right).norm(), 1e-9 * (left.norm() + dynamics.reduced_bias().norm()));
    EXPECT_LT((dynamics.transfer() * own + dynamics.gamma() - vdot).norm(), 1e-9 * vdot.norm());
  };
  for (const char* name : {"A1_fourbar", "A2_slider_crank", "A3_fivebar", "A4_parallelogram",
                           "A4b_three_crank_parallelogram", "A5_bricard"}) {
    SCOPED_TRACE(name);
    Mechanism mechanism(name);
    Random random(1);
    for (size_t row = 1; row < mechanism.rows(); row += 4) {
      mechanism.set_row(row);
      expect_identity(mechanism.solver, mechanism.state, random);
    }
  }
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    ClosedRun run(seed);
    expect_identity(run.solver, run.state, random);
  }
}

// The accelerations of every solver plugin satisfy the rule of agreement.
TEST(ConstrainedDynamics, AgreesForEverySolver) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    TORSOR_TRACE_SEED(seed);
    ClosedRun run(seed);
    Random random(seed);
    const std::vector<double> given = random_values(random, run.state.model().n_v, 5);
    const Eigen::Map<const Vector> tau(given.data(), run.state.model().n_v);
    ConstrainedDynamics dynamics(run.state.model());
    dynamics.evaluate(run.solver, run.state);
    const Vector expected = dynamics.forward(tau).vdot;
    const size_t n = given.size();
    Matrix M(n, n);
    ASSERT_TRUE(run.solver.mass_matrix(run.state, M.data()));
    int compared = 0;
    for (const PluginInfo& plugin : registry().plugins()) {
      if (plugin.kind() != "solver" || !plugin.family.empty()) continue;
      Solver other = registry().solver(plugin.id, run.state.model_ptr());
      ConstrainedDynamics with_other(run.state.model());
      with_other.evaluate(other, run.state);
      EXPECT_TRUE(agree_acceleration(with_other.forward(tau).vdot, expected, M)) << plugin.id;
      ++compared;
    }
    EXPECT_GE(compared, 4);
  }
}

// The order of closures, and with it that of all rows, has no effect on the reactions of redundant
// rows.
TEST(ConstrainedDynamics, ReactionsDoNotDependOnTheOrderOfRows) {
  Mechanism mechanism("A4b_three_crank_parallelogram");
  Model reversed = *mechanism.model;
  std::ranges::reverse(reversed.closures);
  const auto other = std::make_shared<const Model>(reversed);
  Solver solver = registry().solver("newton_euler", other);
  for (size_t row = 1; row < mechanism.rows(); row += 3) {
    mechanism.set_row(row);
    State state(other);
    state.set_q(mechanism.state.q());
    state.v = mechanism.state.v;
    state.set_gravity(mechanism.state.gravity_W());
    ConstrainedDynamics one(*mechanism.model), two(*other);
    one.evaluate(mechanism.solver, mechanism.state);
    two.evaluate(solver, state);
    const auto here =
        one.rows().closure_wrenches(mechanism.state, one.forward(mechanism.loads()).multipliers);
    const auto there =
        two.rows().closure_wrenches(state, two.forward(mechanism.loads()).multipliers);
    for (size_t k = 0; k < here.size(); ++k) {
      const Wrench<double>& F = there[here.size() - 1 - k];
      EXPECT_LT(norm(here[k].n - F.n) + norm(here[k].f - F.f), 1e-9 * (1 + norm(F.f)));
    }
  }
}

// The rate of the energy is the power of the torques: constraints do no work. The energy is that of
// states on the motion, up to the third order.
TEST(ConstrainedDynamics, BalancesThePower) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TORSOR_TRACE_SEED(seed);
    ClosedRun run(seed, false);
    Random random(seed);
    const Model& model = run.state.model();
    const std::vector<double> given = random_values(random, model.n_v, 5);
    const Eigen::Map<const Vector> tau(given.data(), model.n_v);
    ConstrainedDynamics dynamics(model);
    dynamics.evaluate(run.solver, run.state);
    const Vector vdot = dynamics.forward(tau).vdot;
    const Eigen::Map<const Vector> v(run.state.v.data(), model.n_v);
    const auto energy = [&](double h) {
      State at = run.state;
      const Vector d = h * v + h * h / 2 * vdot;
      std::vector<double> q(at.q().begin(), at.q().end());
      integrate(model, q.data(), d.data(), 1, q.data());
      at.set_q(q);
      Eigen::Map<Vector>(at.v.data(), model.n_v) += h * vdot;
      return kinetic_energy(at) + potential_energy(at);
    };
    const double h = 1e-3 / (1 + 0.1 * vdot.norm());
    const double wide = (energy(2 * h) - energy(-2 * h)) / (4 * h),
                 narrow = (energy(h) - energy(-h)) / (2 * h);
    EXPECT_NEAR((4 * narrow - wide) / 3, tau.dot(v), 1e-7 * (1 + v.norm() * tau.norm()));
  }
}

TEST(ConstrainedDynamics, AssemblesPassiveJoints) {
  Mechanism mechanism("A1_fourbar");
  const std::vector<char> held{1, 0, 0};
  mechanism.set_row(0);
  for (size_t row = 1; row < mechanism.rows(); ++row) {
    // The guess is the last position, with the crank at that of the reference.
    std::vector<double> q(mechanism.state.q().begin(), mechanism.state.q().end());
    State guess(mechanism.model);
    mechanism.set_row(row);
    q[0] = mechanism.state.q()[0];
    guess.set_q(q);
    guess.v = {mechanism.state.v[0], 0, 0};
    ConstrainedDynamics::assemble(mechanism.solver, guess, held);
    EXPECT_EQ(guess.q()[0], q[0]);
    EXPECT_EQ(guess.v[0], mechanism.state.v[0]);
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(std::remainder(guess.q()[k] - mechanism.state.q()[k], 2 * M_PI), 0, 1e-10);
      EXPECT_NEAR(guess.v[k], mechanism.state.v[k], 1e-8 * (1 + std::abs(guess.v[k])));
    }
  }
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    ClosedRun run(seed);
    Random random(seed);
    std::vector<double> q = run.closed.q;
    const std::vector<double> d = random_values(random, run.state.model().n_v, 0.05);
    integrate(run.state.model(), q.data(), d.data(), 1, q.data());
    run.state.set_q(q);
    ConstrainedDynamics::assemble(run.solver, run.state, {});
    ConstraintRows rows(run.state.model());
    rows.evaluate(run.state);
    EXPECT_LT(rows.error().cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(ConstrainedDynamics, RejectsWrongChoices) {
  Mechanism four("A1_fourbar"), five("A3_fivebar");
  four.set_row(2);
  five.set_row(2);
  const auto error = [](Mechanism& of, const ConstrainedChoice& choice, auto then) {
    return error_of([&] {
      ConstrainedDynamics dynamics(*of.model, choice);
      dynamics.evaluate(of.solver, of.state);
      then(dynamics);
    });
  };
  const auto nothing = [](ConstrainedDynamics&) {};
  const auto invert = [](ConstrainedDynamics& d) {
    (void)d.inverse(Eigen::VectorXd::Ones(d.transfer().rows()));
  };
  EXPECT_EQ(error(four, {.independent = {0, 1}}, nothing),
            "independent: 2 joint coordinates given, and the mechanism has the mobility 1 here; "
            "use for example 'j_crank'");
  EXPECT_THAT(error(five, {.actuated = {0}}, invert),
              HasSubstr("the motion needs a force that no actuator has: no actuated joint moves "
                        "the motion of 'j"));
  std::vector<double> q(four.state.q().begin(), four.state.q().end());
  q[1] += 0.1;
  four.state.set_q(q);
  EXPECT_THAT(error(four, {}, [](ConstrainedDynamics& d) { d.require_closed(); }),
              HasSubstr("at the given position; assemble the position first"));
  four.set_row(2);
  four.state.v[1] += 0.1;
  EXPECT_THAT(error(four, {}, [](ConstrainedDynamics& d) { d.require_closed(); }),
              HasSubstr("the given velocities move 'cut' apart by"));
  const std::string unknown[] = {"j_cank"}, twice[] = {"j_crank", "j_crank"};
  EXPECT_EQ(error_of([&] { (void)dofs_named(*four.model, unknown, "actuated"); }),
            "actuated: there is no joint or degree of freedom 'j_cank'; did you mean 'j_crank'?");
  EXPECT_EQ(error_of([&] { (void)dofs_named(*four.model, twice, "independent"); }),
            "independent: 'j_crank' is named twice; remove one of them");
}

}  // namespace
}  // namespace torsor::test
