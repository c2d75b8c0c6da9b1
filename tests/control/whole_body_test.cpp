// Tests of whole-body inverse dynamics: closed forms, the equations of motion by another solver,
// friction cones and torque limits in random states, and the gait.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "simulation/robots.hpp"
#include "support/random_robot.hpp"
#include "support/random_state.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

const Registry& shipped() {
  static const Registry plugins({TORSOR_PLUGIN_DIR});
  return plugins;
}

constexpr double thigh = 0.25, foot_radius = 0.02;
const char* const legs[] = {"front_left", "front_right", "rear_left", "rear_right"};

// A quadruped with the joints roll, hip and knee of each leg. mass: of each of the three links of a
// leg. effort: limit of all torques.
RobotDescription described_quadruped(double mass, double effort) {
  RobotDescription robot;
  robot.name = "quadruped";
  LinkDescription trunk;
  trunk.name = "trunk";
  trunk.joint.name = "base";
  trunk.joint.kind = JointKind::floating;
  trunk.inertia = inertia_about_com(12, {0, 0, 0}, {0.06, 0.38, 0.4, 0, 0, 0});
  robot.links.push_back(trunk);
  for (int k = 0; k < 4; ++k) {
    const std::string leg = legs[k];
    const double x = k < 2 ? 0.25 : -0.25, y = k % 2 == 0 ? 0.15 : -0.15;
    const auto add = [&](const char* part, const std::string& parent, const Vec3<double>& axis,
                         const Vec3<double>& at) {
      LinkDescription link;
      link.name = leg + part;
      link.parent = parent;
      link.joint.name = link.name;
      link.joint.kind = JointKind::revolute;
      link.joint.placement = ScrewPlacement{.X_PL = translation(at), .axis = axis};
      link.joint.armature = 0.01;
      link.joint.effort_limit = effort;
      link.inertia = inertia_about_com(mass, {0, 0, -0.5 * thigh},
                                       {0.005 * mass, 0.005 * mass, 0.0002 * mass, 0, 0, 0});
      robot.links.push_back(link);
    };
    add("_roll", "trunk", {1, 0, 0}, {x, y, 0});
    add("_hip", leg + "_roll", {0, 1, 0}, {0, 0, 0});
    add("_knee", leg + "_hip", {0, 1, 0}, {0, 0, -thigh});
    robot.frames.push_back({.name = leg + "_foot",
                            .link = leg + "_knee",
                            .X_LF = translation(Vec3<double>{0, 0, -thigh}),
                            .source = ""});
  }
  return robot;
}
std::shared_ptr<const Model> quadruped(double mass, double effort) {
  return build(described_quadruped(mass, effort));
}

std::vector<FramePlace> feet() {
  std::vector<FramePlace> out;
  for (const char* leg : legs) out.push_back({std::string(leg) + "_foot"});
  return out;
}

// Returns the position in which the quadruped stands with this angle of its thighs.
List standing(double bend) {
  List q{0, 0, 2 * thigh * std::cos(bend) + foot_radius, 1, 0, 0, 0};
  for (int k = 0; k < 4; ++k) q.insert(q.end(), {0, bend, -2 * bend});
  return q;
}

// The law at a state, and its results.
struct Law {
  Law(std::shared_ptr<const Model> of, std::vector<Parameter> parameters, double effort = 1e300)
      : model(std::move(of)),
        made(shipped().controller("whole_body", model, "newton_euler", {0, 0, -g}, parameters)),
        result(made->make_result()),
        n(size_t(model->n_v)),
        v(n, 0.0),
        e(n, 0.0),
        a(n, 0.0),
        rest(n, 0.0),
        memory(made->n_memory(), 0.0) {
    for (size_t k = 0; k < n; ++k) limits.push_back(model->drives[k].passive ? 0 : effort);
  }
  Status evaluate(const List& q, double time = 0) {
    torsor_control_input in{};
    in.struct_size = sizeof in;
    in.time = time;
    in.q = in.q_d = q.data();
    in.v = v.data(), in.v_r = in.v_d = rest.data();
    in.e = e.data(), in.a_r = in.vdot_d = a.data();
    in.max_torque = in.tau_upper = in.tau_lower = limits.data();
    in.memory = memory.data();
    const Status status = made->evaluate(in, result);
    std::copy(result.memory.begin(), result.memory.end(), memory.begin());
    return status;
  }
  std::span<const double> tau() const { return {result.tau.data(), n}; }
  std::span<const double> w() const { return {result.signal.data(), n}; }
  std::span<const double> contact() const { return {result.signal.data() + n, n}; }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Controller> made;
  Controller::Result result;
  size_t n;
  List v, e, a, rest, memory, limits;
};

