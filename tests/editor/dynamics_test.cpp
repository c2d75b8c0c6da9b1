// Tests of the quantities computed at a state: against closed forms, laws of mechanics and faulty
// solvers.

#include <gmock/gmock.h>

#include <numeric>

#include "editor/probe/probe.hpp"
#include "editor/probe/solver_watch.hpp"
#include "editor/still_states.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "support/table_solver.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;
using testing::HasSubstr;

Vector vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
}
Matrix square_of(const std::vector<double>& x) {
  const auto n = Eigen::Index(std::lround(std::sqrt(double(x.size()))));
  return Eigen::Map<const Matrix>(x.data(), n, n);
}
double sum_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0);
}

// A random robot in motion, with applied torques and damping.
struct RandomState {
  explicit RandomState(uint64_t seed, test::Shape shape = test::Shape::tree) : random(seed) {
    auto model = std::make_shared<Model>(*build(random_robot(7, shape, seed)));
    for (double& damping : model->damping) damping = random.uniform(0, 2);
    Experiment experiment = experiment_of(model);
    experiment.load.tau = random_values(random, model->n_v, 10);
    experiment.gravity_W = random.vector(10);
    scene = still_scene(std::move(experiment));
    now = state_of(scene, 1, random_position(random, *model, 3),
                   random_values(random, model->n_v, 2));
  }
  Random random;
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const SessionState> now;
};

// Checks the planar chain of RCFS: point masses m1, m2 at the ends of rods l1, l2, in relative
// angles.
TEST(Probe, GivesTheSpectrumOfADoublePendulum) {
  const double m1 = 1.5, m2 = 0.7, l1 = 0.8, l2 = 0.5, angle = 0.9;
  const auto model = build(planar_n_link(Vector{{l1, l2}}, Vector{{m1, m2}}));
  Probe probe;
  probe.look_at(state_of(still_scene(experiment_of(model)), 0, {0.3, angle}, {0, 0}));
  const double M22 = m2 * l2 * l2, M12 = M22 + m2 * l1 * l2 * std::cos(angle),
               M11 = (m1 + m2) * l1 * l1 + M22 + 2 * m2 * l1 * l2 * std::cos(angle);
  const Spectrum& spectrum = probe.mass_spectrum();
  ASSERT_EQ(spectrum.failure, "");
  ASSERT_EQ(spectrum.values.size(), 2u);
  EXPECT_NEAR(sum_of(spectrum.values), M11 + M22, 1e-14 * M11);
  EXPECT_NEAR(spectrum.values[0] * spectrum.values[1], M11 * M22 - M12 * M12, 1e-14 * M11 * M11);
  EXPECT_LT(spectrum.values[0], spectrum.values[1]);
  EXPECT_DOUBLE_EQ(spectrum.condition(), spectrum.values[1] / spectrum.values[0]);
}

TEST(Probe, ItsQuantitiesSatisfyTheEquationsOfMotion) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const RandomState at(seed);
    Probe probe;
    probe.look_at(at.now);
    const Model& model = at.scene->model();
    const auto x = [&](Quantity quantity) { return probe.answer(quantity).x; };
    Vector tau(model.n_v);
    for (int k = 0; k < model.n_v; ++k)
      tau[k] = at.scene->experiment.load.tau[size_t(k)] -
               model.damping[size_t(k)] * at.now->state.v[size_t(k)];
    const Matrix M = square_of(x(Quantity::mass_matrix));
    const Vector vdot = vector_of(x(Quantity::forward)), v = vector_of(at.now->state.v);
    EXPECT_TRUE(agree(vector_of(probe.torque().x), tau));
    EXPECT_TRUE(satisfies_equation_of_motion(M, vdot, vector_of(x(Quantity::bias)), tau));
    EXPECT_TRUE(agree(vector_of(x(Quantity::bias)), square_of(x(Quantity::coriolis_matrix)) * v +
                                                        vector_of(x(Quantity::gravity))));
    EXPECT_TRUE(
        agree_inverse(square_of(x(Quantity::inverse_mass_matrix)), torsor::inverse(M).value(), M));
    const Split& split = probe.split();
    const double size =
        std::max({tau.norm(), vector_of(split.inertial).norm(), vector_of(split.gravity).norm()});
    EXPECT_TRUE(close(vector_of(split.inertial) + vector_of(split.centrifugal) +
                          vector_of(split.coriolis) + vector_of(split.gravity),
                      tau, size, 1e-10));
  }
}

