// Tests of the matrices A_t and B_t of linearised steps. For explicit Euler (RCFS 111) the
// reference is a table in extended precision. For every integrator it is central differences of
// simulated steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planning/chains.hpp"
#include "support/random_state.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

Vector stacked(const Vector& a, const Vector& b) {
  Vector out(a.size() + b.size());
  out << a, b;
  return out;
}
Matrix twice(const Matrix& L) {
  Matrix out = Matrix::Zero(2 * L.rows(), 2 * L.cols());
  out.topLeftCorner(L.rows(), L.cols()) = out.bottomRightCorner(L.rows(), L.cols()) = L;
  return out;
}

// Compares with tables in absolute angles q = L x, with the generalised forces u = L^-T tau.
TEST(Linearisation, EqualsTheReference) {
  const Json table = stored_table("planar_nlink.json");
  double worst_A = 0, worst_B = 0;
  for (const Json& sample : table["samples"]) {
    SCOPED_TRACE("N = " + std::to_string(sample["N"].get<int>()));
    const Matrix L = ones_below(sample["N"].get<int>()), L2 = twice(L);
    SteppedChain chain(planar_n_link(vector(sample["l"]), vector(sample["m"])), sample["dt"],
                       sample["g"]);
    const Vector x = stacked(vector(sample["x"]), inverse(L).value() * vector(sample["qd"]));
    LinearStep step;
    ASSERT_TRUE(chain.dynamics.linearise(x, vector(sample["tau"]), step))
        << chain.dynamics.failure();
    const Matrix A = L2 * step.A * inverse(L2).value(), B = L2 * step.B * L.transpose();
    const Matrix exact_A = matrix(sample["A_analytic"]), exact_B = matrix(sample["B_analytic"]);
    EXPECT_TRUE(close(A, exact_A, exact_A.norm(), 1e-12));
    EXPECT_TRUE(close(B, exact_B, exact_B.norm(), 1e-12));
    worst_A = std::max(worst_A, (A - exact_A).norm() / exact_A.norm());
    worst_B = std::max(worst_B, (B - exact_B).norm() / exact_B.norm());
  }
  std::printf("largest relative error against the reference: A %.1e, B %.1e\n", worst_A, worst_B);
}

// A robot, the id of its solver, and a state x with torques u. Gravity is along -y.
struct Case {
  std::shared_ptr<const Model> model;
  std::string solver;
  Vector x, u;
};

Case chain() {
  Random random{3};
  return {build(equal_links(3, 0.3)), "planar_lagrange", to_vector(random_values(random, 6, 2)),
          to_vector(random_values(random, 3, 10))};
}

// Returns a random tree of joints of the given kinds, with dampers.
Case tree(int n, uint64_t seed, const std::vector<JointKind>& kinds) {
  Random random{seed};
  RobotDescription robot = random_robot(n, Shape::tree, seed, kinds);
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = random.uniform(0, 0.2);
  Case out{build(robot), general_solver, {}, {}};
  const auto q = random_position(random, *out.model, 1),
             v = random_values(random, out.model->n_v, 1);
  out.x = stacked(to_vector(q), to_vector(v));
  out.u = to_vector(random_values(random, out.model->n_v, 0.5));
  for (int k = 0; k < out.model->n_v; ++k)
    if (out.model->drives[size_t(k)].passive) out.u[k] = 0;
  return out;
}

std::vector<JointKind> every_kind() {
  std::vector<JointKind> out;
  for (const std::string& kind : joint_kind_names())
    if (kind != "fixed") out.push_back(*joint_kind(kind));
  return out;
}

constexpr double dt = 0.02;

Step step_of(Integrator integrator) {
  return {.method = traits(integrator).linearised.method, .dt = dt, .tolerances = {1e-12, 1e-13}};
}

