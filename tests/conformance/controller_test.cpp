// Tests of properties of every controller: hot calls are pure and do not allocate, and invalid
// inputs and parameters are rejected.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "conformance/out_of_range.hpp"
#include "conformance/solvers.hpp"
#include "support/allocation_counter.hpp"
#include "support/known_robots.hpp"
#include "support/random_robot.hpp"
#include "torsor/analysis/operational_space.hpp"
#include "torsor/handles/controller.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

struct ControllerCase {
  std::string id;
  std::vector<Parameter> parameters;
  bool elastic = false;
};
std::vector<ControllerCase> cases() {
  const std::vector<FramePlace> tip{{"tip"}};
  return {
      {"pid", {{"kp", 10.0}, {"kd", 2.0}, {"ki", 1.0}}},
      {"pd_gravity", {{"kp", 10.0}, {"kd", 2.0}}},
      {"elastic_pd", {{"kp", 10.0}, {"kd", 2.0}}, true},
      {"elastic_feed_forward", {{"kp", 10.0}, {"kd", 2.0}}, true},
      {"elastic_feedback_linearisation", {{"frequency", 10.0}}, true},
      {"gravity_compensation", {}},
      {"feed_forward", {{"kp", 10.0}, {"kd", 1.0}}},
      {"torque_rates", {}},
      {"computed_torque", {{"frequency", 5.0}, {"ki", 1.0}}},
      {"adaptive", {{"lambda", 4.0}, {"kd", 2.0}, {"bodies", tip}}},
      {"task_pid", {{"frame", tip}, {"kp", 50.0}, {"kd", 5.0}, {"ki", 2.0}, {"kp_rotation", 3.0}}},
      {"resolved_acceleration", {{"frame", tip}, {"kp", 50.0}, {"kd", 5.0}}},
      {"operational_space", {{"frame", tip}, {"kp", 50.0}, {"kd", 5.0}}},
      {"whole_body", {{"feet", tip}, {"com_weight", 1.0}, {"period", 1.0}, {"stance", 0.5}}},
  };
}
std::vector<std::string> ids() {
  std::vector<std::string> out;
  for (const ControllerCase& each : cases()) out.push_back(each.id);
  return out;
}

// Returns a chain of eight joints, elastic or rigid, with a frame at the end.
std::shared_ptr<const Model> arm(bool elastic) {
  RobotDescription robot = random_robot(8, Shape::chain, 11);
  std::string last;
  for (LinkDescription& link : robot.links) {
    const bool parent =
        std::any_of(robot.links.begin(), robot.links.end(),
                    [&](const LinkDescription& other) { return other.parent == link.name; });
    if (!parent) last = link.name;
    if (!elastic || link.joint.kind == JointKind::fixed) continue;
    Drive drive;
    drive.elasticity = Elasticity{.stiffness = 500};
    drive.motor.rotor_inertia = 0.1;
    link.joint.drives = {drive};
  }
  robot.frames.push_back(
      {.name = "tip", .link = last, .X_LF = Pose<double>::identity(), .source = ""});
  return build(robot);
}