// Returns the force on a foot that has the contact torques of the three joints of its leg, in the
// axes of the world: J_leg^T f = contact. J is that of the contact point.
Eigen::Vector3d foot_force(const Law& law, const List& q, int leg) {
  State state(law.model);
  state.set_q(q);
  const Frame& foot = law.model->frames[size_t(law.model->frame(std::string(legs[leg]) + "_foot"))];
  const Eigen::MatrixXd J = frame_jacobian(state, foot, Axes::world);
  const Eigen::Vector3d rho(0, 0, -foot_radius);
  Eigen::Matrix3d A;
  Eigen::Vector3d torque;
  for (int k = 0; k < 3; ++k) {
    const int dof = 6 + 3 * leg + k;
    const Eigen::Vector3d angular = J.col(dof).head(3), linear = J.col(dof).tail(3);
    A.row(k) = linear + angular.cross(rho);
    torque[k] = law.contact()[size_t(dof)];
  }
  return A.partialPivLu().solve(torque);
}

// A trunk of 12 kg on legs without mass, whose feet are below the hips. Each foot carries a quarter
// of the weight. The knee is thigh sin(bend) behind the foot, so that the force turns the shank
// backwards about y. Its levers about the other joints are zero.
TEST(WholeBody, SymmetricQuadrupedCarriesAQuarterOnEachFoot) {
  for (const double bend : {0.3, 0.7, 1.1}) {
    const auto model = quadruped(1e-9, 1e300);
    Law law(model, {{"feet", feet()}, {"radius", foot_radius}});
    const List q = standing(bend);
    ASSERT_TRUE(law.evaluate(q));
    const double quarter = 12 * g / 4;
    for (int leg = 0; leg < 4; ++leg) {
      const Eigen::Vector3d f = foot_force(law, q, leg);
      // The weight of the forces shifts them by about m^2 / 4 * 1e-6 of their size.
      EXPECT_NEAR(f.z(), quarter, 1e-4 * quarter);
      EXPECT_LT(f.head(2).norm(), 1e-6 * quarter);
      const auto tau = law.tau().subspan(size_t(6 + 3 * leg), 3);
      EXPECT_NEAR(tau[0], 0, 1e-6 * quarter);
      EXPECT_NEAR(tau[1], 0, 1e-6 * quarter);
      EXPECT_NEAR(tau[2], quarter * thigh * std::sin(bend), 1e-4 * quarter);
    }
  }
}