// Checks a state of a run with several loads: torques, friction, a spring in a joint, and a spring
// between the world and a link.
TEST(Probe, ShowsTheMotionOfTheRun) {
  RobotDescription robot = planar_n_link(Vector{{1, 0.7}}, Vector{{1, 2}});
  Drive& drive = robot.links[1].joint.drives.emplace_back();
  drive.spring.stiffness = 5;
  drive.friction = {
      .law = Friction::Law::coulomb, .viscous = 0.1, .coulomb = 0.5, .breakaway = 0.5};
  Experiment experiment = experiment_of(build(robot));
  experiment.gravity_W = {0, -9.81, 0};
  experiment.load.tau = {1, 2};
  experiment.load.forces = {shipped_plugins().make<Force>("spring_damper", experiment.model,
                                                          {{"from", "world"},
                                                           {"to", "link2"},
                                                           {"stiffness", 200.0},
                                                           {"damping", 3.0},
                                                           {"rest_length", 0.4}})};
  const auto scene = still_scene(experiment);
  Simulation run(
      experiment.model,
      [](std::shared_ptr<const Model> model) {
        return shipped_plugins().solver("articulated_body", model);
      },
      Integrator::rk4, 1e-3);
  run.set_gravity(experiment.gravity_W);
  run.set_load(experiment.load);
  run.set_state(std::vector{0.3, 0.4}, std::vector{1.0, -2.0});

  Probe probe;
  for (int k = 0; k < 300; ++k) run.step();
  auto now = std::make_shared<SessionState>();
  now->scene = scene;
  now->state = run.snapshot();
  now->timeline = Timeline(run.snapshot());
  probe.look_at(now);
  const auto vdot = run.acceleration();
  EXPECT_TRUE(agree(vector_of(probe.acceleration().x), Vector::Map(vdot.data(), 2)));
  EXPECT_TRUE(agree(vector_of(probe.answer(Quantity::inverse).x), vector_of(probe.torque().x)));
  EXPECT_EQ(probe.simulation().energy().elastic, run.energy().elastic);
  EXPECT_GT(run.energy().elastic, 1);
  EXPECT_EQ(probe.simulation().ledger_error(), run.ledger_error());
  EXPECT_LT(std::abs(run.ledger_error()), 1e-7);
  const SolverWatch* watch = nullptr;
  for (int frame = 0; frame < 6; ++frame) watch = &probe.watch_solvers();
  for (const SolverWatch::Pair& pair : watch->pairs())
    EXPECT_FALSE(pair.now.broken()) << name(pair.quantity);
}

TEST(Probe, TheJacobianGivesTheTwistOfItsFrame) {
  const RandomState at(3);
  Probe probe;
  probe.look_at(at.now);
  const Model& model = at.scene->model();
  for (size_t k = 0; k < model.frames.size(); ++k) {
    const Twist<double> V = frame_twist(probe.state(), model.frames[k]);
    const Vector expected{{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}};
    const Eigen::Map<const Matrix> J(probe.jacobian(int(k)).data(), 6, model.n_v);
    const Vector actual = J * vector_of(at.now->state.v);
    EXPECT_TRUE(close(actual, expected, 1 + expected.norm(), 1e-13)) << model.frames[k].name;
  }
}

// Checks that quantities are computed once per state, and again for another state or solver.
TEST(Probe, FollowsTheState) {
  const RandomState at(4);
  Probe probe;
  probe.look_at(at.now);
  const double* first = probe.answer(Quantity::mass_matrix).x.data();
  // Look at a copy of the same state.
  probe.look_at(std::make_shared<SessionState>(*at.now));
  EXPECT_EQ(probe.answer(Quantity::mass_matrix).x.data(), first);
  const std::vector<double> before = probe.answer(Quantity::mass_matrix).x;

  auto q = at.now->state.q;
  for (double& each : q) each += 0.5;
  probe.look_at(state_of(at.scene, 2, q, at.now->state.v));
  EXPECT_NE(probe.answer(Quantity::mass_matrix).x, before);
  EXPECT_EQ(probe.solver().id(), "solver.newton_euler");

  Experiment other = at.scene->experiment;
  other.solver = "lie_group";
  probe.look_at(state_of(still_scene(other), 2, q, at.now->state.v));
  EXPECT_EQ(probe.solver().id(), "solver.lie_group");
}