class EveryController : public testing::TestWithParam<std::string> {
 protected:
  EveryController() {
    for (const ControllerCase& each : cases())
      if (each.id == GetParam()) {
        model = arm(each.elastic);
        made = build_registry().controller(each.id, model, "newton_euler", {0, 0, -9.81},
                                           each.parameters);
      }
    Random random(5);
    for (List* each : {&q, &q_d}) *each = random_position(random, *model, 1);
    for (List* each : {&v, &v_d, &a_d, &e, &rest}) *each = random_values(random, model->n_v, 1);
    x = random_values(random, int(made->n_x()), 1);
    memory = random_values(random, int(made->n_memory()), 1);
    limits.assign(v.size(), 1e300);
    lowest.assign(v.size(), -1e300);
    pose = exp_se3(Twist<double>{{0.3, -0.2, 0.5}, {0.4, 0.1, 0.2}});
  }
  // Returns whether the torque depends on the measured state. torque_rates exerts no torque.
  static bool measures() { return GetParam() != "torque_rates"; }
  torsor_control_input input() const {
    torsor_control_input in{};
    in.struct_size = sizeof in;
    in.q = q.data(), in.v = v.data(), in.max_torque = in.tau_upper = limits.data();
    in.tau_lower = lowest.data();
    in.x = x.data(), in.memory = memory.data();
    in.motor_q = q_d.data(), in.motor_v = v_d.data();
    if (made->reference() == TORSOR_REFERENCE_JOINTS) {
      in.q_d = q_d.data(), in.v_d = in.v_r = v_d.data(), in.vdot_d = in.a_r = a_d.data(),
      in.e = e.data();
      in.vddot_d = in.vdddot_d = rest.data();
    } else if (made->reference() == TORSOR_REFERENCE_FRAME) {
      in.X_d = reinterpret_cast<const double*>(&pose);
      in.V_d = v_d.data(), in.Vdot_d = a_d.data();
    }
    return in;
  }

  std::shared_ptr<const Model> model;
  std::shared_ptr<const Controller> made;
  List q, q_d, v, v_d, a_d, e, rest, x, memory, limits, lowest;
  Pose<double> pose;
};
INSTANTIATE_TEST_SUITE_P(Controllers, EveryController, testing::ValuesIn(ids()),
                         [](const auto& test) { return test.param; });

TEST(Controllers, EveryPluginIsTested) {
  std::set<std::string> tested, found;
  for (const std::string& id : ids()) tested.insert("controller." + id);
  for (const PluginInfo& plugin : build_registry().plugins())
    if (plugin.kind() == Controller::kind) found.insert(plugin.id);
  EXPECT_EQ(found, tested);
}

// Checks that a call gives the same bits again after a call with other arguments that used the same
// result and work area.
TEST_P(EveryController, IsAFunctionOfItsArguments) {
  Controller::Result a = made->make_result(), b = made->make_result();
  ASSERT_TRUE(made->evaluate(input(), a));
  List other_q = q, other_v = v;
  for (List* other : {&other_q, &other_v})
    for (double& each : *other) each += 0.3;
  torsor_control_input in = input();
  in.q = other_q.data(), in.v = other_v.data();
  ASSERT_TRUE(made->evaluate(in, b));
  if (measures()) {
    EXPECT_THAT(a.tau, testing::Not(testing::ElementsAreArray(b.tau)));
  }
  ASSERT_TRUE(made->evaluate(input(), b));
  EXPECT_THAT(a.tau, testing::ElementsAreArray(b.tau));
  EXPECT_THAT(a.xdot, testing::ElementsAreArray(b.xdot));
  EXPECT_THAT(a.memory, testing::ElementsAreArray(b.memory));
  EXPECT_THAT(a.signal, testing::ElementsAreArray(b.signal));
}

TEST_P(EveryController, DoesNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call and keeps the first result";
#endif
  Controller::Result result = made->make_result();
  const torsor_control_input in = input();
  bool good = bool(made->evaluate(in, result));
  const long before = allocations();
  good &= bool(made->evaluate(in, result));
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(good);
}

// Checks that a NaN in a measurement is reported with the names of the controller and of the first
// joint whose torque is NaN. A law of single joints returns NaN for the joint of the measurement
// only. A law that evaluates a model of the arm at the measurement returns NaN for every joint.
TEST_P(EveryController, ANanIsDetected) {
  const std::set<std::string> of_single_joints = {"pid", "feed_forward", "elastic_pd",
                                                  "elastic_feed_forward"};
  Controller::Result result = made->make_result();
  q[2] = std::numeric_limits<double>::quiet_NaN();
  e[2] = q[2];
  const Status status = made->evaluate(input(), result);
  EXPECT_EQ(bool(status), !measures());
  if (!measures()) return;
  const int dof = of_single_joints.contains(GetParam()) ? 2 : 0;
  EXPECT_EQ(
      made->explain(status),
      fmt::format("controller 'controller.{}': evaluate returns a torque at joint '{}' that is "
                  "not a finite number",
                  GetParam(), model->joint_of_dof(dof).name));
}

