// Compares quantities of the C interface with the handles of the engine, bit by bit, and with
// independent formulae where the interface arranges numbers itself.

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include "capi/states.hpp"
#include "torsor/batch/batch_quantity.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

class Quantities : public testing::TestWithParam<const char*> {
 protected:
  Owned<torsor_engine> engine_ = made_engine();
  Owned<torsor_robot> robot_ = made_robot(engine_.get(), GetParam());
  Owned<torsor_evaluator> evaluator_ =
      made<torsor_evaluator>(torsor_evaluator_create, robot_.get(), nullptr);
  Registry plugins_{{TORSOR_PLUGIN_DIR}};
  std::shared_ptr<const Model> model_ = build(load_robot(source_file(GetParam())));
};
INSTANTIATE_TEST_SUITE_P(Robots, Quantities, testing::Values(iiwa, quadruped));

TEST_P(Quantities, OfSolversAreThoseOfTheEngine) {
  Solver solver = plugins_.solver("newton_euler", model_);
  const States states(robot_.get(), 3);
  State state(model_);
  for (const QuantityRow& row : quantities) {
    if (row.indices == 3 && model_->n_v > 10) continue;  // they take long, and the code is the same
    for (size_t k = 0; k < states.n; ++k) {
      state.set_q(std::span(states.q).subspan(k * states.n_q, states.n_q));
      const auto v = states.v.begin() + long(k * states.n_v);
      state.v.assign(v, v + long(states.n_v));
      std::vector<double> expected(entries(row.quantity, states.n_v));
      ASSERT_TRUE(
          solver.evaluate(row.quantity, state, states.x.data() + k * states.n_v, expected.data()));
      // A quantity of positions alone has v = 0.
      EXPECT_EQ(evaluated(evaluator_.get(), robot_.get(), row.key, states, k), expected) << row.key;
    }
  }
}

// A batch gives the numbers of single states. A difference in the last bits is allowed, because
// lanes may sum in another order.
TEST_P(Quantities, OfManyStatesAreThoseOfEachState) {
  const States states(robot_.get(), 77);  // more than one register, and not a multiple of it
  for (size_t index = 0; const char* name = torsor_quantity_name(index); ++index) {
    const size_t size = entries_of(robot_.get(), name);
    if (size > 6000) continue;
    // No motor moves the base of the quadruped.
    if (std::string(name) == "constrained_inverse_dynamics" && states.n_q != states.n_v) continue;
    std::vector<double> out(states.n * size, -4711);
    const torsor_states view = states.view();
    ErrorText error;
    ASSERT_EQ(torsor_evaluate_batch(evaluator_.get(), name, &view, out.data(), 0, &error),
              TORSOR_SUCCESS)
        << name << ": " << error.text;
    for (const size_t k : {size_t(0), size_t(8), states.n - 1}) {
      const std::vector<double> one = evaluated(evaluator_.get(), robot_.get(), name, states, k);
      double scale = 0;
      for (const double value : one) scale = std::max(scale, std::abs(value));
      for (size_t i = 0; i < size; ++i)
        ASSERT_NEAR(out[k * size + i], one[i], 1e-12 * scale) << name << " " << k << " " << i;
    }
  }
}

TEST_P(Quantities, OfFramesAreThoseOfTheEngine) {
  const States states(robot_.get(), 1);
  State state(model_);
  state.set_q(states.q);
  state.v = states.v;
  const size_t n = states.n_v, last = model_->frames.size() - 1;
  const Frame& frame = model_->frames[last];
  const std::vector<double> poses = evaluated(evaluator_.get(), robot_.get(), "poses", states, 0);
  ASSERT_EQ(poses.size(), 16 * model_->frames.size());
  const Pose<double> X = frame_pose(state, frame);
  const std::vector<double> of_frame = {X.R.m[0], X.R.m[1], X.R.m[2], X.p.x,    X.R.m[3], X.R.m[4],
                                        X.R.m[5], X.p.y,    X.R.m[6], X.R.m[7], X.R.m[8], X.p.z,
                                        0,        0,        0,        1};
  EXPECT_EQ(std::vector<double>(poses.end() - 16, poses.end()), of_frame);
  const std::string one = "poses:" + frame.name, J_name = "jacobians:" + frame.name;
  EXPECT_EQ(evaluated(evaluator_.get(), robot_.get(), one.c_str(), states, 0), of_frame);

  // J v is the twist.
  const auto J = evaluated(evaluator_.get(), robot_.get(), J_name.c_str(), states, 0);
  const auto V =
      evaluated(evaluator_.get(), robot_.get(), ("twists:" + frame.name).c_str(), states, 0);
  ASSERT_EQ(J.size(), 6 * n);
  for (size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (size_t j = 0; j < n; ++j) sum += J[i * n + j] * states.v[j];
    EXPECT_NEAR(sum, V[i], 1e-12);
  }
  const auto c = evaluated(evaluator_.get(), robot_.get(), "centroidal", states, 0);
  const Centroidal expected = centroidal(state);
  EXPECT_EQ(c.size(), 1 + 3 + 3 + 3 * n + 6 + 12 * n);
  EXPECT_EQ(c[0], expected.mass);
  EXPECT_EQ(c[1], expected.com.x);
  EXPECT_EQ(c[6], expected.com_velocity.z);
  EXPECT_EQ(c[7 + 3 * n], expected.momentum.n.x);
  EXPECT_EQ(c[7 + 3 * n + 5], expected.momentum.f.z);
}