// Checks a point mass at the end of two massless links. If the links are stretched, the mass cannot
// move along them, so M is singular.
TEST(Probe, ReportsWhyThereAreNoNumbers) {
  Experiment experiment = experiment_of(build(planar_n_link(Vector{{1, 1}}, Vector{{0, 1}})));
  experiment.q = {0.3, 1};
  Probe probe;
  probe.look_at(state_of(still_scene(experiment), 0, {0.3, 0}, {1, 2}));
  EXPECT_EQ(probe.answer(Quantity::mass_matrix).failure, "");
  EXPECT_EQ(probe.mass_spectrum().condition(), std::numeric_limits<double>::infinity());
  EXPECT_EQ((Spectrum{{-1e-18, 1}, {}, ""}.condition()), std::numeric_limits<double>::infinity());
  for (const std::string& failure : {probe.acceleration().failure, probe.split().failure,
                                     probe.answer(Quantity::inverse).failure,
                                     probe.answer(Quantity::inverse_mass_matrix).failure}) {
    EXPECT_THAT(failure, HasSubstr("joint 'joint1' moves no inertia"));
  }
  EXPECT_TRUE(probe.acceleration().x.empty());
  const SolverWatch* watch = nullptr;
  for (int frame = 0; frame < 6; ++frame) watch = &probe.watch_solvers();
  EXPECT_TRUE(watch->compared());
  for (const SolverWatch::Pair& pair : watch->pairs())
    EXPECT_FALSE(pair.now.broken()) << name(pair.quantity);
}

// Checks the residual of the C of each solver, on robots with every kind of joint. Solvers for one
// family of robots are checked by the conformance suite instead.
TEST(SkewResidual, IsSmallForEverySolver) {
  for (const PluginInfo& plugin : shipped_plugins().plugins()) {
    if (plugin.kind() != Solver::kind || !plugin.family.empty()) continue;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      TORSOR_TRACE_SEED(seed);
      Random random(seed);
      const auto model = build(
          random_robot(1 + int(seed), seed % 2 ? test::Shape::tree : test::Shape::chain, seed));
      Solver solver = shipped_plugins().solver(plugin.id, model);
      const State state = random_state(model, random);
      const SkewResidual skew = skew_residual(solver, state);
      EXPECT_EQ(skew.failure, "");
      EXPECT_GT(skew.scale, 0);
      EXPECT_FALSE(skew.broken()) << plugin.id << ": " << skew.residual << " of " << skew.scale;
    }
  }
}

torsor_status slightly_wrong_coriolis(const torsor_plugin*, const torsor_model* model,
                                      const torsor_state* state, double*, double* C) {
  const DenseDynamics dense(*model, *state);
  const Matrix wrong = (1 + 1e-6) * dense.C;
  std::copy_n(wrong.data(), wrong.size(), C);
  return TORSOR_OK;
}

TEST(SkewResidual, IsBrokenByAPartInAMillionOfC) {
  Random random(1);
  const auto model = build(random_robot(4, test::Shape::chain, 1));
  const State state = random_state(model, random);
  torsor_solver table = dense_solver_table();
  Solver right = table_solver(table, model);
  EXPECT_FALSE(skew_residual(right, state).broken());
  table.coriolis_matrix = slightly_wrong_coriolis;
  Solver wrong = table_solver(table, model);
  EXPECT_TRUE(skew_residual(wrong, state).broken());
}

TEST(SkewResidual, IsZeroAtRest) {
  const auto model = build(random_robot(3, test::Shape::chain, 1));
  Solver solver = table_solver(dense_solver_table(), model);
  const SkewResidual skew = skew_residual(solver, State(model));
  EXPECT_EQ(skew.residual, 0);
  EXPECT_FALSE(skew.broken());
}

class Watched : public testing::Test {
 protected:
  Watched()
      : model(build(random_robot(4, test::Shape::chain, 2))),
        random(2),
        state(random_state(model, random)) {
    vdot = random_values(random, model->n_v, 5);
    tau = random_values(random, model->n_v, 5);
  }
  SolverWatch watch_beside(const torsor_solver& table) const {
    std::vector<Solver> solvers;
    solvers.push_back(shipped_plugins().solver("newton_euler", model));
    solvers.push_back(table_solver(table, model));
    return SolverWatch(std::move(solvers));
  }
  // Advances by the frames that one state takes: one for each of two solvers, and one for the
  // comparison.
  void watch_state(SolverWatch& watch, double time) {
    state.time = time;
    for (int frame = 0; frame < 3; ++frame) watch.advance(state, vdot, tau);
  }