// Checks every real parameter: NaN, infinite values and values just outside of the range are
// rejected with the name of the parameter and the value.
TEST_P(EveryController, RejectsParametersOutOfTheirRange) {
  const auto all = cases();
  const ControllerCase& usual = *std::ranges::find(all, GetParam(), &ControllerCase::id);
  for (const torsor_param& row : parameter_rows(made->descriptor())) {
    if (row.type != TORSOR_REAL) continue;
    ASSERT_LE(row.count, 1u) << "one value would be rejected for its count";
    for (const double value : values_out_of_range(row)) {
      ControllerCase with = usual;
      std::erase_if(with.parameters, [&](const Parameter& p) { return p.name == row.name; });
      with.parameters.push_back({row.name, value});
      try {
        build_registry().controller(with.id, model, "newton_euler", {0, 0, -9.81}, with.parameters);
        ADD_FAILURE() << row.name << " = " << value;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::StartsWith(fmt::format(
                                                     "parameter '{}' of 'controller.{}' must be a ",
                                                     row.name, GetParam())),
                                                 HasSubstr(fmt::format(", not {} (", value))));
      }
    }
  }
}

// Checks that a controller with a model of the complete arm rejects joints without a motor. A
// controller of single joints accepts them.
TEST(Controllers, NeedAMotorAtEveryJoint) {
  RobotDescription robot = random_robot(4, Shape::chain, 3);
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.drives = {Drive{.passive = true}};
  const auto model = build(robot);
  EXPECT_THROW(build_registry().controller("computed_torque", model, "newton_euler", {0, 0, -9.81},
                                           {{"frequency", 1.0}}),
               UnsupportedModel);
  EXPECT_NO_THROW(
      build_registry().controller("pid", model, "newton_euler", {0, 0, -9.81}, {{"kp", 1.0}}));
}