// The wrench of a joint along its screw is the torque without the armature, and at rest an IMU
// measures gravity.
TEST_P(Quantities, OfSensorsAreConsistent) {
  States states(robot_.get(), 1);
  const size_t n = states.n_v;
  std::ranges::fill(states.v, 0);
  std::ranges::fill(states.x, 0);
  const auto get = [&](const char* name) {
    return evaluated(evaluator_.get(), robot_.get(), name, states, 0);
  };
  const auto imu = get("imu"), wrenches = get("joint_wrenches"), tau = get("inverse_dynamics");
  for (size_t f = 0; f < model_->frames.size(); ++f) {
    const double* a = imu.data() + 6 * f + 3;
    EXPECT_NEAR(std::hypot(a[0], a[1], a[2]), 9.81, 1e-12);
  }
  ASSERT_EQ(wrenches.size(), 6 * model_->joints.size());
  for (size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    if (traits(joint.kind).n_v != 1) continue;
    // The joint axis in the frame of the link: the screw of the body, which is at the body's
    // origin.
    const Frame& frame =
        model_->frames[size_t(model_->links[size_t(model_->child_link(joint))].frame)];
    const Twist<double> S = inverse_transform(frame.X_BF, model_->S_B[size_t(joint.v_index)]);
    const double* W = wrenches.data() + 6 * j;
    const double along =
        S.w.x * W[0] + S.w.y * W[1] + S.w.z * W[2] + S.v.x * W[3] + S.v.y * W[4] + S.v.z * W[5];
    EXPECT_NEAR(along, tau[size_t(joint.v_index)], 1e-10 * n);
  }
}

// 1/2 v^T M v is the kinetic energy, and the parts of the torque add up.
TEST_P(Quantities, AreConsistent) {
  const States states(robot_.get(), 1);
  const auto get = [&](const char* name) {
    return evaluated(evaluator_.get(), robot_.get(), name, states, 0);
  };
  const size_t n = states.n_v;
  const auto M = get("mass_matrix"), tau = get("inverse_dynamics"), split = get("torque_split");
  double energy = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) energy += states.v[i] * M[i * n + j] * states.v[j] / 2;
    EXPECT_NEAR(split[i] + split[n + i] + split[2 * n + i] + split[3 * n + i], tau[i], 1e-9);
  }
  EXPECT_NEAR(energy, get("kinetic_energy")[0], 1e-12 * energy);
}

TEST_P(Quantities, HaveNamesAndShapes) {
  size_t count = 0;
  for (; const char* name = torsor_quantity_name(count); ++count) {
    torsor_quantity_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(torsor_quantity_describe(robot_.get(), name, &info, nullptr), TORSOR_SUCCESS);
    size_t sum = 0;
    for (size_t r = 0; r < info.n_results; ++r) {
      torsor_result_info result{};
      result.struct_size = sizeof result;
      ASSERT_EQ(torsor_quantity_result(robot_.get(), name, r, &result, nullptr), TORSOR_SUCCESS);
      size_t entries = 1;
      for (size_t d = 0; d < result.n_dims; ++d) entries *= result.dims[d];
      sum += entries;
    }
    EXPECT_EQ(sum, info.entries) << name;
  }
  EXPECT_EQ(count, n_quantities + 16);
  // The interface has every quantity of many states.
  for (const BatchQuantity& quantity : batch_quantities())
    EXPECT_GT(entries_of(robot_.get(), quantity.name.c_str()), 0u);
}

class Evaluator : public testing::Test {
 protected:
  std::string failure(torsor_result expected, const char* name, const double* q, const double* v,
                      const double* x) {
    double out[49];
    ErrorText error;
    EXPECT_EQ(torsor_evaluate(evaluator_.get(), name, q, v, x, out, &error), expected);
    return error.text;
  }
  Owned<torsor_engine> engine_ = made_engine();
  Owned<torsor_robot> robot_ = made_robot(engine_.get(), iiwa);
  Owned<torsor_evaluator> evaluator_ =
      made<torsor_evaluator>(torsor_evaluator_create, robot_.get(), nullptr);
  States states_{robot_.get(), 3};
};

