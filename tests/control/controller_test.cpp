// Tests of controllers in closed loop. Their errors are compared with theory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "simulation/robots.hpp"
#include "support/random_robot.hpp"
#include "torsor/analysis/bounds.hpp"
#include "torsor/analysis/joint_loop.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/regressor.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

const Registry& registry() {
  static const Registry plugins({TORSOR_PLUGIN_DIR});
  return plugins;
}

std::shared_ptr<const Controller> controller(const std::string& id,
                                             const std::shared_ptr<const Model>& model,
                                             const std::vector<Parameter>& parameters = {}) {
  return registry().controller(id, model, "newton_euler", {0, 0, -g}, parameters);
}

Control control(std::shared_ptr<const Controller> made, std::optional<ReferenceLaw> reference,
                double period = 0) {
  return {.name = "law",
          .law = std::make_shared<ControllerLaw>(std::move(made), std::move(reference)),
          .period = period};
}

// Returns the reference q_0 (+) D (1 - cos w t) / 2. Every joint moves along one screw, so v = D
// rdot for every joint kind, with r = (1 - cos w t) / 2.
ReferenceLaw swing_of(const std::shared_ptr<const Model>& model, const List& q0, const List& D,
                      double w) {
  const auto make = [model] {
    Reference out;
    out.q.resize(size_t(model->n_q));
    out.v.resize(size_t(model->n_v));
    out.vdot.resize(size_t(model->n_v));
    return out;
  };
  const auto evaluate = [model, q0, D, w](double t, Reference& out) {
    integrate(*model, q0.data(), D.data(), 0.5 * (1 - std::cos(w * t)), out.q.data());
    for (size_t k = 0; k < D.size(); ++k) {
      out.v[k] = 0.5 * w * std::sin(w * t) * D[k];
      out.vdot[k] = 0.5 * w * w * std::cos(w * t) * D[k];
    }
  };
  return {.of_frame = false, .make = make, .evaluate = evaluate};
}

ReferenceLaw rest_at(const List& q) {
  return {.of_frame = false,
          .make =
              [q] {
                Reference out;
                out.q = q;
                return out;
              },
          .evaluate = [](double, Reference&) {}};
}

Simulation run_with(const std::shared_ptr<const Model>& model, const std::vector<Control>& controls,
                    const List& q, const List& v, double dt = 1e-3,
                    Integrator method = Integrator::fehlberg) {
  Simulation s(model, solver_factory(), method, dt, {.rtol = 1e-12, .atol = 1e-12});
  Load load;
  load.controls = controls;
  s.begin(load, q, v);
  return s;
}

std::shared_ptr<const Model> driven(int n, uint64_t seed, Kinds kinds = Kinds::one_column) {
  return build(random_robot(n, Shape::tree, seed, kinds));
}

// Checks breaks that differ from the end of a step by one rounding: they count as the end of the
// step.
TEST(Controllers, AcceptBreaksThatRoundToTheEndOfAStep) {
  const auto model = build(slider());
  const double dt = 2e-4;
  ReferenceLaw reference = rest_at({1});
  for (const int k : {3, 1000, 4000})
    for (const double t : {std::nextafter(k * dt, 0.0), std::nextafter(k * dt, 1.0)})
      reference.breaks.push_back(t);
  const auto law = controller("pid", model, {{"kp", List{10}}, {"kd", List{2}}});
  Simulation s = run_with(model, {control(law, reference)}, {0}, {0}, dt, Integrator::rk4);
  while (s.steps() < 4010) s.step();
  EXPECT_DOUBLE_EQ(s.time(), 4010 * dt);
}

// Checks that the error of each joint obeys e'' + 2 xi w e' + w^2 e = 0, for every arm and a start
// far from the reference.
// Equations: KHALIL 9.22, 9.24, 9.26.
TEST(ComputedTorque, HasTheTheoreticalError) {
  const double w = 8, xi = 0.6, wd = w * std::sqrt(1 - xi * xi);
  double worst = 0;
  for (const uint64_t seed : {1u, 2u, 3u}) {
    const auto model = driven(6, seed);
    Random random(seed);
    const size_t n = size_t(model->n_v);
    const List q0 = random_position(random, *model, 1), D = random_values(random, model->n_v, 1);
    List start = random_values(random, model->n_v, 0.3),
         v0 = random_values(random, model->n_v, 0.5);
    const auto law =
        controller("computed_torque", model, {{"frequency", w}, {"damping_ratio", xi}});
    List q(q0.size());
    integrate(*model, q0.data(), start.data(), 1, q.data());
    Simulation s = run_with(model, {control(law, swing_of(model, q0, D, 3))}, q, v0, 0.01);
    for (int step = 0; step < 100; ++step) {
      s.step();
      const double t = s.time(), decay = std::exp(-xi * w * t);
      for (size_t k = 0; k < n; ++k) {
        const double e0 = -start[k], edot0 = -v0[k];
        const double e =
            decay * (e0 * std::cos(wd * t) + (edot0 + xi * w * e0) / wd * std::sin(wd * t));
        const double q_d = q0[size_t(model->coordinate[k])] + 0.5 * (1 - std::cos(3 * t)) * D[k];
        const double found = q_d - s.state().q()[size_t(model->coordinate[k])];
        worst = std::max(worst, std::abs(found - e));
      }
    }
  }
  std::printf("computed torque: error against the closed form %.1e\n", worst);
  EXPECT_LT(worst, 1e-6);
}