// Checks that missing gains, unstable gains, contradictory gains and parameters without effect are
// rejected.
TEST(Controllers, RejectInvalidGains) {
  const auto rejection = [](const std::string& id, std::vector<Parameter> parameters,
                            bool elastic = false) {
    try {
      build_registry().controller(id, arm(elastic), "newton_euler", {0, 0, -9.81}, parameters);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const Parameter tip{"frame", std::string("tip")}, kp{"kp", 10.0}, kd{"kd", 2.0},
      ratio{"damping_ratio", 1.0};
  EXPECT_THAT(rejection("computed_torque", {kp, kd, ratio}),
              HasSubstr("both kd and damping_ratio are set; set one or the other"));
  EXPECT_EQ(rejection("computed_torque", {kp, ratio}), "taken");
  EXPECT_THAT(rejection("pid", {kp, {"integral_above", 0.1}}),
              HasSubstr("have no effect without an integral term; set ki"));
  EXPECT_THAT(rejection("pid", {kp, {"integral_below", 0.1}}),
              HasSubstr("have no effect without an integral term; set ki"));
  EXPECT_EQ(rejection("pid", {{"resonance", 9.0}, {"integral_above", 0.1}}), "taken");
  const Parameter lambda{"lambda", 4.0};
  for (const char* name : {"gain", "length"}) {
    EXPECT_THAT(rejection("adaptive", {lambda, {name, 0.5}}),
                HasSubstr("have no effect without adapted bodies; set bodies"));
    EXPECT_EQ(
        rejection("adaptive", {lambda, {"bodies", std::vector<FramePlace>{{"tip"}}}, {name, 0.5}}),
        "taken");
  }
  EXPECT_THAT(rejection("adaptive", {}), HasSubstr("no gains are set; set lambda and kd"));
  EXPECT_THAT(rejection("pd_gravity", {}), HasSubstr("no gains are set; set kp and kd"));
  EXPECT_THAT(rejection("elastic_pd", {}, true), HasSubstr("no gains are set; set kp and kd"));
  const Parameter frequency{"frequency", 5.0}, gains{"gains", List{1, 4, 6, 4}};
  const std::string linearisation = "elastic_feedback_linearisation";
  EXPECT_EQ(rejection(linearisation, {gains}, true), "taken");
  EXPECT_THAT(rejection(linearisation, {}, true), HasSubstr("no gains are set; set frequency"));
  EXPECT_THAT(rejection(linearisation, {{"frequency", 0.0}}, true),
              HasSubstr("else errors do not decay"));
  EXPECT_THAT(rejection(linearisation, {gains, frequency}, true),
              HasSubstr("set one or the other"));
  EXPECT_THAT(rejection(linearisation, {{"gains", List{1, 4, 6}}}, true),
              HasSubstr("'gains' must be four numbers"));
  EXPECT_THAT(rejection(linearisation, {{"gains", List{8, 4, 2, 1}}}, true),
              HasSubstr("'gains' are unstable"));
  EXPECT_THAT(rejection("task_pid", {tip, {"damping", 1.0}}),
              HasSubstr("no gains are set; set kp and kd"));
  EXPECT_EQ(rejection("task_pid", {tip, {"kp_rotation", 1.0}}), "taken");
  EXPECT_EQ(rejection("feed_forward", {}), "taken");
}

// Checks an arm at and near the stretched position, where torques would be unbounded because no
// joint acceleration moves the tip outwards. The controller returns TORSOR_SINGULAR without
// allocating memory.
TEST(Controllers, OfFramesReportSingularPositions) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  const List rest(6, 0.0), none(2, 1e300), lowest(2, -1e300);
  const Pose<double> goal = translation(Vec3<double>{1.5, 0.5, 0});
  for (const std::string id : {"resolved_acceleration", "operational_space"}) {
    SCOPED_TRACE(id);
    const auto law = build_registry().controller(
        id, model, "newton_euler", {0, 0, -9.81},
        {{"frame", std::string("tip2")}, {"components", List{4, 5}}, {"kp", 50.0}});
    Controller::Result result = law->make_result();
    const auto status = [&](double bend) {
      const List q{0.3, bend};
      torsor_control_input in{};
      in.struct_size = sizeof in;
      in.q = q.data(), in.v = rest.data(), in.max_torque = in.tau_upper = none.data(),
      in.tau_lower = lowest.data();
      in.X_d = reinterpret_cast<const double*>(&goal);
      in.V_d = in.Vdot_d = rest.data();
      [[maybe_unused]] const long before = allocations();
      const Status out = law->evaluate(in, result);
#ifdef NDEBUG
      EXPECT_EQ(allocations() - before, 0);
#endif
      return TORSOR_STATUS_CODE(out.value);
    };
    for (const double bend : {0.0, 1e-6, 1e-5}) EXPECT_EQ(status(bend), TORSOR_SINGULAR) << bend;
    for (const double bend : {1e-3, 0.1}) EXPECT_EQ(status(bend), TORSOR_OK) << bend;
  }
}

// A random state of an arm, and the input of a law that controls the frame "tip" in it.
struct AtTip {
  explicit AtTip(const std::shared_ptr<const Model>& model)
      : state(model), tip(model->frames[size_t(model->frame("tip"))]) {
    state.set_q(random_position(random, *model, 1));
    state.v = random_values(random, model->n_v, 1);
    none.assign(state.v.size(), 1e300);
    lowest.assign(state.v.size(), -1e300);
  }
  torsor_control_input input(const Pose<double>& X_d, const List& V_d, const List& Vdot_d) const {
    torsor_control_input in{};
    in.struct_size = sizeof in;
    in.q = state.q().data(), in.v = state.v.data(), in.max_torque = in.tau_upper = none.data(),
    in.tau_lower = lowest.data();
    in.X_d = reinterpret_cast<const double*>(&X_d), in.V_d = V_d.data(), in.Vdot_d = Vdot_d.data();
    in.x = zero.data();
    return in;
  }

  Random random = Random(8);
  State state;
  const Frame& tip;
  List none, lowest, zero = List(6);
};

// Checks tau = J^T (Lambda w + eta) + N^T tau_0 against the operational space of the engine, which
// is computed by another algorithm.
// Equations: MR 9.97.
TEST(Controllers, OfOperationalSpaceMatchTheEquations) {
  const auto model = arm(false);
  const double kd = 5, kd_rotation = 3, posture_damping = 0.7;
  const auto law =
      build_registry().controller("operational_space", model, "newton_euler", {0, 0, -9.81},
                                  {{"frame", std::vector<FramePlace>{{"tip"}}},
                                   {"kd", kd},
                                   {"kd_rotation", kd_rotation},
                                   {"posture_damping", posture_damping}});
  AtTip at(model);
  const State& state = at.state;
  const Frame& tip = at.tip;
  // The reference has the pose of the frame, so only the velocity has an error.
  const Pose<double> X_d = frame_pose(state, tip);
  const List V_d = random_values(at.random, 6, 1), Vdot_d = random_values(at.random, 6, 1);
  Controller::Result result = law->make_result();
  ASSERT_TRUE(law->evaluate(at.input(X_d, V_d, Vdot_d), result));

  Solver solver = build_registry().solver("lie_group", model);
  const OperationalSpace space = OperationalSpaces(solver, state).of(tip, pose_components);
  const Matrix J = frame_jacobian(state, tip, Axes::world);
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v), V = J * v;
  Vector w(6);
  for (int i = 0; i < 6; ++i)
    w[i] = Vdot_d[size_t(i)] + (i < 3 ? kd_rotation : kd) * (V_d[size_t(i)] - V[i]);
  const Vector tau =
      J.transpose() * (space.Lambda * w + space.eta()) - space.null_projector * posture_damping * v;
  EXPECT_TRUE(close(Eigen::Map<const Vector>(result.tau.data(), v.size()), tau, tau.norm(), 1e-8));
}