// The tasks of this robot determine all accelerations. The forces of the standing robot, of weight
// w_f, then follow from dense equations without inequalities.
TEST(WholeBody, StandingEqualsTheDenseEquations) {
  const auto model = quadruped(0.5, 1e300);
  const double w_contact = 1e3, w_base = 10, w_joint = 0.01, w_force = 1e-5;
  Law law(model, {{"feet", feet()},
                  {"radius", foot_radius},
                  {"contact_weight", w_contact},
                  {"base_weight", w_base},
                  {"weight", w_joint},
                  {"force_weight", w_force}});
  const List q = standing(0.6);
  for (size_t k = 0; k < law.n; ++k) law.a[k] = 0.1 * std::sin(double(k));
  ASSERT_TRUE(law.evaluate(q));

  State state(model);
  state.set_q(q);
  state.set_gravity({0, 0, -g});
  Solver solver = solver_source()("lie_group", model);
  const Eigen::Index n = model->n_v, N = n + 12;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(n, n);
  Eigen::VectorXd h(n);
  ASSERT_TRUE(solver.evaluate(Quantity::mass_matrix, state, nullptr, M.data()));
  ASSERT_TRUE(solver.evaluate(Quantity::bias, state, nullptr, h.data()));
  Eigen::MatrixXd J(12, n);
  for (int leg = 0; leg < 4; ++leg) {
    const Frame& foot = model->frames[size_t(model->frame(std::string(legs[leg]) + "_foot"))];
    const Eigen::MatrixXd of_frame = frame_jacobian(state, foot, Axes::world);
    for (Eigen::Index k = 0; k < n; ++k)
      J.col(k).segment(3 * leg, 3) =
          of_frame.col(k).tail(3) +
          Eigen::Vector3d(of_frame.col(k).head(3)).cross(Eigen::Vector3d(0, 0, -foot_radius));
  }
  Eigen::VectorXd weight(n), wanted(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    weight[k] = k < 6 ? w_base : w_joint;
    wanted[k] = law.a[size_t(k)];
  }
  // The minimum of the tasks, with the six equations of the trunk.
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(N + 6, N + 6);
  K.topLeftCorner(n, n) = w_contact * J.transpose() * J;
  K.topLeftCorner(n, n).diagonal() += weight;
  K.diagonal().segment(n, 12).setConstant(w_force);
  K.block(N, 0, 6, n) = M.topRows(6);
  K.block(N, n, 6, 12) = -J.leftCols(6).transpose();
  K.topRightCorner(N, 6) = K.bottomLeftCorner(6, N).transpose();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(N + 6);
  right.head(n) = weight.cwiseProduct(wanted);
  right.tail(6) = -h.head(6);
  const Eigen::VectorXd z = K.fullPivLu().solve(right);
  const Eigen::VectorXd tau = M * z.head(n) + h - J.transpose() * z.segment(n, 12);
  for (Eigen::Index k = 0; k < n; ++k) {
    EXPECT_NEAR(law.w()[size_t(k)], z[k], 1e-6);
    EXPECT_NEAR(law.tau()[size_t(k)], k < 6 ? 0 : tau[k], 1e-6);
  }
}

// Random states with random wanted accelerations, of which most exceed the cones and the limits.
TEST(WholeBody, SatisfiesTheEquationsOfMotionTheConesAndTheLimits) {
  const double mu = 0.4, effort = 15;
  const auto model = quadruped(0.5, effort);
  Law law(model, {{"feet", feet()}, {"radius", foot_radius}, {"mu", mu}, {"sides", 6.0}}, effort);
  Solver solver = solver_source()("lie_group", model);
  State state(model);
  state.set_gravity({0, 0, -g});
  int at_cone = 0, at_limit = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    List q = standing(0.7);
    const List d = random_values(random, model->n_v, 0.3);
    integrate(*model, List(q).data(), d.data(), 1, q.data());
    law.v = random_values(random, model->n_v, 0.5);
    law.a = random_values(random, model->n_v, 20);
    ASSERT_TRUE(law.evaluate(q)) << law.made->explain(law.evaluate(q));
    state.set_q(q);
    state.v = law.v;
    List needed(law.n), vdot(law.w().begin(), law.w().end());
    ASSERT_TRUE(solver.evaluate(Quantity::inverse, state, vdot.data(), needed.data()));
    for (size_t k = 0; k < law.n; ++k) {
      EXPECT_NEAR(needed[k], law.tau()[k] + law.contact()[k], 1e-9);
      EXPECT_LE(std::abs(law.tau()[k]), k < 6 ? 0 : effort + 1e-9);
      at_limit += k >= 6 && std::abs(law.tau()[k]) > effort - 1e-9;
    }
    for (int leg = 0; leg < 4; ++leg) {
      const Eigen::Vector3d f = foot_force(law, q, leg);
      EXPECT_GE(f.z(), -1e-8);
      EXPECT_LE(f.head(2).norm(), mu * f.z() + 1e-8);
      at_cone += f.z() > 1 && f.head(2).norm() > 0.86 * mu * f.z();  // cos(pi/6) = 0.866
    }
  }
  EXPECT_GT(at_cone, 50);
  EXPECT_GT(at_limit, 50);
}