// Checks that a start on the reference stays on it for every joint kind. A start off the reference
// has an error that decays; for curved joints there is no closed form.
TEST(ComputedTorque, TracksEveryJointKind) {
  std::set<std::string_view> kinds;
  for (uint64_t seed = 1; seed < 40; ++seed) {
    const auto model = driven(6, seed, Kinds::every);
    Random random(seed);
    const List q0 = random_position(random, *model, 1), D = random_values(random, model->n_v, 0.8);
    const auto make = [&] { return controller("computed_torque", model, {{"frequency", 12.0}}); };
    if (std::any_of(model->drives.begin(), model->drives.end(),
                    [](const Drive& d) { return d.passive; })) {
      EXPECT_THROW(make(), UnsupportedModel);
      continue;
    }
    for (const Joint& joint : model->joints) kinds.insert(traits(joint.kind).name);
    if (seed > 20 && kinds.size() > 5) break;
    Simulation on = run_with(model, {control(make(), swing_of(model, q0, D, 4))}, q0,
                             List(D.size(), 0.0), 0.01);
    List off(q0.size()), d = random_values(random, model->n_v, 0.4);
    integrate(*model, q0.data(), d.data(), 1, off.data());
    Simulation away = run_with(model, {control(make(), swing_of(model, q0, D, 4))}, off,
                               List(D.size(), 0.0), 0.01);
    List q_desired(q0.size()), e(D.size());
    for (int step = 0; step < 200; ++step) {
      on.step(), away.step();
      integrate(*model, q0.data(), D.data(), 0.5 * (1 - std::cos(4 * on.time())), q_desired.data());
      difference(*model, on.state().q().data(), q_desired.data(), e.data());
      for (const double each : e)
        ASSERT_NEAR(each, 0, 1e-8) << "seed " << seed << " at " << on.time();
    }
    difference(*model, away.state().q().data(), q_desired.data(), e.data());
    for (const double each : e) EXPECT_NEAR(each, 0, 1e-6);
  }
  for (const char* kind :
       {"revolute", "prismatic", "helical", "cylindrical", "planar", "spherical"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

// Checks sampling with a period T, which delays the law by T/2. To first order, the closed loop
// loses the damping w^2 T / 2, and its error is proportional to T.
TEST(ComputedTorque, DegradesWithItsPeriod) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  const List q0{0.3, -0.4}, D{0.8, 0.6};
  const auto end = [&](double period) {
    const auto law = controller("computed_torque", model, {{"frequency", 10.0}});
    Simulation s = run_with(model, {control(law, swing_of(model, q0, D, 3), period)}, {0.5, -0.6},
                            {0, 0}, 0.05);
    while (s.time() < 0.3 - 1e-9) s.step();
    return s.state().q()[0];
  };
  const double exact = end(0), a = end(0.01) - exact, b = end(0.005) - exact,
               c = end(0.0025) - exact;
  std::printf("computed torque, sampled: error %.2e, %.2e, %.2e at 10, 5, 2.5 ms\n", a, b, c);
  EXPECT_NEAR(a / b, 2, 0.2);
  EXPECT_NEAR(b / c, 2, 0.1);
}

// Checks the note about chattering. At rest, the sign of a measured velocity changes at random, and
// with it the torque of friction. The sign of the reference velocity does not.
TEST(ComputedTorque, WarnsAboutChattering) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives = {
      Drive{.friction = {.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 2}}};
  const auto model = build(robot), smooth = build(slider());
  const auto note = [](const std::shared_ptr<const Model>& of, std::vector<Parameter> more) {
    more.push_back({"frequency", 5.0});
    return controller("computed_torque", of, more)->note();
  };
  EXPECT_THAT(note(model, {}), HasSubstr("the torque chatters at rest"));
  EXPECT_EQ(note(model, {{"model_at", "desired"}}), "");
  EXPECT_EQ(note(model, {{"friction", false}}), "");
  EXPECT_EQ(note(smooth, {}), "");
}

// Checks the signal w_residual, which is the model error (KHALIL 9.28). It is zero for the exact
// model, because then vdot = w.
TEST(ComputedTorque, RecordsTheModelError) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.name = "arm";
  const auto model = build(robot);
  const auto wrong = build(planar_n_link(Vector{{1.0, 2.0}}, Vector::Ones(2)));
  for (const bool right : {true, false}) {
    const auto law = controller("computed_torque", right ? model : wrong, {{"frequency", 10.0}});
    const std::vector<Control> controls = {control(law, rest_at({1, 0.5}))};
    Simulation s = run_with(model, controls, {0.5, -0.6}, {0.2, 0});
    Recorder recorder(*model, {"arm.law.w_residual", "arm.law.w", "arm.vdot", "arm.law.error"}, {},
                      controls);
    for (int k = 0; k < 10; ++k) s.step();
    const std::span<const double> row = recorder.sample(s);
    EXPECT_NEAR(row[1], row[3] - row[5], 1e-12);
    EXPECT_NEAR(row[7], 1 - s.state().q()[0], 1e-12);
    if (right)
      EXPECT_NEAR(row[1], 0, 1e-9);
    else
      EXPECT_GT(std::abs(row[1]), 0.1);
  }
}

