// Tests of controllers for elastic joints: feed-forward against an independent program, feedback
// linearisation against closed forms of the error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/elastic_arms.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/control/controller_law.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

const Registry& plugins() {
  static const Registry registry({TORSOR_PLUGIN_DIR});
  return registry;
}
constexpr Vec3<double> along_y{0, -9.81, 0};

ReferenceLaw reference_of(size_t n, const std::function<void(double t, Reference&)>& evaluate) {
  ReferenceLaw out;
  out.make = [n] {
    Reference made;
    made.order = 4;
    for (List* part : {&made.q, &made.v, &made.vdot, &made.vddot, &made.vdddot}) part->resize(n);
    return made;
  };
  out.evaluate = evaluate;
  return out;
}

// Returns the reference A sin(w t + phase) of each joint, with derivatives up to the fourth.
ReferenceLaw waves(const List& A, const List& w, const List& phase) {
  return reference_of(A.size(), [=](double t, Reference& reference) {
    List* const parts[] = {&reference.q, &reference.v, &reference.vdot, &reference.vddot,
                           &reference.vdddot};
    for (size_t k = 0; k < A.size(); ++k)
      for (int order = 0; order <= 4; ++order)
        (*parts[order])[k] =
            A[k] * std::pow(w[k], order) * std::sin(w[k] * t + phase[k] + order * M_PI / 2);
  });
}

Load controlled(const std::string& id, const std::shared_ptr<const Model>& model,
                const Vec3<double>& gravity_W, const std::vector<Parameter>& parameters,
                const ReferenceLaw& reference) {
  const auto controller = plugins().controller(id, model, "newton_euler", gravity_W, parameters);
  Load load;
  load.controls = {{.name = "law",
                    .law = std::make_shared<ControllerLaw>(controller, reference),
                    .of_motors = controller->of_motors()}};
  return load;
}

// Angles theta and rates theta' of the motors at which the links have given accelerations and
// jerks.
struct Motors {
  List theta, theta_dot;
};
Motors motors_of(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                 const List& q, const List& v, const List& a, const List& j) {
  Solver solver = plugins().solver("newton_euler", model);
  State state(model);
  state.set_gravity(gravity_W);
  state.set_q(q);
  state.v = v;
  // motion is vdot and its derivative; torques is tau and its derivative.
  List motion = a, torques(2 * q.size());
  motion.insert(motion.end(), j.begin(), j.end());
  EXPECT_TRUE(solver.rates(state, {1, motion.data()}, torques.data()));
  const double *tau = torques.data(), *tau_dot = tau + q.size();
  Motors out;
  for (size_t k = 0; k < q.size(); ++k) {
    if (!model->drives[k].elasticity) continue;
    const double K = model->drives[k].elasticity->stiffness, c = model->drives[k].elasticity->cubic,
                 D = model->damping[k], torque = tau[k] + D * v[k];
    // Solves K e + c e^3 = torque by Newton's method.
    double e = torque / K;
    for (int i = 0; i < 50; ++i) e -= ((K + c * e * e) * e - torque) / (K + 3 * c * e * e);
    out.theta.push_back(q[k] + e);
    out.theta_dot.push_back(v[k] + (tau_dot[k] + D * a[k]) / (K + 3 * c * e * e));
  }
  if (!model->stiffness_couplings.empty()) {
    // All joints share a stiffness matrix: e = k^-1 tau.
    const auto n = Eigen::Index(q.size());
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n, n), torques_of(n, 2);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double D = model->damping[size_t(i)];
      k(i, i) = model->drives[size_t(i)].elasticity->stiffness;
      torques_of.row(i) << tau[i] + D * v[size_t(i)], tau_dot[i] + D * a[size_t(i)];
    }
    for (const StiffnessCoupling& of : model->stiffness_couplings)
      k(of.dof_i, of.dof_j) = k(of.dof_j, of.dof_i) = of.stiffness;
    const Eigen::MatrixXd e = solve(k, torques_of);
    for (Eigen::Index i = 0; i < n; ++i) {
      out.theta[size_t(i)] = q[size_t(i)] + e(i, 0);
      out.theta_dot[size_t(i)] = v[size_t(i)] + e(i, 1);
    }
  }
  return out;
}