  std::shared_ptr<const Model> model;
  Random random;
  State state;
  std::vector<double> vdot, tau;
};

TEST_F(Watched, RightSolversAgreeAndAreTimed) {
  SolverWatch watch = watch_beside(dense_solver_table());
  EXPECT_FALSE(watch.compared());
  for (int frame = 0; frame < 200; ++frame) watch.advance(state, vdot, tau);
  ASSERT_TRUE(watch.compared());
  ASSERT_EQ(watch.pairs().size(), std::size(all_compared));
  for (const SolverWatch::Pair& pair : watch.pairs()) {
    EXPECT_FALSE(pair.now.broken()) << name(pair.quantity) << " " << pair.now.value;
    EXPECT_FALSE(pair.worst.broken());
    EXPECT_EQ(pair.failure, "");
  }
  for (const Quantity quantity : all_quantities)
    if (indices(quantity) < 3) {
      EXPECT_GT(watch.call_ns(0, quantity), 0) << name(quantity);
      EXPECT_GT(watch.call_ns(1, quantity), 0) << name(quantity);
      EXPECT_EQ(watch.call_times(1, quantity).at(state.time), watch.call_ns(1, quantity))
          << name(quantity);
    }
}

// Checks a solver that is wrong only in motion: its worst error and the time of this error are
// still stored after the robot has come to rest.
TEST_F(Watched, KeepsTheLargestError) {
  torsor_solver table = dense_solver_table();
  table.coriolis_matrix = slightly_wrong_coriolis;
  SolverWatch watch = watch_beside(table);
  watch_state(watch, 0.25);
  const SolverWatch::Pair moving = watch.pairs(compared("Cv"))[0];
  EXPECT_TRUE(moving.now.broken());
  EXPECT_EQ(moving.worst_time, 0.25);
  EXPECT_FALSE(watch.pairs(compared("M"))[0].now.broken());

  std::fill(state.v.begin(), state.v.end(), 0.0);
  watch_state(watch, 0.5);
  const SolverWatch::Pair still = watch.pairs(compared("Cv"))[0];
  EXPECT_FALSE(still.now.broken());
  EXPECT_EQ(still.worst.value, moving.now.value);
  EXPECT_EQ(still.worst_time, 0.25);
  EXPECT_EQ(watch.disagreements(compared("Cv")).at(0.25), moving.now.fraction());
  EXPECT_LE(watch.disagreements(compared("Cv")).at(0.5), 1);
  EXPECT_TRUE(std::isnan(watch.disagreements(compared("Cv")).at(0.4)));
}

double fastest_asked = 0;

torsor_status notes_velocity(const torsor_plugin*, const torsor_model* model,
                             const torsor_state* state, double*, double* C) {
  fastest_asked = std::max(fastest_asked, std::abs(state->v[0]));
  std::fill_n(C, size_t(model->n_v) * size_t(model->n_v), 0.0);
  return TORSOR_OK;
}

// Checks that calls are timed with a moving robot even if the robot is at rest.
TEST_F(Watched, TimesCallsInMotionWhileTheRobotIsAtRest) {
  torsor_solver table = dense_solver_table();
  table.coriolis_matrix = notes_velocity;
  SolverWatch watch = watch_beside(table);
  std::fill(state.v.begin(), state.v.end(), 0.0);
  for (int frame = 0; frame < 200; ++frame) watch.advance(state, vdot, tau);
  EXPECT_EQ(fastest_asked, 1);
  // The results are compared at rest.
  EXPECT_EQ(watch.pairs(compared("Cv"))[0].now.value, 0);
}

torsor_status no_gravity(const torsor_plugin*, const torsor_model*, const torsor_state*, double*,
                         double*) {
  return TORSOR_INTERNAL;
}

TEST_F(Watched, NamesTheSolverThatFailed) {
  torsor_solver table = dense_solver_table();
  table.gravity = no_gravity;
  SolverWatch watch = watch_beside(table);
  watch_state(watch, 0);
  const SolverWatch::Pair pair = watch.pairs(compared("g"))[0];
  EXPECT_TRUE(pair.now.broken());
  EXPECT_THAT(pair.failure, HasSubstr("'solver.table' failed"));
  EXPECT_TRUE(std::isnan(watch.call_ns(1, Quantity::gravity)));
}

}  // namespace
}  // namespace torsor::editor::test