// Checks that the position error of a frame (9.36) is decoupled on a redundant arm, for both
// controllers: by joint accelerations and by wrenches.
// Equations: KHALIL 9.33, 9.35, 9.37; MR 9.95.
TEST(TaskSpace, HasTheTheoreticalError) {
  const double kp = 90, kd = 12, xi = kd / 2 / std::sqrt(kp), w = std::sqrt(kp),
               wd = w * std::sqrt(1 - xi * xi);
  RobotDescription robot = random_robot(8, Shape::chain, 3);
  const auto model = build(robot);
  const Frame& frame =
      *std::find_if(model->frames.begin(), model->frames.end(), [&](const Frame& each) {
        return each.body == model->n_body - 1;  // the last body of the chain
      });
  Random random(3);
  const List q = random_position(random, *model, 0.7), v = random_values(random, model->n_v, 0.3);
  State state(model);
  state.set_q(q);
  state.v = v;
  const Pose<double> X0 = frame_pose(state, frame);
  const Twist<double> V0 = frame_twist(state, frame, Axes::world);
  const Vec3<double> goal = X0.p + Vec3<double>{0.1, -0.08, 0.06};
  const auto make = [] { return Reference(); };
  const auto evaluate = [&](double t, Reference& out) {
    out.X_WF = {X0.R, goal + std::sin(2 * t) * Vec3<double>{0.05, 0, 0}};
    out.V[0] = {{0, 0, 0}, {0.1 * std::cos(2 * t), 0, 0}};
    out.V[1] = {{0, 0, 0}, {-0.2 * std::sin(2 * t), 0, 0}};
  };
  for (const char* id : {"resolved_acceleration", "operational_space"}) {
    SCOPED_TRACE(id);
    const auto law = controller(id, model,
                                {{"frame", frame.name},
                                 {"kp", kp},
                                 {"kd", kd},
                                 {"kp_rotation", kp},
                                 {"kd_rotation", kd},
                                 {"posture", q},
                                 {"posture_stiffness", 5.0},
                                 {"posture_damping", 3.0}});
    Simulation s = run_with(
        model, {control(law, ReferenceLaw{.of_frame = true, .make = make, .evaluate = evaluate})},
        q, v, 0.01);
    const Vec3<double> e0 = goal - X0.p, edot0 = Vec3<double>{0.1, 0, 0} - V0.v;
    double worst = 0;
    for (int step = 0; step < 60; ++step) {
      s.step();
      const double t = s.time(), decay = std::exp(-xi * w * t), c = std::cos(wd * t),
                   sine = std::sin(wd * t) / wd;
      const Vec3<double> e = decay * ((c + xi * w * sine) * e0 + sine * edot0);
      const Vec3<double> found =
          goal + std::sin(2 * t) * Vec3<double>{0.05, 0, 0} - frame_pose(s.state(), frame).p;
      worst = std::max(worst, norm(found - e));
    }
    std::printf("%s: error against the closed form %.1e m\n", id, worst);
    EXPECT_LT(worst, 1e-6);
  }
}

