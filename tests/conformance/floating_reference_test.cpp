// Compares robots with a floating base with values of Pinocchio.
//
// Pinocchio's q is (position, quaternion x y z w, joints). The velocity and torque of its base have
// the linear part first. They are in the axes of the base.

#include <gtest/gtest.h>

#include "conformance/partials_reference.hpp"
#include "support/reference.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

std::vector<std::string> robots() {
  return robots_with_table(all_robots(), "_float");
}

struct FloatingTable : ColumnOrder {
  explicit FloatingTable(const std::string& robot) : json(robot_table(robot + "_float")) {
    const std::string urdf = std::filesystem::path(json["urdf"].get<std::string>()).stem();
    model = build(read_robot_file(robot_file(urdf), {.floating_base = true}));
    const Json& names = json["joint_names"];
    column.resize(model->n_v);
    for (int k = 0; k < 6; ++k) column[k] = (k + 3) % 6;
    for (int k = 6; k < model->n_v; ++k) column[k] = joint(names[size_t(k - 5)]).v_index;
  }
  const Joint& joint(const std::string& name) const {
    return model->joints[size_t(model->joint(name))];
  }
  const Json& states() const { return json["states"]; }

  State at(const Json& sample) const {
    const Vector q = vector(sample["q"]), g = vector(json["gravity"]);
    std::vector<double> ours{q[0], q[1], q[2], q[6], q[3], q[4], q[5]};
    ours.resize(size_t(model->n_q));
    for (int k = 6; k < model->n_v; ++k)
      ours[size_t(joint(json["joint_names"][size_t(k - 5)]).q_index)] = q[k + 1];
    State state(model);
    state.set_q(ours);
    state.v = to_list(columns(sample["v"]));
    state.set_gravity({g[0], g[1], g[2]});
    return state;
  }

  Json json;
  std::shared_ptr<const Model> model;
};

class FloatingBase : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    table = std::make_unique<FloatingTable>(std::get<1>(GetParam()));
    solver = std::make_unique<TestSolver>(std::get<0>(GetParam()), table->model);
  }
  std::unique_ptr<FloatingTable> table;
  std::unique_ptr<TestSolver> solver;
};
INSTANTIATE_TEST_SUITE_P(Tables, FloatingBase,
                         testing::Combine(testing::ValuesIn(solver_ids()),
                                          testing::ValuesIn(robots())),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST_P(FloatingBase, EqualsTheReference) {
  for (const Json& sample : table->states()) {
    const State state = table->at(sample);
    const Matrix M = table->square(sample["M"]);
    const Vector bias = table->columns(sample["nle"]), g = table->columns(sample["g"]),
                 v = velocity(state);
    EXPECT_TRUE(agree(solver->inverse(state, table->columns(sample["a"])),
                      table->columns(sample["rnea_tau"])));
    if (!sample["aba_qdd"].is_null()) {
      const Vector tau = table->columns(sample["tau"]), vdot = solver->forward(state, tau);
      EXPECT_TRUE(agree_acceleration(vdot, table->columns(sample["aba_qdd"]), M));
      EXPECT_TRUE(satisfies_equation_of_motion(M, vdot, bias, tau));
    }
    EXPECT_TRUE(agree(solver->mass_matrix(state), M));
    EXPECT_TRUE(agree(solver->gravity(state), g));
    EXPECT_TRUE(agree(solver->bias(state), bias));
    const Matrix C = solver->coriolis_matrix(state);
    EXPECT_TRUE(close(C * v, bias - g, bias.norm() + g.norm(), agreement));
    if (!sample.contains("C")) continue;
    const Matrix theirs = table->square(sample["C"]);
    EXPECT_TRUE(agree(C * v, theirs * v));
    EXPECT_TRUE(agree(C + C.transpose(), theirs + theirs.transpose()));
  }
}

TEST_P(FloatingBase, PartialDerivatives) {
  if (!solver->solver().has_partials()) return;
  for (const Json& sample : table->states())
    expect_partials(solver->solver(), table->at(sample), *table, sample);
}

class FloatingKinematics : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Tables, FloatingKinematics, testing::ValuesIn(robots()),
                         [](const auto& test) { return test.param; });

TEST_P(FloatingKinematics, EqualsTheReference) {
  const FloatingTable table(GetParam());
  for (const Json& sample : table.states()) {
    const State state = table.at(sample);
    const double kinetic = sample["kinetic_energy"], potential = sample["potential_energy"];
    EXPECT_NEAR(kinetic_energy(state), kinetic, agreement * kinetic);
    EXPECT_NEAR(potential_energy(state), potential, agreement * std::abs(potential));
    if (!sample.contains("link_positions")) continue;
    for (const auto& [name, position] : sample["link_positions"].items()) {
      const Vec3<double> p =
          frame_pose(state, table.model->frames[size_t(table.model->frame(name))]).p;
      EXPECT_TRUE(close(Vector(Eigen::Vector3d(p.x, p.y, p.z)), vector(position), 1, agreement))
          << name;
    }
  }
}

}  // namespace
}  // namespace torsor::test