// The simulation of a case, step by step from given states.
class Simulated {
 public:
  Simulated(const Case& of, Integrator integrator)
      : model_(of.model),
        simulation_(of.model, solvers("articulated_body"), integrator, dt, {1e-12, 1e-13}) {
    simulation_.set_gravity({0, -9.81, 0});
  }
  Vector step(const Vector& x, const Vector& u) {
    const size_t n_q = size_t(model_->n_q), n_v = size_t(model_->n_v);
    Load load;
    load.tau.assign(u.data(), u.data() + n_v);
    simulation_.begin(load, {x.data(), n_q}, {x.data() + n_q, n_v});
    simulation_.step();
    Vector out(x.size());
    std::copy_n(simulation_.state().v.begin(), n_v,
                std::copy_n(simulation_.state().q().begin(), n_q, out.data()));
    return out;
  }
  // Returns central differences of the step with respect to x, in tangent coordinates, and to the
  // motor torques u. The columns of passive joints are zero.
  Matrix differences(const Vector& x, const Vector& u, double h) {
    const Eigen::Index n = model_->n_v;
    Matrix out(2 * n, 3 * n);
    for (int k = 0; k < 3 * n; ++k) {
      if (k >= 2 * n && model_->drives[size_t(k - 2 * n)].passive) {
        out.col(k).setZero();
        continue;
      }
      const auto moved = [&](double by) {
        Vector y = x, w = u, d = by * Vector::Unit(3 * n, k);
        integrate(*model_, x.data(), d.data(), 1, y.data());
        y.tail(n) += d.segment(n, n);
        w += d.tail(n);
        return step(y, w);
      };
      const Vector up = moved(h), down = moved(-h);
      Vector d(2 * n);
      difference(*model_, down.data(), up.data(), d.data());
      d.tail(n) = up.tail(n) - down.tail(n);
      out.col(k) = d / (2 * h);
    }
    return out;
  }

 private:
  std::shared_ptr<const Model> model_;
  Simulation simulation_;
};

// Checks that x+ equals that of the simulation to a tolerance. Also checks that central differences
// of the simulation converge to A and B with second order.
void expect_derivative(const Case& of, Integrator integrator, double step_tolerance,
                       double tolerance) {
  const Eigen::Index n = of.model->n_v;
  StepDynamics dynamics(solvers(of.solver), of.model, {0, -9.81, 0}, step_of(integrator));
  Simulated simulated(of, integrator);
  Vector next;
  LinearStep linear;
  ASSERT_TRUE(dynamics.step(of.x, of.u, next)) << dynamics.failure();
  ASSERT_TRUE(dynamics.linearise(of.x, of.u, linear)) << dynamics.failure();
  const double off = dynamics.difference(simulated.step(of.x, of.u), next).norm() / next.norm();
  EXPECT_LT(off, step_tolerance);
  Matrix all(2 * n, 3 * n);
  all << linear.A, linear.B;
  constexpr double h = 0.02;
  const Matrix coarse = simulated.differences(of.x, of.u, h),
               fine = simulated.differences(of.x, of.u, h / 2);
  const Matrix extrapolated = (4 * fine - coarse) / 3;
  const double order = std::log2((coarse - all).norm() / (fine - all).norm()),
               error = (extrapolated - all).norm() / all.norm();
  // If the error is smaller, the step is linear, and the differences have no order.
  if (error > 1e-12) {
    EXPECT_NEAR(order, 2, 0.1);
  }
  EXPECT_LT(error, tolerance);
  std::printf("%-20s step %.1e, differences %.1e of order %.3f, extrapolated %.1e\n",
              name(integrator), off, (fine - all).norm() / all.norm(), order, error);
}

class Linearised : public testing::TestWithParam<std::string> {
 protected:
  Integrator method = *integrator(GetParam());
};
// Returns the integrators whose own steps plans differentiate. They use semi_implicit_euler instead
// of time_stepping.
std::vector<std::string> planned_integrators() {
  std::vector<std::string> names = integrator_names();
  std::erase(names, "time_stepping");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Integrators, Linearised, testing::ValuesIn(planned_integrators()),
                         [](const auto& test) { return test.param; });