// Checks that V of 9.11, whose rate is -v^T K_d v, never increases, and that it falls to half its
// first value.
// Equations: KHALIL 9.11, 9.12.
TEST(PdGravity, HasALyapunovFunction) {
  double rise = 0;
  for (const uint64_t seed : {1u, 2u, 3u}) {
    const auto model = driven(5, seed);
    Random random(seed);
    const List q_d = random_position(random, *model, 1), q = random_position(random, *model, 1);
    const auto law = controller("pd_gravity", model, {{"kp", 60.0}, {"kd", 8.0}});
    const std::vector<Control> controls = {control(law, rest_at(q_d))};
    Simulation s = run_with(model, controls, q, List(q.size(), 0.0));
    const double V0 = s.control_signals(0)[0];
    double V = V0;
    for (int k = 0; k < 1000 || (V > 0.5 * V0 && k < 10'000); ++k) {
      s.step();
      const double next = s.control_signals(0)[0];
      rise = std::max(rise, (next - V) / V0);
      V = next;
    }
    EXPECT_LT(V, 0.5 * V0);
  }
  std::printf("pd_gravity: V rises by at most %.1e V(0)\n", rise);
  EXPECT_LT(rise, 1e-12);
}

// Checks the rate of V against 9.16, and against differences of V with the observed order. With
// gravity at the desired position, or with a moving reference, the rate has further terms.
// Equations: KHALIL 9.16.
TEST(PdGravity, RecordsTheRateOfItsLyapunovFunction) {
  const auto model = driven(5, 1);
  Random random(1);
  const List q_d = random_position(random, *model, 1), q = random_position(random, *model, 1);
  const double kd = 8;
  for (const bool moving : {false, true})
    for (const char* gravity : {"measured", "desired"}) {
      const auto law = controller("pd_gravity", model,
                                  {{"kp", 60.0}, {"kd", kd}, {"gravity", std::string(gravity)}});
      const ReferenceLaw reference =
          moving ? swing_of(model, q_d, List(q.size(), 0.3), 2) : rest_at(q_d);
      const auto worst = [&](double h) {
        Simulation s = run_with(model, {control(law, reference)}, q, List(q.size(), 0.0), h);
        double off = 0;
        for (int k = 0; k < int(std::lround(0.2 / h)); ++k) {
          const double V0 = s.control_signals(0)[0], rate0 = s.control_signals(0)[1];
          if (!moving && std::string_view(gravity) == "measured") {
            double damped = 0;
            for (const double v : s.state().v) damped -= kd * v * v;
            EXPECT_NEAR(rate0, damped, 1e-9 * (1 + std::abs(damped)));
          }
          s.step();
          const double mean = 0.5 * (rate0 + s.control_signals(0)[1]);
          off = std::max(off, std::abs((s.control_signals(0)[0] - V0) / h - mean));
        }
        return off;
      };
      const double coarse = worst(2e-3), fine = worst(1e-3);
      EXPECT_NEAR(coarse / fine, 4, 0.5) << "the trapezoidal rule is of the second order";
    }
}

// Checks the note about joints whose screws do not commute (spherical, planar, floating). V is then
// a Lyapunov function only if K_p is compatible with the Lie bracket of the joint. Otherwise the
// controller prints a note. The test is without damping: if V is a Lyapunov function, it is
// constant, and otherwise it drifts.
TEST(PdGravity, WarnsIfThereIsNoLyapunovFunction) {
  const auto drift = [](JointKind kind, const List& kp, const List& start) {
    RobotDescription robot = slider();
    robot.links[0].joint.kind = kind;
    if (kind == JointKind::spherical) robot.links[0].joint.placement = ScrewPlacement{};
    // Adds motors, because a floating base has none by default.
    robot.links[0].joint.drives.assign(size_t(traits(kind).n_v), Drive{});
    robot.links[0].inertia = inertia_about_com(1, {0.3, 0.1, -0.2}, {0.2, 0.3, 0.4, 0, 0, 0});
    const auto model = build(robot);
    const auto law = controller("pd_gravity", model, {{"kp", kp}});
    const List goal = neutral(*model);
    List q(goal.size());
    integrate(*model, goal.data(), start.data(), 1, q.data());
    Simulation s = run_with(model, {control(law, rest_at(goal))}, q, List(kp.size(), 0.0), 0.01);
    const double V0 = s.control_signals(0)[0];
    double worst = 0;
    for (int k = 0; k < 100; ++k) {
      s.step();
      worst = std::max(worst, std::abs(s.control_signals(0)[0] / V0 - 1));
    }
    EXPECT_EQ(law->note() == "", worst < 1e-8) << worst << ": " << law->note();
    return worst;
  };
  EXPECT_LT(drift(JointKind::cylindrical, {5, 7}, {0.8, -0.5}), 1e-8);
  EXPECT_LT(drift(JointKind::spherical, {5, 5, 5}, {0.8, -0.5, 0.4}), 1e-8);
  EXPECT_GT(drift(JointKind::spherical, {5, 7, 9}, {0.8, -0.5, 0.4}), 1e-3);
  EXPECT_GT(drift(JointKind::planar, {5, 5, 5}, {0.8, -0.5, 0.4}), 1e-3);
}

// Checks the gains of 9.10 on a joint of constant inertia a with a constant disturbance torque d.
// The transfer function s / (a (s + w)^3) gives
//   e = -d/a t^2/2 exp(-w t)
// Equations: KHALIL 9.5, 9.10.
TEST(Pid, HasATriplePole) {
  RobotDescription robot = slider();
  const auto model = build(robot);
  const double resonance = 12, w = 6, d = 3;
  const auto law = controller("pid", model, {{"resonance", resonance}});
  EXPECT_THAT(law->note(), HasSubstr("gains kp = 108, kd = 18, ki = 216"));
  Simulation s(model, solver_factory(), Integrator::fehlberg, 0.01, {.rtol = 1e-12, .atol = 1e-12});
  Load load;
  load.controls = {control(law, rest_at({0}))};
  load.tau = {d};
  s.set_load(load);
  s.set_state(List{0}, List{0});
  for (int k = 0; k < 200; ++k) {
    s.step();
    const double t = s.time();
    ASSERT_NEAR(s.state().q()[0], d * t * t / 2 * std::exp(-w * t), 1e-10);
  }
}

// A joint that mimics another one gets no gains. Its inertia and friction are those of its leader,
// with the square of the ratio: a = 17, F_v = 0.5 + 4 * 0.25.
TEST(Pid, TunesLeadersWithTheInertiaOfTheirFollowers) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.links[1].joint.mimic = Mimic{robot.links[0].joint.name, 2};
  robot.links[0].joint.damping = {0.5};
  robot.links[1].joint.damping = {0.25};
  const auto law = controller("pid", build(robot), {{"resonance", 2.0}});
  EXPECT_THAT(law->note(), HasSubstr("gains kp = 51 0, kd = 49.5 0, ki = 17 0"));
}