// The points in stance accelerate with -kd times their velocity, up to the ratio of the weights.
TEST(WholeBody, FeetInStanceComeToRest) {
  const auto model = quadruped(0.5, 1e300);
  Law law(model, {{"feet", feet()},
                  {"radius", foot_radius},
                  {"contact_kd", 30.0},
                  {"contact_weight", 1e6},
                  {"mu", 5.0}});
  Random random(3);
  List q = standing(0.7);
  law.v = random_values(random, model->n_v, 0.05);
  ASSERT_TRUE(law.evaluate(q));
  // p(t) = p(0) + J v t + (J vdot + Jdot v) t^2 / 2 of the centre of each foot, plus w x rho.
  State state(model);
  state.set_q(q);
  state.v = law.v;
  for (const char* leg : legs) {
    const Frame& foot = model->frames[size_t(model->frame(std::string(leg) + "_foot"))];
    const Eigen::MatrixXd J = frame_jacobian(state, foot, Axes::world);
    const Twist<double> rate = jacobian_rate(state, foot, Axes::world);
    const Eigen::VectorXd V = J * Eigen::Map<const Eigen::VectorXd>(law.v.data(), model->n_v),
                          A = J * Eigen::Map<const Eigen::VectorXd>(law.w().data(), model->n_v);
    const Eigen::Vector3d rho(0, 0, -foot_radius),
        alpha = A.head<3>() + Eigen::Vector3d(rate.w.x, rate.w.y, rate.w.z),
        a = A.tail<3>() + Eigen::Vector3d(rate.v.x, rate.v.y, rate.v.z);
    const Eigen::Vector3d velocity = V.tail<3>() + Eigen::Vector3d(V.head<3>()).cross(rho),
                          acceleration = a + alpha.cross(rho);
    EXPECT_LT((acceleration + 30 * velocity).norm(), 1e-3);
  }
}

// Diagonal legs swing in turn. A foot in the air has no contact force. With the period T, the share
// 0.75 of stance and the phases 0 and 0.5, the swings of the first pair are [0.75, 1) T after the
// start, and those of the other pair [0.25, 0.5) T. The latter begin with the first period.
TEST(WholeBody, FollowsItsGait) {
  const auto model = quadruped(0.5, 1e300);
  const double T = 0.8, start = 0.3;
  Law law(model, {{"feet", feet()},
                  {"radius", foot_radius},
                  {"period", T},
                  {"start", start},
                  {"stance", 0.75},
                  {"phase", List{0, 0.5, 0.5, 0}}});
  const List q = standing(0.7);
  for (int k = 0; k < 200; ++k) {
    const double time = 0.013 * k, cycle = (time - start) / T, share = cycle - std::floor(cycle);
    ASSERT_TRUE(law.evaluate(q, time));
    for (int leg = 0; leg < 4; ++leg) {
      const bool first = leg == 0 || leg == 3;
      const bool in_air = cycle >= 0 && (first ? share >= 0.75 : share >= 0.25 && share < 0.5);
      const double f = foot_force(law, q, leg).norm();
      if (in_air)
        EXPECT_EQ(f, 0) << time << " " << leg;
      else
        EXPECT_GT(f, 1) << time << " " << leg;
      EXPECT_EQ(law.memory[size_t(4 * leg)], in_air);
    }
  }
}