// Returns a model of the arm of a table whose springs share a stiffness matrix.
std::shared_ptr<const Model> coupled_arm(const Json& table) {
  RobotDescription robot = planar_of(table);
  StiffnessDescription stiffness{.joints = {}, .matrix = {{900, 350}, {350, 400}}};
  for (LinkDescription& link : robot.links) {
    stiffness.joints.push_back(link.joint.name);
    link.joint.drives[0].elasticity.reset();
  }
  robot.stiffnesses = {stiffness};
  return build(robot);
}

// Checks the feed-forward torques against a table. They must not depend on the state of the motors.
void expect_table(const Json& table, const std::shared_ptr<const Model>& model,
                  const Vec3<double>& gravity_W) {
  const Json& samples = table["samples"];
  const size_t n = size_t(model->n_v);
  const ReferenceLaw reference = reference_of(n, [&](double t, Reference& out) {
    for (const Json& sample : samples)
      if (sample["t"].get<double>() == t)
        for (auto [part, key] : {std::pair{&out.q, "q"},
                                 {&out.v, "qd"},
                                 {&out.vdot, "qdd"},
                                 {&out.vddot, "q3"},
                                 {&out.vdddot, "q4"}})
          *part = sample[key].get<List>();
  });
  const Load load = controlled("elastic_feed_forward", model, gravity_W, {}, reference);
  const std::unique_ptr<ControlLaw> law = load.controls[0].law->clone();
  double worst = 0, most = 0;
  for (const Json& sample : samples) {
    const List q = sample["q"], v = sample["qd"], expected = sample["tau_m"], limit(n, INFINITY);
    List tau(n), signal(law->n_signal());
    law->evaluate({sample["t"], q, v}, 0, limit, {}, {tau, {}, {}, signal});
    for (size_t k = 0; k < n; ++k) {
      worst = std::max(worst, std::abs(tau[k] - expected[k]));
      most = std::max(most, std::abs(expected[k]));
    }
  }
  std::printf("tau_m of the table to %.1e of %.1f N m\n", worst, most);
  EXPECT_LT(worst, 1e-12 * most);
}

TEST(ElasticFeedForward, MatchesAnIndependentProgram) {
  const Json table = stored_table("elastic.json")["feedforward"];
  expect_table(table["two_r"], build(planar_of(table["two_r"])), along_y);
  RobotDescription arm = iiwa(stored_table("iiwa_second_order.json"));
  for (size_t k = 0; k < 7; ++k)
    arm.links[k].joint.drives = {elastic_drive(table["iiwa"]["k"][k], table["iiwa"]["Ia"][k], 0)};
  expect_table(table["iiwa"], build(arm), {0, 0, -9.80665});
}

// Runs an arm in open loop; links and motors start on the reference. Returns the largest distance
// of the links from the reference.
double open_loop_error(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                       const ReferenceLaw& reference, double duration) {
  Reference desired = reference.make();
  reference.evaluate(0, desired);
  const Motors start =
      motors_of(model, gravity_W, desired.q, desired.v, desired.vdot, desired.vddot);
  Simulation s(model, solver_factory(), Integrator::fehlberg, 1e-3, {1e-13, 1e-13});
  s.set_gravity(gravity_W);
  s.begin(controlled("elastic_feed_forward", model, gravity_W, {}, reference), desired.q, desired.v,
          start.theta, start.theta_dot);
  double worst = 0;
  while (s.time() < duration - 1e-9) {
    s.step();
    reference.evaluate(s.time(), desired);
    for (size_t k = 0; k < desired.q.size(); ++k)
      worst = std::max(worst, std::abs(s.state().q()[k] - desired.q[k]));
  }
  std::printf("open loop, %.1f s: error %.1e\n", duration, worst);
  return worst;
}