// Checks KHALIL 9.29 (form = "position") and 9.31 (model_at = "desired") with another solver:
//   tau = M(q*) w + C(q*, v*) v* + g(q*),   (q*, v*) measured or desired
// Equations: KHALIL 9.31.
TEST(Controllers, OfComputedTorqueMatchTheEquations) {
  const auto model = arm(false);
  const size_t n = size_t(model->n_v);
  Random random(5);
  Solver solver = build_registry().solver("lie_group", model);
  for (const bool position : {false, true})
    for (const bool desired : {false, true}) {
      const auto law =
          build_registry().controller("computed_torque", model, "newton_euler", {0, 0, -9.81},
                                      {{"kp", 7.0},
                                       {"kd", 3.0},
                                       {"friction", false},
                                       {"form", position ? "position" : "tracking"},
                                       {"model_at", desired ? "desired" : "measured"}});
      const List q = random_position(random, *model, 1), q_d = random_position(random, *model, 1),
                 v = random_values(random, model->n_v, 1),
                 v_d = random_values(random, model->n_v, 1),
                 e = random_values(random, model->n_v, 1),
                 a_r = random_values(random, model->n_v, 1),
                 v_r = random_values(random, model->n_v, 1), zero(n), none(n, 1e300),
                 lowest(n, -1e300);
      torsor_control_input in{};
      in.struct_size = sizeof in;
      in.q = q.data(), in.v = v.data(), in.q_d = q_d.data(), in.v_d = v_d.data();
      in.e = e.data(), in.a_r = a_r.data(), in.v_r = v_r.data(), in.x = zero.data();
      in.max_torque = in.tau_upper = none.data(), in.tau_lower = lowest.data();
      Controller::Result result = law->make_result();
      ASSERT_TRUE(law->evaluate(in, result));
      List w(n);
      for (size_t k = 0; k < n; ++k)
        w[k] = position ? 7 * e[k] - 3 * v[k] : a_r[k] + 3 * (v_r[k] - v[k]) + 7 * e[k];
      State state(model);
      state.set_q(desired ? q_d : q);
      state.v = desired ? v_d : v;
      Vector tau(model->n_v);
      ASSERT_TRUE(solver.inverse(state, w.data(), tau.data()));
      EXPECT_TRUE(agree(Eigen::Map<const Vector>(result.tau.data(), tau.size()), tau));
    }
}

