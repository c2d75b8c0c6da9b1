// Pinocchio's values of robots with a floating base, in the folder "shared". The base is a joint with the six unit screws
// of its body, given to the plugins as flat arrays.
//
// Pinocchio's q is (position, quaternion x y z w, joints); its base velocity and torque have the linear part first, in
// base axes.

#include <gtest/gtest.h>

#include "conformance/flat_tree.hpp"
#include "conformance/raw_solver.hpp"
#include "conformance/solvers.hpp"
#include "support/reference.hpp"
#include "torsor/model/urdf.hpp"

namespace torsor::test {
namespace {

const char* const robots[] = {"anymal_c",      "double_pendulum", "finger_edu", "humanoid36",
                              "kinova",        "panda",           "solo12",     "simple_humanoid",
                              "tiago_no_hand", "talos_reduced",   "ur5"};

// The model's columns, then the base's: angular, linear.
class FloatingTable : public ColumnOrder {
 public:
  explicit FloatingTable(const std::string& robot) : json_(shared_table(robot + "_float.json")) {
    const std::string urdf = std::filesystem::path(json_["urdf"].get<std::string>()).filename();
    model_ = build(read_urdf(shared_folder() / "robots" / urdf));
    const int n = model_->n_v;
    column.resize(n + 6);
    for (int k = 0; k < 6; ++k) column[k] = n + (k + 3) % 6;
    for (int k = 0; k < n; ++k) {
      const int joint = model_->joint(json_["joint_names"][size_t(k + 1)].get<std::string>());
      column[6 + k] = model_->joints[size_t(joint)].v_index;
    }
  }
  const Json& states() const { return json_["states"]; }

  FlatTree at(const Json& sample) const {
    const Vector q = vector(sample["q"]), v = columns(sample["v"]), g = vector(json_["gravity"]);
    State joints(model_);
    std::vector<double> joint_q(size_t(model_->n_v));
    for (Eigen::Index k = 0; k < model_->n_v; ++k) joint_q[size_t(column[6 + k])] = q[7 + k];
    joints.set_q(joint_q);
    FlatTree tree;
    tree.add_given(0, {rotation(Quaternion{q[6], q[3], q[4], q[5]}), {q[0], q[1], q[2]}}, base_inertia(),
                   model_->n_v, 6);
    for (size_t i = 1; i < size_t(model_->n_body); ++i)
      tree.add_given(model_->parent[i] + 1, joints.X_PB()[i], model_->inertia_B[i], model_->v_index[i],
                     model_->v_count[i]);
    for (const Twist<double>& S : model_->S_B)
      tree.S_B.insert(tree.S_B.end(), {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z});
    for (int k = 0; k < 36; ++k) tree.S_B.push_back(k % 7 == 0);
    tree.v = to_list(v);
    tree.armature.assign(tree.v.size(), 0);
    tree.A_W = {{0, 0, 0}, {-g[0], -g[1], -g[2]}};
    return tree;
  }

 private:
  // Of what the model counts to the world.
  SpatialInertia<double> base_inertia() const {
    SpatialInertia<double> sum = SpatialInertia<double>::zero();
    for (const Link& link : model_->links) {
      const Frame& frame = model_->frames[size_t(link.frame)];
      if (frame.body == 0) sum = sum + transform(frame.X_BF, link.inertia_L);
    }
    return sum;
  }

  Json json_;
  std::shared_ptr<const Model> model_;
};

class FloatingBase : public testing::TestWithParam<std::tuple<std::string, const char*>> {
 protected:
  void SetUp() override {
    TORSOR_NEEDS_SHARED_FOLDER();
    table = std::make_unique<FloatingTable>(std::get<1>(GetParam()));
  }
  Matrix ask(const FlatTree& tree, Quantity quantity, const Vector& in = {}) const {
    return ask_plugin(build_registry().find_solver(std::get<0>(GetParam())), tree.model(), tree.state(),
                      quantity, in);
  }
  std::unique_ptr<FloatingTable> table;
};
INSTANTIATE_TEST_SUITE_P(Tables, FloatingBase,
                         testing::Combine(testing::ValuesIn(solver_ids()), testing::ValuesIn(robots)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST_P(FloatingBase, EqualsTheReference) {
  for (const Json& sample : table->states()) {
    const FlatTree tree = table->at(sample);
    const Matrix M = table->square(sample["M"]);
    const Vector bias = table->columns(sample["nle"]), g = table->columns(sample["g"]), v = to_vector(tree.v);
    if (const Matrix tau = ask(tree, Quantity::inverse, table->columns(sample["a"])); tau.size() > 0) {
      EXPECT_TRUE(agree(tau, table->columns(sample["rnea_tau"])));
    }
    if (!sample["aba_qdd"].is_null()) {
      const Vector tau = table->columns(sample["tau"]);
      if (const Matrix vdot = ask(tree, Quantity::forward, tau); vdot.size() > 0) {
        EXPECT_TRUE(agree_acceleration(vdot, table->columns(sample["aba_qdd"]), M));
        EXPECT_TRUE(satisfies_equation_of_motion(M, vdot, bias, tau));
      }
    }
    if (const Matrix ours = ask(tree, Quantity::mass_matrix); ours.size() > 0) {
      EXPECT_TRUE(agree(ours, M));
    }
    if (const Matrix ours = ask(tree, Quantity::gravity); ours.size() > 0) {
      EXPECT_TRUE(agree(ours, g));
    }
    if (const Matrix ours = ask(tree, Quantity::bias); ours.size() > 0) {
      EXPECT_TRUE(agree(ours, bias));
    }
    if (const Matrix C = ask(tree, Quantity::coriolis_matrix); C.size() > 0) {
      EXPECT_TRUE(close(C * v, bias - g, bias.norm() + g.norm(), agreement));
      if (!sample.contains("C")) continue;
      const Matrix theirs = table->square(sample["C"]);
      EXPECT_TRUE(agree(C * v, theirs * v));
      EXPECT_TRUE(agree(C + C.transpose(), theirs + theirs.transpose()));
    }
  }
}

}  // namespace
}  // namespace torsor::test