TEST(ElasticFeedForward, KeepsTheReferenceInOpenLoop) {
  const Json table = stored_table("elastic.json")["feedforward"]["two_r"],
             &wave = table["trajectory"];
  EXPECT_LT(open_loop_error(build(planar_of(table)), along_y,
                            waves(wave["A"], wave["w"], wave["phase"]), 1),
            1e-10);
  EXPECT_LT(
      open_loop_error(coupled_arm(table), along_y, waves(wave["A"], wave["w"], wave["phase"]), 1),
      1e-10);
}

// The motors stop where the springs carry the weight at the goal, so the joints reach it.
TEST(ElasticPd, ReachesItsGoalWithAStiffnessMatrix) {
  const auto model = coupled_arm(stored_table("elastic.json")["feedforward"]["two_r"]);
  const List goal{0.4, -0.3};
  const ReferenceLaw rest = reference_of(2, [&](double, Reference& out) { out.q = goal; });
  Simulation s(model, solver_factory(), Integrator::dirk, 0.1, {1e-9, 1e-10});
  s.set_gravity(along_y);
  s.begin(controlled("elastic_pd", model, along_y, {{"kp", 500.0}, {"kd", 100.0}}, rest),
          List{0, 0}, List{0, 0});
  while (s.time() < 40) s.step();
  EXPECT_NEAR(s.state().q()[0], goal[0], 1e-6);
  EXPECT_NEAR(s.state().q()[1], goal[1], 1e-6);
}

// Checks a tree with rigid and elastic joints, cubic springs and dampers.
TEST(ElasticFeedForward, KeepsATreeOfMixedJointsOnTheReference) {
  EXPECT_LT(open_loop_error(mixed_tree(), {0, 0, -9.81},
                            waves({0.7, -0.5, 0.1}, {2, 3, 4}, {0.3, -0.5, 1}), 0.5),
            1e-10);
}

ReferenceLaw along(const std::shared_ptr<const Trajectory>& trajectory) {
  return {.make = [trajectory] { return trajectory->make_reference(); },
          .evaluate = [trajectory](double t,
                                   Reference& out) { ASSERT_TRUE(trajectory->evaluate(t, out)); },
          .breaks = trajectory->breaks(),
          .smoothness = trajectory->smoothness()};
}

// A motion of an elastic arm from rest to rest in 1 s. Measures the error during the motion and
// after it, also with the torques of a rigid arm.
struct RestToRest {
  std::shared_ptr<const Model> model, rigid;
  List from{-1.2, 0.4}, to{0.3, -0.5};
  RestToRest() {
    Json table = stored_table("elastic.json")["feedforward"]["two_r"];
    table["k"] = {2000, 1500};
    RobotDescription robot = planar_of(table);
    model = build(robot);
    for (LinkDescription& link : robot.links) {
      link.joint.armature = link.joint.drives[0].motor.inertia();
      link.joint.drives.clear();
    }
    rigid = build(robot);
  }
  ReferenceLaw reference(const char* law) const {
    return along(
        plugins().make<Trajectory>(law, model, {{"from", from}, {"to", to}, {"duration", 1.0}}));
  }
  struct Errors {
    double moving = 0, after = 0;
  };
  Errors run(const char* law, const std::shared_ptr<const Model>& nominal) const {
    const ReferenceLaw septic = reference("septic");
    const List rest(2, 0.0);
    const Motors start = motors_of(model, along_y, from, rest, rest, rest);
    Simulation s(model, solver_factory(), Integrator::fehlberg, 1e-3, {1e-13, 1e-13});
    s.set_gravity(along_y);
    Load load = controlled(law, nominal, along_y, {}, septic);
    load.controls[0].of_motors = true;
    s.begin(load, from, rest, start.theta, start.theta_dot);
    Reference desired = septic.make();
    Errors out;
    while (s.time() < 1.5 - 1e-9) {
      s.step();
      septic.evaluate(s.time(), desired);
      double& worst = s.time() > 1 ? out.after : out.moving;
      for (size_t k = 0; k < 2; ++k)
        worst = std::max(worst, std::abs(s.state().q()[k] - desired.q[k]));
    }
    return out;
  }
};

