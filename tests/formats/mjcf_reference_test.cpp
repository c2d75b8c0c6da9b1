// Compares robots of MJCF files with values of MuJoCo (tests/reference/mjcf).
//
// MuJoCo's qvel of a free joint is (R v, omega), Torsor's v is the body-fixed twist (omega, v).
// With qvel = T v: M_v = T^T M T, tau_v = T^T tau, and with qacc = T vdot + Tdot v
//   bias_v = T^T (bias + M Tdot v),   Tdot v = (R (omega x v), 0)

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/dense_dynamics.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test {
namespace {

using Json = nlohmann::json;

constexpr double equal = 1e-9;  // the values have 13 digits

Vector vector_of(const Json& list) {
  const auto values = list.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), Eigen::Index(values.size()));
}

class MjcfReference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = TORSOR_SOURCE_DIR "/tests/reference/mjcf/" + GetParam();
    std::ifstream(path + ".json") >> json;
    model = build(read_robot_file(path + ".xml"));
  }

  // Returns T at a state.
  Matrix rates_map(const Vector& q) const {
    Matrix T = Matrix::Identity(model->n_v, model->n_v);
    for (const Joint& joint : model->joints) {
      if (joint.kind != JointKind::floating) continue;
      const double* x = &q[joint.q_index];
      const Mat3<double> R = rotation(x[3], x[4], x[5], x[6]);
      T.block(joint.v_index, joint.v_index, 6, 6).setZero();
      for (int i = 0; i < 3; ++i) {
        T(joint.v_index + 3 + i, joint.v_index + i) = 1;
        for (int k = 0; k < 3; ++k) T(joint.v_index + i, joint.v_index + 3 + k) = R(i, k);
      }
    }
    return T;
  }
  // Returns Tdot v.
  Vector rates_map_rate(const Vector& q, const Vector& v) const {
    Vector out = Vector::Zero(model->n_v);
    for (const Joint& joint : model->joints) {
      if (joint.kind != JointKind::floating) continue;
      const double *x = &q[joint.q_index], *w = &v[joint.v_index];
      const Vec3<double> a = rotation(x[3], x[4], x[5], x[6]) *
                             cross(Vec3<double>{w[0], w[1], w[2]}, {w[3], w[4], w[5]});
      out.segment(joint.v_index, 3) << a.x, a.y, a.z;
    }
    return out;
  }

  void check_poses(const State& state, const Json& values) const {
    const Vector poses = vector_of(values);
    for (size_t b = 0; b < json["bodies"].size(); ++b) {
      const double* x = &poses[Eigen::Index(7 * b)];
      const Frame& frame =
          model->frames[size_t(model->frame(json["bodies"][b].get<std::string>()))];
      const Pose<double> X = frame_pose(state, frame);
      const Mat3<double> R = rotation(x[3], x[4], x[5], x[6]);
      EXPECT_NEAR(norm(X.p - Vec3<double>{x[0], x[1], x[2]}), 0, equal) << frame.name;
      for (int k = 0; k < 9; ++k) EXPECT_NEAR(X.R.m[k], R.m[k], equal) << frame.name;
    }
  }

  Json json;
  std::shared_ptr<const Model> model;
};
INSTANTIATE_TEST_SUITE_P(Files, MjcfReference,
                         testing::Values("joints", "defaults", "geoms", "compiler", "include",
                                         "meshes", "exact_meshes", "global", "roots"),
                         [](const auto& file) { return file.param; });

TEST_P(MjcfReference, HasTheDynamicsOfMuJoCo) {
  ASSERT_EQ(json["states"].size(), 100u);
  for (const Json& sample : json["states"]) {
    const Vector q = vector_of(sample["qpos"]), tau = vector_of(sample["tau"]);
    ASSERT_EQ(q.size(), model->n_q);
    const Matrix T = rates_map(q), T_inverse = T.inverse();
    const Vector v = T_inverse * vector_of(sample["qvel"]);
    State state(model);
    state.set_q({q.data(), size_t(q.size())});
    state.v.assign(v.data(), v.data() + v.size());
    const DenseDynamics ours(model->view(), state.view());
    const Matrix M = T_inverse.transpose() * ours.M * T_inverse;  // in MuJoCo's rates
    const auto agrees = [](const Vector& a, const Vector& b) {
      return close(a, b, std::max(b.norm(), 1e-3), equal);
    };
    EXPECT_TRUE(agrees(M * tau, vector_of(sample["M_tau"])));
    EXPECT_TRUE(agrees(T_inverse.transpose() * ours.g, vector_of(sample["gravity"])));
    const Vector bias = T_inverse.transpose() * ours.inverse(v, Vector::Zero(model->n_v)) -
                        M * rates_map_rate(q, v);
    EXPECT_TRUE(agrees(bias, vector_of(sample["bias"])));
    EXPECT_TRUE(agrees(M.lu().solve(tau - bias), vector_of(sample["qacc"])));
    check_poses(state, sample["pose"]);
  }
}

}  // namespace
}  // namespace torsor::test