// A foot in the air is accelerated along its path. At the middle of a swing, its height above the
// line has the acceleration 384 p (1 - 5 p) / T_s^2 height with p = 1/4, which is -24 height /
// T_s^2.
TEST(WholeBody, MovesFeetInTheAirAlongTheirPath) {
  const auto model = quadruped(0.5, 1e300);
  const double T = 1, height = 0.05, swing = 0.4, step_gain = 0.2;
  Law law(model, {{"feet", feet()},
                  {"radius", foot_radius},
                  {"period", T},
                  {"stance", List{1 - swing, 1, 1, 1}},
                  {"swing_kp", 0.0},
                  {"swing_kd", 0.0},
                  {"swing_weight", 1e7},
                  {"step_height", height},
                  {"step_gain", step_gain},
                  {"mu", 1.0}});
  const List q = standing(0.7);
  ASSERT_TRUE(law.evaluate(q, T - swing + 1e-9));  // lifts the foot
  ASSERT_TRUE(law.evaluate(q, T - 0.5 * swing));
  State state(model);
  state.set_q(q);
  const Frame& foot = model->frames[size_t(model->frame("front_left_foot"))];
  const Eigen::MatrixXd J = frame_jacobian(state, foot, Axes::world);
  Eigen::VectorXd A = J * Eigen::Map<const Eigen::VectorXd>(law.w().data(), model->n_v);
  EXPECT_NEAR(A[3], 0, 1e-3);
  EXPECT_NEAR(A[4], 0, 1e-3);
  EXPECT_NEAR(A[5], -24 * height / (swing * swing), 1e-3);
  // The robot moves along x with the reference at rest: the step is shifted by step_gain times this
  // velocity. At s = 1/4, the second derivative of b is 5.625 / T_s^2.
  law.v[3] = 0.1;
  ASSERT_TRUE(law.evaluate(q, T - 0.75 * swing));
  A = J * Eigen::Map<const Eigen::VectorXd>(law.w().data(), model->n_v);
  EXPECT_NEAR(A[3], 5.625 / (swing * swing) * step_gain * 0.1, 1e-3);
}

// The task of the centre of mass alone, in the air: without contacts only gravity moves it.
TEST(WholeBody, CentreOfMassFallsWithoutContacts) {
  const auto model = quadruped(0.5, 1e300);
  Law law(model, {{"com_weight", 100.0}});
  const List q = standing(0.7);
  ASSERT_TRUE(law.evaluate(q));
  for (size_t k = 0; k < law.n; ++k) EXPECT_EQ(law.contact()[k], 0);
  State state(model);
  state.set_q(q);
  double z = 0, mass = 0;
  for (size_t body = 1; body < model->inertia_B.size(); ++body) {
    const SpatialInertia<double>& I = model->inertia_B[body];
    if (!(I.m > 0)) continue;
    const Frame com{"", int(body),
                    translation(Vec3<double>{I.h.x / I.m, I.h.y / I.m, I.h.z / I.m})};
    const Eigen::VectorXd A = frame_jacobian(state, com, Axes::world) *
                              Eigen::Map<const Eigen::VectorXd>(law.w().data(), model->n_v);
    z += I.m * A[5], mass += I.m;
  }
  EXPECT_NEAR(z / mass, -g, 1e-9);
}

// A robot with a fixed base and enough torque: computed torque.
TEST(WholeBody, OfAnArmIsComputedTorque) {
  const auto model = build(random_robot(6, Shape::tree, 4, Kinds::one_column));
  Random random(4);
  const List q = random_position(random, *model, 1);
  Law law(model, {{"kp", 10.0}, {"kd", 3.0}, {"weight", 1.0}, {"friction", false}});
  law.v = random_values(random, model->n_v, 1);
  law.e = random_values(random, model->n_v, 0.1);
  ASSERT_TRUE(law.evaluate(q));
  State state(model);
  state.set_q(q);
  state.v = law.v;
  state.set_gravity({0, 0, -g});
  List w(law.n), tau(law.n);
  for (size_t k = 0; k < law.n; ++k) w[k] = 10 * law.e[k] - 3 * law.v[k];
  Solver solver = solver_source()("lie_group", model);
  ASSERT_TRUE(solver.evaluate(Quantity::inverse, state, w.data(), tau.data()));
  for (size_t k = 0; k < law.n; ++k)
    EXPECT_NEAR(law.tau()[k], tau[k], 1e-6 * (1 + std::abs(tau[k])));
}