TEST(ElasticFeedForward, LeavesNoVibrationUnlikeTheTorquesOfARigidArm) {
  const RestToRest motion;
  const auto elastic = motion.run("elastic_feed_forward", motion.model),
             rigid = motion.run("feed_forward", motion.rigid);
  std::printf(
      "septic of 1 s: error %.1e rad, left %.1e rad; by a rigid arm's torques %.1e and %.1e rad\n",
      elastic.moving, elastic.after, rigid.moving, rigid.after);
  EXPECT_LT(elastic.moving, 1e-8);
  EXPECT_LT(1000 * elastic.after, rigid.after);
}

TEST(ElasticFeedForward, RejectsAReferenceWhoseJerkJumps) {
  const RestToRest motion;
  try {
    controlled("elastic_feed_forward", motion.model, along_y, {}, motion.reference("quintic"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("the jerk of this reference jumps, and so does tau': at the start it is not 0"));
  }
}

// Returns e(t) of (d/dt + w)^4 e = 0 from e and its first three derivatives at 0. e^(w t) e is a
// polynomial of third degree.
double quadruple_pole(double w, const double (&e)[4], double t) {
  const double c[] = {e[0], w * e[0] + e[1], w * w * e[0] + 2 * w * e[1] + e[2],
                      w * w * w * e[0] + 3 * w * w * e[1] + 3 * w * e[2] + e[3]};
  return std::exp(-w * t) * (c[0] + t * (c[1] + t / 2 * (c[2] + t / 3 * c[3])));
}

// Runs feedback linearisation from a start off the reference in position, velocity, acceleration
// and jerk. Returns the largest difference of the error from its closed form.
double distance_to_linear_error(const std::shared_ptr<const Model>& model,
                                const Vec3<double>& gravity_W, const ReferenceLaw& reference,
                                double w, double off) {
  const size_t n = size_t(model->n_v);
  Reference desired = reference.make();
  reference.evaluate(0, desired);
  Random random(3);
  List start[4], e0[4];
  const List* const parts[] = {&desired.q, &desired.v, &desired.vdot, &desired.vddot};
  for (int order = 0; order < 4; ++order) {
    e0[order] = random_values(random, int(n), off * std::pow(w, order));
    for (size_t k = 0; k < n; ++k) {
      // Rigid joints have an error equation of second order, which determines the higher
      // derivatives.
      if (order > 1 && !model->drives[k].elasticity)
        e0[order][k] = -2 * w * e0[order - 1][k] - w * w * e0[order - 2][k];
      start[order].push_back((*parts[order])[k] - e0[order][k]);
    }
  }
  const Motors motors = motors_of(model, gravity_W, start[0], start[1], start[2], start[3]);
  Simulation s(model, solver_factory(), Integrator::fehlberg, 1e-2, {1e-12, 1e-12});
  s.set_gravity(gravity_W);
  s.begin(
      controlled("elastic_feedback_linearisation", model, gravity_W, {{"frequency", w}}, reference),
      start[0], start[1], motors.theta, motors.theta_dot);
  double worst = 0, largest = 0;
  while (s.time() < 1 - 1e-9) {
    s.step();
    reference.evaluate(s.time(), desired);
    for (size_t k = 0; k < n; ++k) {
      const double t = s.time(), e = desired.q[k] - s.state().q()[k];
      const double expected =
          model->drives[k].elasticity
              ? quadruple_pole(w, {e0[0][k], e0[1][k], e0[2][k], e0[3][k]}, t)
              : std::exp(-w * t) *
                    (e0[0][k] + t * (w * e0[0][k] + e0[1][k]));  // (d/dt + w)^2 e = 0
      worst = std::max(worst, std::abs(e - expected));
      largest = std::max(largest, std::abs(expected));
    }
  }
  std::printf("the error is of up to %.3f, and as its equation has it to %.1e\n", largest, worst);
  EXPECT_GT(largest, off / 10);
  return worst;
}

TEST(ElasticFeedbackLinearisation, HasTheTheoreticalError) {
  const Json table = stored_table("elastic.json")["feedforward"];
  const Json& wave = table["two_r"]["trajectory"];
  EXPECT_LT(distance_to_linear_error(build(planar_of(table["two_r"])), along_y,
                                     waves(wave["A"], wave["w"], wave["phase"]), 12, 0.2),
            1e-8);
  EXPECT_LT(distance_to_linear_error(coupled_arm(table["two_r"]), along_y,
                                     waves(wave["A"], wave["w"], wave["phase"]), 12, 0.2),
            1e-8);
  RobotDescription arm = iiwa(stored_table("iiwa_second_order.json"));
  for (size_t k = 0; k < 7; ++k) {
    arm.links[k].joint.drives = {elastic_drive(table["iiwa"]["k"][k], table["iiwa"]["Ia"][k], 0.5)};
    arm.links[k].joint.damping = 1;
  }
  EXPECT_LT(distance_to_linear_error(build(arm), {0, 0, -9.80665},
                                     waves({0.5, 0.4, -0.6, 0.7, 0.5, -0.4, 0.8},
                                           {2, 1, 2, 3, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6}),
                                     10, 0.05),
            1e-8);
  EXPECT_LT(distance_to_linear_error(mixed_tree(), {0, 0, -9.81},
                                     waves({0.7, -0.5, 0.1}, {2, 3, 4}, {0.3, -0.5, 1}), 8, 0.05),
            1e-8);
}

// Checks the coefficients of (s + 3)^4 as gains.
TEST(ElasticFeedbackLinearisation, AcceptsFourGains) {
  const auto model = mixed_tree();
  const ReferenceLaw reference = waves({0.7, -0.5, 0.1}, {2, 3, 4}, {0.3, -0.5, 1});
  const auto torques = [&](const std::vector<Parameter>& parameters) {
    const Load load =
        controlled("elastic_feedback_linearisation", model, {0, 0, -9.81}, parameters, reference);
    const auto law = load.controls[0].law->clone();
    const List q{0.1, 0.2, 0.05}, v{1, -1, 0.2}, theta{0.11, 0.18, 0.05}, theta_dot{0.7, -1.2, 0.2},
        limit(3, INFINITY);
    List tau(3), signal(law->n_signal());
    law->evaluate({0.2, q, v, theta, theta_dot}, 0, limit, {}, {tau, {}, {}, signal});
    return tau;
  };
  const List pole = torques({{"frequency", 3.0}}),
             gains = torques({{"frequency", 3.0}, {"gains", List{81, 108, 54, 12}}}),
             other = torques({{"frequency", 3.0}, {"gains", List{81, 108, 54, 13}}});
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(gains[k], pole[k], 1e-12 * std::abs(pole[k]));
  EXPECT_GT(std::abs(other[0] - pole[0]), 1e-3);
}

std::string rejection(const char* id, const std::shared_ptr<const Model>& model,
                      const std::vector<Parameter>& parameters,
                      const char* solver = "newton_euler") {
  try {
    return plugins().controller(id, model, solver, {0, 0, -9.81}, parameters)->note();
  } catch (const UnsupportedModel& error) {
    return error.what();
  }
}

// Returns a prismatic joint with a motor and this spring.
std::shared_ptr<const Model> elastic_slider(const Elasticity& elasticity,
                                            const Friction& of_motor = {},
                                            const Friction& of_link = {}) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives = {elastic_drive(100, 0.1, 0)};
  robot.links[0].joint.drives[0].elasticity = elasticity;
  robot.links[0].joint.drives[0].motor.friction = of_motor;
  robot.links[0].joint.drives[0].friction = of_link;
  return build(robot);
}