// Checks the linear analysis of a joint against runs of the joint under the controller.
TEST(Pid, RespondsAsItsLinearAnalysisSays) {
  const auto model = build(slider());
  Solver solver = solver_factory()(model);
  const double a = largest_inertias(solver)[0];
  for (const JointLoop& loop :
       {JointLoop{a, 0, 20, 6, 15}, JointLoop{a, 0, 20, 1, 0}, JointLoop{a, 0, 20, 1, 25}}) {
    const auto law = controller("pid", model, {{"kp", loop.kp}, {"kd", loop.kd}, {"ki", loop.ki}});
    Simulation s(model, solver_factory(), Integrator::fehlberg, 0.01,
                 {.rtol = 1e-12, .atol = 1e-12});
    Load load;
    load.controls = {control(law, rest_at({1}))};
    s.set_load(load);
    s.set_state(List{0}, List{0});
    const List q = step_response(loop, 0.01, 301);
    double peak = 0;
    for (size_t k = 1; k < q.size(); ++k) {
      s.step();
      EXPECT_NEAR(s.state().q()[0], q[k], 1e-9 * (1 + std::abs(q[k])));
      peak = std::max(peak, s.state().q()[0]);
    }
    const LoopAnalysis of = analyse(loop);
    if (of.stability == Stability::unstable) {
      EXPECT_GT(peak, 2);
    } else {
      EXPECT_NEAR(measure_step(loop, of).overshoot, std::max(0.0, peak - 1), 1e-3);
    }
  }
}

// Checks the search for the largest inertia and stiffness within the limits of the joints. The
// known values are a_1 = sum i^2 of a stretched chain, and |dQ/dq| of a hanging chain with
// dQ_i/dq_j = g sum_k (n - k + 1) over k >= i, j. For six joints, random samples alone do not come
// close to these.
TEST(Pid, FindsTheLargestInertiaAndStiffness) {
  const int n = 6;
  const auto model = build(planar_n_link(Vector::Ones(n), Vector::Ones(n)));
  const auto made = registry().controller("pid", model, "newton_euler", {0, -g, 0},
                                          {{"resonance", 2.0}});  // then kp = 3 a
  EXPECT_THAT(made->note(), HasSubstr("gains kp = 273 165 90 42 15 3,"));
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = std::max(i, j); k < n; ++k) K(i, j) += g * (n - k);
  const std::string before = "|dQ/dq| found is ";
  const double found = std::stod(made->note().substr(made->note().find(before) + before.size()));
  const double norm = singular_values(K)[0];
  EXPECT_NEAR(found, norm, 1e-3 * norm);
  EXPECT_THAT(made->note(), HasSubstr(" N m/rad; gains"));
}

// Checks KHALIL's advice: no integration if the error is large or tiny, or if the torque is
// saturated.
TEST(Pid, StopsItsIntegral) {
  const auto model = build(slider());
  const auto rate = [&](const std::vector<Parameter>& more, double x, double limit) {
    std::vector<Parameter> parameters{{"kp", 10.0}, {"kd", 1.0}, {"ki", 5.0}};
    parameters.insert(parameters.end(), more.begin(), more.end());
    ControllerLaw law(controller("pid", model, parameters), rest_at({0}));
    List tau(1), xdot(1), signal(law.n_signal()), zero{0}, at{x}, limits{limit}, lowest{-limit};
    law.evaluate({0, at, zero, {}, {}, lowest, limits}, 0, limits, zero, {tau, xdot, {}, signal});
    return xdot[0];
  };
  constexpr double none = 1e300;
  EXPECT_EQ(rate({}, 0.3, none), -0.3);
  EXPECT_EQ(rate({{"integral_above", 0.2}}, 0.3, none), 0);
  EXPECT_EQ(rate({{"integral_above", 0.2}}, 0.1, none), -0.1);
  EXPECT_EQ(rate({{"integral_below", 0.2}}, 0.1, none), 0);
  EXPECT_EQ(rate({}, 0.3, 2), 0);
  EXPECT_EQ(rate({}, 0.1, 2), -0.1);
}

