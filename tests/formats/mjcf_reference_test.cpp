// Compares robots of MJCF files with values of MuJoCo (tests/reference/mjcf).

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/mjcf_rates.hpp"
#include "support/dense_dynamics.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/pose_spring.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test {
namespace {

using Json = nlohmann::json;

constexpr double equal = 1e-9;  // the values have 13 digits

Vector vector_of(const Json& list) {
  const auto values = list.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), Eigen::Index(values.size()));
}

std::string path_of(const std::string& name) {
  return TORSOR_SOURCE_DIR "/tests/reference/mjcf/" + name;
}
Json json_of(const std::string& name) {
  Json out;
  std::ifstream(path_of(name) + ".json") >> out;
  return out;
}

class MjcfReference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    json = json_of(GetParam());
    model = build(read_robot_file(path_of(GetParam()) + ".xml"));
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
                                         "meshes", "exact_meshes", "global", "roots", "classes",
                                         "replicate", "attach"),
                         [](const auto& file) { return file.param; });

TEST_P(MjcfReference, HasTheDynamicsOfMuJoCo) {
  ASSERT_EQ(json["states"].size(), 100u);
  for (const Json& sample : json["states"]) {
    const Vector q = vector_of(sample["qpos"]), tau = vector_of(sample["tau"]);
    ASSERT_EQ(q.size(), model->n_q);
    const Matrix T = rates_map(*model, q), T_inverse = T.inverse();
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
                        M * rates_map_rate(*model, q, v);
    EXPECT_TRUE(agrees(bias, vector_of(sample["bias"])));
    EXPECT_TRUE(agrees(M.lu().solve(tau - bias), vector_of(sample["qacc"])));
    check_poses(state, sample["pose"]);
  }
}

// Checks the torques of actuators, springs and dampers, in the rates of MuJoCo.
TEST(MjcfForces, AreThoseOfMuJoCo) {
  const RobotDescription robot = read_robot_file(path_of("forces") + ".xml");
  const auto model = build(robot);
  const std::vector<PoseSpringElement> springs = pose_springs(*model);
  ASSERT_EQ(springs.size(), 2u);
  const Json json = json_of("forces");
  ASSERT_EQ(json["states"].size(), 20u);
  for (const Json& sample : json["states"]) {
    const Vector q = vector_of(sample["qpos"]), inputs = vector_of(sample["ctrl"]);
    const Matrix T_inverse = rates_map(*model, q).inverse();
    const Vector v = T_inverse * vector_of(sample["qvel"]);
    ASSERT_EQ(size_t(inputs.size()), robot.actuators.size());
    Vector tau = Vector::Zero(model->n_v), passive = Vector::Zero(model->n_v);
    for (size_t k = 0; k < robot.actuators.size(); ++k) {
      const ActuatorDescription& actuator = robot.actuators[k];
      const Joint& joint = model->joints[size_t(model->joint(actuator.joint))];
      const auto n = Eigen::Index(actuator.gear.size());
      const Vector gear = Eigen::Map<const Vector>(actuator.gear.data(), n);
      const double p = n == 1 ? gear[0] * q[joint.q_index] : 0;
      const double pdot = gear.dot(v.segment(joint.v_index, n));
      const auto &g = actuator.gain, &b = actuator.bias;
      const double f =
          (g[0] + g[1] * p + g[2] * pdot) * actuator.input.clamp(inputs[Eigen::Index(k)]) + b[0] +
          b[1] * p + b[2] * pdot;
      tau.segment(joint.v_index, n) += actuator.force.clamp(f) * gear;
    }
    for (const Joint& joint : model->joints)
      for (int k = joint.v_index; k < joint.v_index + traits(joint.kind).n_v; ++k) {
        const Spring& spring = model->drives[size_t(k)].spring;
        passive[k] = -model->damping[size_t(k)] * v[k];
        if (spring.stiffness > 0) passive[k] -= spring.stiffness * (q[joint.q_index] - spring.rest);
      }
    for (const PoseSpringElement& spring : springs) spring.add_force(q.data(), -1, passive.data());
    EXPECT_TRUE(close(T_inverse.transpose() * tau, vector_of(sample["actuator"]), 1, equal));
    EXPECT_TRUE(close(T_inverse.transpose() * passive, vector_of(sample["passive"]), 1, equal));
  }
}

class MjcfContacts : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, MjcfContacts, testing::Values("contacts", "contacts_of_parents"),
                         [](const auto& file) { return file.param; });

// Checks which pairs of geoms collide, and their friction.
TEST_P(MjcfContacts, AreThoseOfMuJoCo) {
  const auto model = build(read_robot_file(path_of(GetParam()) + ".xml", {.collisions = true}));
  const auto collider = [&](const std::string& name) {
    const auto found = std::ranges::find(model->colliders, name, &Collider::name);
    return int(found - model->colliders.begin());
  };
  std::set<ColliderPair> expected;
  const Json json = json_of(GetParam());
  for (const Json& contact : json["contacts"]) {
    const int a = collider(contact["geoms"][0]), b = collider(contact["geoms"][1]);
    ASSERT_LT(std::max(a, b), int(model->colliders.size())) << contact;
    expected.insert(std::minmax(a, b));
    const int condim = contact["condim"];
    const auto friction = contact["friction"].get<std::vector<double>>();
    const ContactMaterial material = contact_material(*model, a, b);
    EXPECT_EQ(material.mu, condim >= 3 ? friction[0] : 0) << contact;
    EXPECT_EQ(material.torsional, condim >= 4 ? friction[1] : 0) << contact;
    EXPECT_EQ(material.rolling, condim >= 6 ? friction[2] : 0) << contact;
  }
  for (int a = 0; a < int(model->colliders.size()); ++a)
    for (int b = a + 1; b < int(model->colliders.size()); ++b)
      EXPECT_EQ(may_collide(*model, a, b), expected.contains({a, b}))
          << model->colliders[size_t(a)].name << " " << model->colliders[size_t(b)].name;
}

}  // namespace
}  // namespace torsor::test