// Checks tau = J^T (K_p e_x + K_d (V_d - V)) + g - d v (KHALIL 9.17) for a frame that is displaced
// from its reference.
TEST(Controllers, OfTaskPidMatchTheEquation) {
  const auto model = arm(false);
  const double kp = 40, kd = 5, kp_rotation = 12, kd_rotation = 3, damping = 0.7;
  const auto law = build_registry().controller("task_pid", model, "newton_euler", {0, 0, -9.81},
                                               {{"frame", std::vector<FramePlace>{{"tip"}}},
                                                {"kp", kp},
                                                {"kd", kd},
                                                {"kp_rotation", kp_rotation},
                                                {"kd_rotation", kd_rotation},
                                                {"damping", damping}});
  AtTip at(model);
  const State& state = at.state;
  const Frame& tip = at.tip;
  // The reference is rotated by the vector u in world axes, and displaced by d.
  const Pose<double> X = frame_pose(state, tip);
  const Vec3<double> u{0.3, -0.2, 0.4}, d{0.05, 0.1, -0.2};
  const Pose<double> X_d{exp_so3(u) * X.R, X.p + d};
  const List V_d = random_values(at.random, 6, 1);
  Controller::Result result = law->make_result();
  ASSERT_TRUE(law->evaluate(at.input(X_d, V_d, at.zero), result));

  const Matrix J = frame_jacobian(state, tip, Axes::world);
  const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v), V = J * v;
  const double e[] = {u.x, u.y, u.z, d.x, d.y, d.z};
  Vector F(6), g(model->n_v);
  for (int i = 0; i < 6; ++i)
    F[i] = (i < 3 ? kp_rotation : kp) * e[i] + (i < 3 ? kd_rotation : kd) * (V_d[size_t(i)] - V[i]);
  Solver solver = build_registry().solver("lie_group", model);
  ASSERT_TRUE(solver.gravity(state, g.data()));
  EXPECT_TRUE(agree(Eigen::Map<const Vector>(result.tau.data(), g.size()),
                    J.transpose() * F + g - damping * v));
}

TEST(Controllers, RejectInvalidFrames) {
  const auto model = arm(false);
  const auto error = [&](const std::vector<Parameter>& more) -> std::string {
    std::vector<Parameter> parameters{{"kp", 1.0}};
    parameters.insert(parameters.end(), more.begin(), more.end());
    try {
      build_registry().controller("resolved_acceleration", model, "newton_euler", {0, 0, -9.81},
                                  parameters);
    } catch (const Error& wrong) {
      return wrong.what();
    }
    return "";
  };
  const Parameter tip{"frame", std::string("tip")};
  EXPECT_EQ(error({tip}), "");
  EXPECT_THAT(error({}), HasSubstr("needs its parameter 'frame'"));
  EXPECT_THAT(error({{"frame", std::string("world")}}),
              HasSubstr("the frame is fixed to the world"));
  EXPECT_THAT(error({{"frame", std::string("tap")}}), HasSubstr("there is no link or frame 'tap'"));
  EXPECT_THAT(error({tip, {"components", List{4, 4}}}), HasSubstr("lists a number twice"));
  EXPECT_THAT(error({tip, {"components", List{7}}}), HasSubstr("components"));
  EXPECT_THAT(error({tip, {"posture_stiffness", 3.0}}),
              HasSubstr("posture and posture_stiffness need each other"));
  EXPECT_THAT(error({tip, {"posture", List{1, 2}}, {"posture_stiffness", 3.0}}),
              HasSubstr("'posture' has 2 values for 8"));
}

}  // namespace
}  // namespace torsor::test