// Checks that the integral does not wind up while the torque is saturated: the overshoot is almost
// that without an integral.
TEST(ComputedTorque, DoesNotWindUpIfItsTorqueIsSaturated) {
  const auto model = build(planar_n_link(0.7 * Vector::Ones(2), Vector::Ones(2)));
  const auto overshoot = [&](double ki) {
    const auto law =
        controller("computed_torque", model, {{"kp", 100.0}, {"kd", 20.0}, {"ki", ki}});
    Control cut = control(law, rest_at({1, 0}), 1e-3);
    cut.max_torque = {8, 3};
    Simulation s = run_with(model, {cut}, {-1, 0}, {0, 0}, 1e-3, Integrator::rk4);
    double furthest = 0;
    while (s.time() < 6) {
      s.step();
      furthest = std::max(furthest, s.state().q()[0]);
    }
    return (furthest - 1) / 2;
  };
  const double without = overshoot(0), with = overshoot(100);
  std::printf("computed torque, cut: overshoot %.3f, with ki %.3f\n", without, with);
  EXPECT_LT(with, without + 0.05);
}

// Checks the integral in task space. If it wound up, the arm would keep swinging between the limits
// of its torques.
TEST(TaskPid, DoesNotWindUpIfATorqueIsSaturated) {
  const auto model = build(planar_n_link(0.7 * Vector::Ones(2), Vector::Ones(2)));
  const Frame& tip = model->frames[size_t(model->frame("tip2"))];
  State goal(model);
  goal.set_q(List{0.5, 0.8});
  const Pose<double> X_d = frame_pose(goal, tip);
  const auto law = controller("task_pid", model,
                              {{"frame", tip.name},
                               {"components", List{4, 5}},
                               {"kp", 100.0},
                               {"kd", 40.0},
                               {"ki", 150.0},
                               {"damping", 1.0}});
  Control cut = control(law,
                        ReferenceLaw{.of_frame = true,
                                     .make = [] { return Reference(); },
                                     .evaluate = [X_d](double, Reference& out) { out.X_WF = X_d; }},
                        1e-3);
  cut.max_torque = {6, 3};
  Simulation s = run_with(model, {cut}, {-1.2, 0.3}, {0, 0}, 1e-3, Integrator::rk4);
  while (s.time() < 8) s.step();
  const double e = norm(frame_pose(s.state(), tip).p - X_d.p);
  std::printf("task_pid, cut: error %.1e m after 8 s\n", e);
  EXPECT_LT(e, 0.02);
}

// A passive joint that moves the frame has no motor that could be saturated. The integral removes
// the error that a constant torque causes.
TEST(TaskPid, IntegratesIfAPassiveJointMovesTheFrame) {
  RobotDescription robot = planar_n_link(0.7 * Vector::Ones(2), Vector::Ones(2));
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = {0.5};
  robot.links[1].joint.drives = {{.spring = {.stiffness = 50}, .passive = true}};
  const auto model = build(robot);
  const Frame& tip = model->frames[size_t(model->frame("tip2"))];
  Pose<double> X_d = frame_pose(State(model), tip);
  X_d.p.y += 0.1;
  const auto law = controller(
      "task_pid", model,
      {{"frame", tip.name}, {"components", List{5}}, {"kp", 20.0}, {"kd", 5.0}, {"ki", 20.0}});
  Simulation s(model, solver_factory(), Integrator::rk4, 2e-3);
  s.set_gravity({0, 0, 0});
  Load load;
  load.controls = {
      control(law, ReferenceLaw{.of_frame = true,
                                .make = [] { return Reference(); },
                                .evaluate = [X_d](double, Reference& out) { out.X_WF = X_d; }})};
  load.tau = {-1, 0};
  s.set_load(load);
  s.set_state(List{0, 0}, List{0, 0});
  while (s.time() < 20) s.step();
  EXPECT_NEAR(frame_pose(s.state(), tip).p.y, X_d.p.y, 1e-4);
}