// A block on a sole with its centre of mass at a distance d in front of the middle of the sole. The
// block is at rest if d is below half the length of the sole. Otherwise it falls forwards: the
// forces act at the front edge, and the weight turns the block about it.
TEST(WholeBody, ABlockOnASoleStandsWhileItsCentreOfMassIsAboveIt) {
  const double length = 0.2, height = 0.3, mass = 5, inertia = 0.1;
  for (const double d : {0.0, 0.09, -0.09, 0.11, 0.15}) {
    RobotDescription robot;
    robot.name = "block";
    LinkDescription link;
    link.name = "block";
    link.joint.name = "base";
    link.joint.kind = JointKind::floating;
    link.inertia = inertia_about_com(mass, {0, 0, 0}, {inertia, inertia, inertia, 0, 0, 0});
    robot.links.push_back(link);
    robot.frames.push_back({.name = "sole",
                            .link = "block",
                            .X_LF = translation(Vec3<double>{-d, 0, -height}),
                            .source = ""});
    Law law(build(robot), {{"feet", std::vector<FramePlace>{{"sole"}}},
                           {"sole", List{length, 0.1}},
                           {"mu", 10.0},
                           {"force_weight", 1e-9},
                           {"base_weight", 0.0}});
    ASSERT_TRUE(law.evaluate({0, 0, height, 1, 0, 0, 0}));
    EXPECT_EQ(law.tau()[1], 0);
    const double beyond = std::abs(d) - 0.5 * length;
    if (beyond < 0) {
      for (const double each : law.w()) EXPECT_NEAR(each, 0, 1e-4) << d;
      continue;
    }
    // The law minimises |alpha|^2 + |a|^2 of the middle of the sole, of which the edge with the
    // force N is at length / 2. With the force (F, N) of the edge,
    //   I alpha = N beyond - F height,   m a_x = F,   m a_z = N - m g.
    // (alpha, a) of the sole is linear in (F, N); least squares of three numbers.
    Eigen::Matrix<double, 3, 2> A;
    const auto motion = [&](double F, double N, double weight) {
      const double alpha = (N * beyond - F * height) / inertia, ax = F / mass,
                   az = N / mass - weight;
      // About y, the sole at (-d, -height) from the centre moves with a + alpha x r.
      return Eigen::Vector3d(alpha, ax - alpha * height, az + alpha * d);
    };
    A.col(0) = motion(1, 0, 0);
    A.col(1) = motion(0, 1, 0);
    const Eigen::Vector2d force = A.householderQr().solve(-motion(0, 0, g));
    const Eigen::Vector3d expected = A * force + motion(0, 0, g);
    EXPECT_GT(force[1], 0);
    EXPECT_NEAR(law.w()[1], expected[0], 1e-4) << d;
  }
}

TEST(WholeBody, RejectsInvalidParameters) {
  const auto model = quadruped(0.5, 1e300);
  const auto rejection = [&](std::vector<Parameter> parameters) {
    try {
      Law law(model, std::move(parameters));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const Parameter four{"feet", feet()};
  EXPECT_EQ(rejection({four}), "accepted");
  EXPECT_THAT(rejection({{"feet", std::vector<FramePlace>{{"world"}}}}),
              HasSubstr("is fixed to the world; name frames of links"));
  EXPECT_THAT(rejection({four, {"sole", List{0.1}}}),
              HasSubstr("'sole' has 1 values; give its length and its width"));
  EXPECT_THAT(rejection({four, {"sole", List{0.1, 0.1}}, {"radius", 0.02}}),
              HasSubstr("both sole and radius are set; set one of them"));
  EXPECT_THAT(rejection({four, {"mu", List{0.5, 0.5}}}),
              HasSubstr("'mu' has 2 values for 4 feet; give one value, or one for each foot"));
  EXPECT_THAT(rejection({four, {"phase", List{0, 0.5, 0.5}}}), HasSubstr("'phase' has 3 values"));
  EXPECT_THAT(rejection({four, {"normal", List{0, 1}}}), HasSubstr("'normal' has 2 values"));
  EXPECT_THAT(rejection({four, {"normal", List{0, 0, 0}}}), HasSubstr("'normal' is zero"));
  RobotDescription tied = described_quadruped(0.5, 1e300);
  tied.links.back().joint.mimic = Mimic{"front_left_knee", 1, 0};
  try {
    Law law(build(tied), {});
    ADD_FAILURE() << "a mimic joint was accepted";
  } catch (const UnsupportedModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("give it a 'model' without mimic joints"));
  }
  EXPECT_THAT(rejection({four, {"base_weight", List{1, 2}}}),
              HasSubstr("'base_weight' has 2 values for 6 degrees of freedom without a motor"));
}

}  // namespace
}  // namespace torsor::test