TEST_F(Evaluator, ExplainsWrongArguments) {
  const double *q = states_.q.data(), *v = states_.v.data(), *x = states_.x.data();
  EXPECT_EQ(failure(TORSOR_USER_ERROR, "mass_matrix", nullptr, v, x), "q: it is NULL");
  EXPECT_EQ(failure(TORSOR_USER_ERROR, "bias", q, nullptr, x), "v: it is NULL");
  EXPECT_EQ(failure(TORSOR_USER_ERROR, "inverse_dynamics", q, v, nullptr), "x (vdot): it is NULL");
  EXPECT_EQ(failure(TORSOR_USER_ERROR, "forward_dynamics", q, v, nullptr), "x (tau): it is NULL");
  EXPECT_THAT(
      failure(TORSOR_USER_ERROR, "mas_matrix", q, v, x),
      HasSubstr("there is no quantity 'mas_matrix'; did you mean 'mass_matrix'?; there are "));
  EXPECT_THAT(failure(TORSOR_USER_ERROR, "poses:link9", q, v, x), HasSubstr("link9"));
  EXPECT_THAT(failure(TORSOR_USER_ERROR, "bias:link7", q, v, x), HasSubstr("bias has no frames"));
  std::vector<double> bad = states_.q;
  bad[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(failure(TORSOR_USER_ERROR, "mass_matrix", bad.data(), v, x),
            "q[2] is nan; give a finite number");
  EXPECT_EQ(torsor_evaluate(nullptr, "bias", q, v, x, bad.data(), nullptr), TORSOR_USER_ERROR);
  EXPECT_EQ(torsor_evaluate(evaluator_.get(), "bias", q, v, x, nullptr, nullptr),
            TORSOR_USER_ERROR);
  // The evaluator still works.
  EXPECT_EQ(failure(TORSOR_SUCCESS, "mass_matrix", q, nullptr, nullptr), "");
}

// A wrench F on a frame changes the torques of inverse dynamics by -J^T F, and gravity scales g.
TEST_F(Evaluator, AppliesWrenchesAndGravity) {
  const auto get = [&](const char* name) {
    return evaluated(evaluator_.get(), robot_.get(), name, states_, 1);
  };
  const auto before = get("inverse_dynamics"), g = get("gravity");
  const size_t frame = torsor_robot_count(robot_.get(), TORSOR_FRAMES) - 1;
  const std::string name = torsor_robot_name(robot_.get(), TORSOR_FRAMES, frame);
  const auto J = get(("jacobians:" + name).c_str());
  const double F[] = {1, 2, 3, 4, 5, 6};
  ErrorText error;
  ASSERT_EQ(torsor_evaluator_set_wrenches(evaluator_.get(), 1, &frame, F, &error), TORSOR_SUCCESS);
  const auto after = get("inverse_dynamics");
  std::vector<double> batch(21);
  const torsor_states view = states_.view();
  ASSERT_EQ(
      torsor_evaluate_batch(evaluator_.get(), "inverse_dynamics", &view, batch.data(), 0, &error),
      TORSOR_SUCCESS);
  for (size_t i = 0; i < 7; ++i) {
    double work = 0;
    for (size_t k = 0; k < 6; ++k) work += J[7 * k + i] * F[k];
    EXPECT_NEAR(after[i], before[i] - work, 1e-11);
    EXPECT_NEAR(batch[7 + i], after[i], 1e-11);
  }
  ASSERT_EQ(torsor_evaluator_set_wrenches(evaluator_.get(), 0, nullptr, nullptr, &error),
            TORSOR_SUCCESS);
  EXPECT_EQ(get("inverse_dynamics"), before);
  ASSERT_EQ(
      torsor_evaluate_batch(evaluator_.get(), "inverse_dynamics", &view, batch.data(), 0, &error),
      TORSOR_SUCCESS);
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(batch[7 + i], before[i], 1e-11);
  const double half[] = {0, 0, -9.81 / 2};
  ASSERT_EQ(torsor_evaluator_set_gravity(evaluator_.get(), half, &error), TORSOR_SUCCESS);
  const auto halved = get("gravity");
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(halved[i], g[i] / 2, 1e-11);
  const size_t beyond = frame + 1;
  EXPECT_EQ(torsor_evaluator_set_wrenches(evaluator_.get(), 1, &beyond, F, &error),
            TORSOR_USER_ERROR);
}

// Robots are shared by threads; each thread has an evaluator.
TEST_F(Evaluator, ThreadsShareARobot) {
  const States states(robot_.get(), 200);
  std::vector<std::vector<double>> results(4, std::vector<double>(200 * 7));
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&] {
      const auto own = made<torsor_evaluator>(torsor_evaluator_create, robot_.get(), nullptr);
      for (int round = 0; round < 5; ++round)
        for (size_t k = 0; k < states.n; ++k)
          torsor_evaluate(own.get(), "inverse_dynamics", states.q.data() + 7 * k,
                          states.v.data() + 7 * k, states.x.data() + 7 * k, result.data() + 7 * k,
                          nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace torsor::test