// Checks the default K_d = 2 xi sqrt(kp): x'' = -w^2 (x - 1) - 2 xi w x', as for the parameter
// frequency = w.
TEST(ComputedTorque, AcceptsADampingRatioWithKp) {
  const auto model = build(slider());
  const auto end = [&](const std::vector<Parameter>& gains) {
    Simulation s = run_with(
        model, {control(controller("computed_torque", model, gains), rest_at({1}))}, {0}, {0});
    for (int k = 0; k < 500; ++k) s.step();
    return s.state().q()[0];
  };
  EXPECT_NEAR(end({{"kp", 36.0}}), 1 - 4 * std::exp(-3.0), 1e-9);
  EXPECT_NEAR(end({{"kp", 36.0}, {"damping_ratio", 0.4}}),
              end({{"frequency", 6.0}, {"damping_ratio", 0.4}}), 1e-12);
  EXPECT_NEAR(end({{"kp", 36.0}, {"kd", 0.0}}), 1 - std::cos(3.0), 1e-9);
}

// Checks an arm of two joints, of which the first has no motor: its torque stays zero.
TEST(Pid, LeavesPassiveJointsAlone) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.links[0].joint.drives = {Drive{.passive = true}};
  const auto model = build(robot);
  const auto law = controller("pid", model, {{"kp", 10.0}, {"kd", 1.0}});
  Simulation s = run_with(model, {control(law, rest_at({0.5, 0.5}))}, {0, 0}, {0, 0});
  EXPECT_EQ(s.torque()[0], 0);
  EXPECT_EQ(s.torque()[1], 5);
  for (int k = 0; k < 10; ++k) s.step();
}

// Checks that the torques of the exact model alone keep an arm on the reference if it starts there.
TEST(FeedForward, KeepsTheReference) {
  const auto model = driven(5, 7);
  Random random(7);
  const List q0 = random_position(random, *model, 1), D = random_values(random, model->n_v, 0.5);
  Simulation s =
      run_with(model, {control(controller("feed_forward", model), swing_of(model, q0, D, 4))}, q0,
               List(D.size(), 0.0));
  for (int k = 0; k < 100; ++k) s.step();
  for (int k = 0; k < model->n_v; ++k)
    EXPECT_NEAR(s.state().q()[size_t(model->coordinate[size_t(k)])],
                q0[size_t(model->coordinate[size_t(k)])] + 0.5 * (1 - std::cos(0.4)) * D[size_t(k)],
                1e-7);
}

TEST(GravityCompensation, KeepsAnArmAtRestAnywhere) {
  const auto model = driven(6, 9);
  Random random(9);
  const List q = random_position(random, *model, 1);
  Simulation s = run_with(model, {control(controller("gravity_compensation", model), std::nullopt)},
                          q, List(size_t(model->n_v), 0.0));
  for (int k = 0; k < 100; ++k) s.step();
  for (size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(s.state().q()[k], q[k], 1e-10);
}

// The torques include those of the springs of spherical and floating joints.
TEST(GravityCompensation, HoldsASpringOfABall) {
  RobotDescription robot = planar_n_link(Vector::Ones(1), Vector::Ones(1));
  JointDescription& joint = robot.links[0].joint;
  joint = JointDescription{};
  joint.name = "ball";
  joint.kind = JointKind::spherical;
  joint.drives.assign(3, Drive{});
  joint.spring = PoseSpring{.angular = 30, .rest = {0, 0, 0.6, 0.8}};
  robot.links[0].inertia = inertia_about_com(1, {0.3, 0.1, 0}, {0.1, 0.2, 0.15, 0, 0, 0});
  const auto model = build(robot);
  const List q = {0.5, 0.5, 0.5, 0.5};
  Simulation s = run_with(model, {control(controller("gravity_compensation", model), std::nullopt)},
                          q, List(3, 0.0));
  EXPECT_GT(std::abs(s.torque()[0]) + std::abs(s.torque()[1]) + std::abs(s.torque()[2]), 10);
  for (int k = 0; k < 100; ++k) s.step();
  for (size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(s.state().q()[k], q[k], 1e-10);
}

// Checks that Y pi is inverse dynamics without armature. Also checks that its C is suitable for
// adaptation: x^T (Mdot - 2C) x = 0 for every x.
// Equations: MR 9.47, 9.58.
TEST(Regressor, IsTheDynamics) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    TORSOR_TRACE_SEED(seed);
    const auto model = driven(7, seed, Kinds::every);
    Random random(seed);
    const int n = model->n_v;
    const size_t row = n_inertial * size_t(model->n_body);
    State state(model);
    state.set_q(random_position(random, *model, 1));
    state.v = random_values(random, n, 2);
    const List a = random_values(random, n, 3), x = random_values(random, n, 1),
               zero(size_t(n), 0.0);
    std::vector<Twist<double>> scratch(regressor_scratch(*model));
    List Y(row * size_t(n));
    const auto torques = [&](const List& v_r, const List& a_r) {
      regressor(state, v_r.data(), a_r.data(), scratch, Y.data());
      List out(size_t(n), 0.0);
      const auto* pi = reinterpret_cast<const double*>(model->inertia_B.data());
      for (size_t k = 0; k < out.size(); ++k)
        for (size_t p = 0; p < row; ++p) out[k] += Y[k * row + p] * pi[p];
      return out;
    };
    Solver solver = solver_factory("newton_euler")(model);
    List tau(a.size()), C(a.size() * a.size());
    ASSERT_TRUE(solver.inverse(state, a.data(), tau.data()));
    const List found = torques(state.v, a);
    for (size_t k = 0; k < tau.size(); ++k)
      EXPECT_NEAR(found[k] + model->armature[k] * a[k], tau[k], 1e-9);
    ASSERT_TRUE(solver.coriolis_matrix(state, C.data()));  // Mdot = C + C^T
    const List Cx = torques(x, zero), g0 = torques(zero, zero);
    double xCx = 0, xMdotx = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      xCx += x[i] * (Cx[i] - g0[i]);
      for (size_t j = 0; j < x.size(); ++j) xMdotx += 2 * x[i] * C[i * x.size() + j] * x[j];
    }
    EXPECT_NEAR(xMdotx, 2 * xCx, 1e-9 * (1 + std::abs(xMdotx)));
  }
}