TEST(ElasticLaws, RejectUnsupportedModels) {
  const Friction damper{.law = Friction::Law::coulomb, .viscous = 0.5},
      dry{.law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1};
  const std::vector<Parameter> poles{{"frequency", 5.0}};
  for (const char* id : {"elastic_feed_forward", "elastic_feedback_linearisation"}) {
    const auto of = [&](const std::shared_ptr<const Model>& model,
                        const char* solver = "newton_euler") {
      return rejection(id, model,
                       id == std::string("elastic_feed_forward") ? std::vector<Parameter>{} : poles,
                       solver);
    };
    EXPECT_EQ(of(elastic_slider({.stiffness = 100, .cubic = 10}, damper, damper)), "");
    EXPECT_THAT(of(elastic_slider({.stiffness = 100}), "articulated_body"),
                HasSubstr("offers no time derivatives of torques; set solver = \"newton_euler\""));
    EXPECT_THAT(of(build(slider())), HasSubstr("which is for rigid joints"));
    EXPECT_THAT(of(elastic_slider({.stiffness = 100, .damping = 1})),
                HasSubstr("a spring of the model is damped"));
    RobotDescription follower = planar_n_link(Vector::Ones(3), Vector::Ones(3));
    follower.links[0].joint.drives = {elastic_drive(100, 0.1, 0)};
    follower.links[2].joint.mimic = Mimic{"joint2", 1, 0};
    EXPECT_THAT(of(build(follower)), HasSubstr("joints of the model mimic others"));
  }
  EXPECT_EQ(rejection("elastic_feed_forward", elastic_slider({.stiffness = 100}, dry), {}),
            "the model's dry friction is not compensated");
  const char* id = "elastic_feedback_linearisation";
  EXPECT_EQ(rejection(id, elastic_slider({.stiffness = 100}, dry), poles), "");
  EXPECT_THAT(rejection(id, elastic_slider({.stiffness = 100}, {}, dry), poles),
              HasSubstr("dry friction on the link's side"));
  RobotDescription ball = slider();
  ball.links[0].joint.drives = {elastic_drive(100, 0.1, 0)};
  ball.links.push_back(ball.links[0]);
  ball.links[1].name = "ball", ball.links[1].parent = "cart";
  ball.links[1].joint = JointDescription();
  ball.links[1].joint.name = "socket";
  ball.links[1].joint.kind = JointKind::spherical;
  EXPECT_THAT(rejection(id, build(ball), poles),
              HasSubstr("a joint of the model is spherical, planar or floating"));
}

// Checks that the delay of a sensor applies to the motors too.
TEST(Sensor, MeasuresTheMotorsToo) {
  const auto model = elastic_slider({.stiffness = 100});
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  Load load;
  List seen, done;
  const auto law = [&](const Measured& at, double, std::span<const double>,
                       const ControlLaw::Answer& out) {
    seen.push_back(at.motor_q[0]);
    out.tau[0] = 1;
  };
  load.controls = {{.name = "law",
                    .law = std::make_shared<FunctionLaw>(law),
                    .period = 0.01,
                    .sensor = {.delay = 0.02}}};
  s.begin(load, List{0.5}, List{0}, List{0.3}, List{0});
  for (int k = 0; k < 10; ++k) {
    done.push_back(s.motor_q()[0]);
    s.step();
  }
  ASSERT_GE(seen.size(), 10u);
  for (size_t k = 2; k < 10; ++k) EXPECT_EQ(seen[k], done[k - 2]) << k;
  EXPECT_EQ(seen[1], 0.3);
  EXPECT_NE(done[9], done[8]);
}

}  // namespace
}  // namespace torsor::test