TEST_P(Linearised, AChainMovesAsInTheSimulation) {
  expect_derivative(chain(), method, 1e-9, 1e-6);
}

TEST_P(Linearised, TreesOfEveryJointMoveAsInTheSimulation) {
  for (const std::string& kind : joint_kind_names()) {
    // A tree of fixed joints has no dof. Adaptive methods take too long to check every kind.
    if (kind == "fixed" || (traits(method).is_adaptive && kind != "floating")) continue;
    SCOPED_TRACE(kind);
    std::printf("%-12s", kind.c_str());
    expect_derivative(tree(3, 5, {*joint_kind(kind)}), method, 1e-9, 1e-6);
  }
  std::printf("%-12s", "all");
  expect_derivative(tree(5, 7, every_kind()), method, 1e-9, 1e-6);
}

// Checks bodies that rotate several times within dt, so that an adaptive integrator changes charts.
// The result must equal that of consecutive shorter steps, which need one chart each.
TEST(StepDynamics, AFlowIsTheCompositionOfItsParts) {
  Case of = tree(3, 5, {JointKind::spherical});
  of.x.tail(of.model->n_v) *= 10;
  constexpr int parts = 10;
  constexpr double duration = 0.5;
  for (const Integrator method : {Integrator::dormand_prince, Integrator::fehlberg}) {
    SCOPED_TRACE(name(method));
    const auto dynamics = [&](double h) {
      return std::make_unique<StepDynamics>(
          solvers(general_solver), of.model, Vec3<double>{0, -9.81, 0},
          Step{.method = method, .dt = h, .tolerances = {1e-10, 1e-11}});
    };
    const auto whole = dynamics(duration), part = dynamics(duration / parts);
    Vector next, x = of.x, after;
    LinearStep linear, of_part;
    ASSERT_TRUE(whole->step(of.x, of.u, next)) << whole->failure();
    ASSERT_TRUE(whole->linearise(of.x, of.u, linear)) << whole->failure();
    Matrix A = Matrix::Identity(2 * of.model->n_v, 2 * of.model->n_v),
           B = Matrix::Zero(2 * of.model->n_v, of.model->n_v);
    for (int k = 0; k < parts; ++k) {
      ASSERT_TRUE(part->linearise(x, of.u, of_part));
      A = of_part.A * A;
      B = of_part.A * B + of_part.B;
      ASSERT_TRUE(part->step(x, of.u, after));
      x = after;
    }
    EXPECT_LT(whole->difference(x, next).norm(), 1e-7 * x.norm());
    EXPECT_LT((linear.A - A).norm(), 1e-7 * A.norm());
    EXPECT_LT((linear.B - B).norm(), 1e-7 * B.norm());
  }
}

TEST(StepDynamics, AStepIsEulers) {
  SteppedChain chain(equal_links(2, 0.5), 0.01);
  const Vector x = Eigen::Vector4d(0.3, -0.4, 1, 2), u = Eigen::Vector2d(3, -1);
  State state(chain.model);
  state.set_gravity({0, -9.81, 0});
  state.set_q(std::vector{0.3, -0.4});
  state.v = {1, 2};
  const Vector torque = Eigen::Vector2d(3 - 0.5 * 1, -1 - 0.5 * 2);
  Vector vdot(2), next;
  Solver other = planning_registry().solver("articulated_body", chain.model);
  ASSERT_TRUE(other.forward(state, torque.data(), vdot.data()));
  ASSERT_TRUE(chain.dynamics.step(x, u, next));
  EXPECT_TRUE(close(next, stacked(x.head(2) + 0.01 * x.tail(2), x.tail(2) + 0.01 * vdot),
                    next.norm(), 1e-14));
}