// Checks that (s^T M s + x~^T Gamma^-1 x~) / 2, whose rate is -s^T K_d s, never increases if the
// controller begins with a wrong inertia.
TEST(Adaptive, HasALyapunovFunction) {
  RobotDescription robot = planar_n_link(Vector{{1.0, 3.0}}, Vector::Ones(2)),
                   taken = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  const auto model = build(robot), wrong = build(taken);
  const double gain = 200, length = 0.5;
  const std::string frame = robot.links.back().name;
  const auto law = controller("adaptive", wrong,
                              {{"lambda", 5.0},
                               {"kd", 10.0},
                               {"bodies", std::vector<FramePlace>{{frame}}},
                               {"gain", gain},
                               {"length", length}});
  const List q0{0.3, -0.4};
  Simulation s =
      run_with(model, {control(law, swing_of(model, q0, {1, 0.8}, 2))}, {0.1, 0.2}, {0, 0}, 0.01);
  Solver solver = solver_factory()(model);
  const int body = model->frames[size_t(model->frame(frame))].body;
  const auto V = [&] {
    List M(4);
    EXPECT_TRUE(solver.mass_matrix(s.state(), M.data()));
    const std::span<const double> sigma = s.control_signals(0);
    double out = 0;
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = 0; j < 2; ++j) out += 0.5 * sigma[i] * M[2 * i + j] * sigma[j];
    const auto* right = reinterpret_cast<const double*>(&model->inertia_B[size_t(body)]);
    const auto* start = reinterpret_cast<const double*>(&wrong->inertia_B[size_t(body)]);
    for (size_t p = 0; p < 10; ++p) {
      const double scale = gain * (p == 0 ? 1 : p < 4 ? length * length : std::pow(length, 4));
      const double lack = right[p] - start[p] - s.snapshot().memory[p];
      out += 0.5 * lack * lack / scale;
    }
    return out;
  };
  const double V0 = V();
  double last = V0, rise = 0, e = 0;
  for (int k = 0; k < 1000; ++k) {
    s.step();
    const double now = V();
    rise = std::max(rise, now - last);
    last = now;
    if (k > 900) e = std::max(e, std::abs(s.control_signals(0)[0]));
  }
  std::printf("adaptive: V rises by at most %.1e V(0); s after 9 s %.1e\n", rise / V0, e);
  EXPECT_LT(rise, 1e-9 * V0);
  EXPECT_LT(e, 0.05);
}

// Checks that an elastic arm reaches its goal: the motors deflect the springs, linear or cubic, by
// the gravity torque at the goal (Tomei).
TEST(ElasticPd, ReachesItsGoal) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  Motor motor;
  motor.rotor_inertia = 0.5;
  for (const size_t i : {0u, 1u})
    robot.links[i].joint.drives = {
        {.elasticity = Elasticity{.stiffness = 500, .cubic = i * 4e5, .damping = 2},
         .motor = motor}};
  const auto model = build(robot);
  Simulation s(model, solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, -g, 0});
  Load load;
  auto law = registry().controller("elastic_pd", model, "newton_euler", {0, -g, 0},
                                   {{"kp", 200.0}, {"kd", 60.0}});
  load.controls = {control(law, rest_at({0.6, 0.4}))};
  load.controls[0].of_motors = true;
  s.set_load(load);
  s.set_state(List{0, 0}, List{0, 0});
  for (int k = 0; k < 12000; ++k) s.step();
  EXPECT_NEAR(s.state().q()[0], 0.6, 1e-6);
  EXPECT_NEAR(s.state().q()[1], 0.4, 1e-6);
  EXPECT_THROW(controller("elastic_pd", build(slider()), {{"kp", 1.0}}), UnsupportedModel);
}

}  // namespace
}  // namespace torsor::test