TEST(StepDynamics, AFailedStepStatesTheReason) {
  SteppedChain chain(equal_links(2), 0.01);
  Vector next;
  LinearStep step;
  const Vector x = Vector::Constant(4, std::nan("")), u = Vector::Zero(2);
  EXPECT_FALSE(chain.dynamics.step(x, u, next));
  EXPECT_THAT(chain.dynamics.failure(), HasSubstr("not a finite number"));
  EXPECT_FALSE(chain.dynamics.linearise(x, u, step));
}

// Checks that a torque has no effect on a joint without a motor.
TEST(StepDynamics, NoTorqueReachesAPassiveJoint) {
  RobotDescription robot = equal_links(2);
  robot.links[1].joint.drives = {Drive{.passive = true}};
  StepDynamics dynamics(solvers("planar_lagrange"), build(robot), {0, -9.81, 0}, {.dt = 0.01});
  const Vector x = Eigen::Vector4d(0.3, -0.4, 1, 2);
  Vector with, without;
  ASSERT_TRUE(dynamics.step(x, Eigen::Vector2d(3, 5), with));
  ASSERT_TRUE(dynamics.step(x, Eigen::Vector2d(3, 0), without));
  EXPECT_EQ(with, without);
  LinearStep linear;
  ASSERT_TRUE(dynamics.linearise(x, Eigen::Vector2d(3, 5), linear));
  EXPECT_EQ(linear.B.col(1).norm(), 0);
  EXPECT_GT(linear.B.col(0).norm(), 0);
  EXPECT_EQ(dynamics.equilibrium_torques(x)[1], 0);
}

std::string rejection_message(const RobotDescription& robot, const std::string& solver_id) {
  try {
    StepDynamics(solvers(solver_id), build(robot), {0, 0, 0}, {.dt = 0.01});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StepDynamics, RejectsASolverWithoutPartials) {
  EXPECT_THAT(rejection_message(equal_links(2), "articulated_body"),
              HasSubstr("solver 'solver.articulated_body' offers no partial derivatives"));
}

TEST(StepDynamics, RejectsUnsupportedForcesAtJoints) {
  const auto with = [](const std::function<void(JointDescription&)>& change) {
    RobotDescription robot = equal_links(2);
    JointDescription& joint = robot.links[1].joint;
    joint.drives = {Drive{}};
    joint.lower = -1, joint.upper = 1, joint.effort_limit = 5, joint.velocity_limit = 3;
    change(joint);
    return rejection_message(robot, "planar_lagrange");
  };
  EXPECT_EQ(with([](JointDescription&) {}), "");
  EXPECT_THAT(with([](JointDescription& j) {
                j.drives[0].friction = {
                    .law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1};
              }),
              HasSubstr("joint 'joint2' has friction, which plans do not support"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].spring.stiffness = 1; }),
              HasSubstr("has a spring"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].stop = Stop{}; }),
              HasSubstr("has a stop"));
  EXPECT_THAT(with([](JointDescription& j) { j.drives[0].motor.clamp = true; }),
              HasSubstr("a motor with a torque limit"));
  EXPECT_THAT(with([](JointDescription& j) {
                j.drives[0].elasticity = Elasticity{.stiffness = 10};
                j.drives[0].motor.rotor_inertia = 1;
              }),
              HasSubstr("is elastic"));
  EXPECT_THAT(with([](JointDescription& j) {
                j.mimic = Mimic{"joint1", 1, 0};
              }),
              HasSubstr("mimics another"));
  RobotDescription ball = equal_links(2);
  ball.links[1].joint = JointDescription{};
  ball.links[1].joint.name = "ball";
  ball.links[1].joint.kind = JointKind::spherical;
  EXPECT_EQ(rejection_message(ball, "newton_euler"), "");
  ball.links[1].joint.spring = PoseSpring{.angular = 1};
  EXPECT_THAT(rejection_message(ball, "newton_euler"), HasSubstr("joint 'ball' has a spring"));
  ball.links[1].joint.spring->angular = 0;
  EXPECT_EQ(rejection_message(ball, "newton_euler"), "");
}

}  // namespace
}  // namespace torsor::test
