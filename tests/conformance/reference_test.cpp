// Compares robots with a fixed base with every table of Pinocchio's values. Tables of generated
// robots (tests/reference) contain C, and the pose and Jacobian of the last link. Tables of
// published robots contain the positions of all links.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "conformance/partials_reference.hpp"
#include "support/reference.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

// Returns the generated robots that have a table. humanoid36_float has a floating base;
// floating_reference_test.cpp tests it.
std::vector<std::string> generated() {
  std::vector<std::string> robots = robots_with_table(stored_robots());
  std::erase(robots, "humanoid36_float");
  return robots;
}
std::vector<std::string> published() {
  return robots_with_table(published_robots());
}
std::vector<std::string> all_tables() {
  std::vector<std::string> all = generated();
  for (const std::string& robot : published()) all.push_back(robot);
  return all;
}

// A table, its robot, and the model's dof for each joint of the table.
struct ReferenceValues : ColumnOrder {
  explicit ReferenceValues(const std::string& robot)
      : json(robot_table(robot)), model(build(read_robot_file(robot_file(robot)))) {
    const Json& names = json["joint_names"];
    column.resize(Eigen::Index(names.size()));
    for (Eigen::Index i = 0; i < column.size(); ++i) {
      const int joint = model->joint(names[size_t(i)].get<std::string>());
      column[i] = model->joints[size_t(joint)].v_index;
    }
  }
  const Json& states() const { return json["states"]; }

  State at(const Json& sample) const {
    State state(model);
    state.set_q(to_list(columns(sample["q"])));
    state.v = to_list(columns(sample["v"]));
    const Vector g = vector(json["gravity"]);
    state.set_gravity({g[0], g[1], g[2]});
    return state;
  }
  const Frame& frame(const std::string& name) const {
    return model->frames[size_t(model->frame(name))];
  }

  Json json;
  std::shared_ptr<const Model> model;
};

class ReferenceDynamics : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    const auto& [id, robot] = GetParam();
    reference = std::make_unique<ReferenceValues>(robot);
    ASSERT_EQ(reference->model->n_v, reference->column.size());
    solver = std::make_unique<TestSolver>(id, reference->model);
  }
  std::unique_ptr<ReferenceValues> reference;
  std::unique_ptr<TestSolver> solver;
};
INSTANTIATE_TEST_SUITE_P(Tables, ReferenceDynamics,
                         testing::Combine(testing::ValuesIn(solver_ids()),
                                          testing::ValuesIn(all_tables())),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

// Equations: JIN 40, 43; MR 9.1, 9.12, 9.20, 9.21, 9.34, 9.43, 9.57, 9.75, 9.80, 9.85, 9.90.
TEST_P(ReferenceDynamics, Inverse) {
  for (const Json& sample : reference->states())
    EXPECT_TRUE(agree(solver->inverse(reference->at(sample), reference->columns(sample["a"])),
                      reference->columns(sample["rnea_tau"])));
}

TEST_P(ReferenceDynamics, Forward) {
  for (const Json& sample : reference->states()) {
    ASSERT_FALSE(sample["aba_qdd"].is_null()) << "none of these robots is singular";
    const Vector tau = reference->columns(sample["tau"]);
    const Matrix M = reference->square(sample["M"]);
    const Vector vdot = solver->forward(reference->at(sample), tau);
    EXPECT_TRUE(agree_acceleration(vdot, reference->columns(sample["aba_qdd"]), M));
    EXPECT_TRUE(satisfies_equation_of_motion(M, vdot, reference->columns(sample["nle"]), tau));
  }
}

// Equations: JIN 37; MR 9.61, 9.82; MK 27.
TEST_P(ReferenceDynamics, MassMatrix) {
  for (const Json& sample : reference->states())
    EXPECT_TRUE(agree(solver->mass_matrix(reference->at(sample)), reference->square(sample["M"])));
}

TEST_P(ReferenceDynamics, InverseMassMatrix) {
  for (const Json& sample : reference->states()) {
    const Matrix M = reference->square(sample["M"]);
    const double allowed =
        std::max(agreement, 10 * condition(M) * std::numeric_limits<double>::epsilon());
    const Matrix product = M * solver->inverse_mass_matrix(reference->at(sample));
    EXPECT_TRUE(close(product, Matrix::Identity(M.rows(), M.cols()), 1, allowed));
  }
}

TEST_P(ReferenceDynamics, PartialDerivatives) {
  if (!solver->solver().has_partials()) return;
  for (const Json& sample : reference->states())
    expect_partials(solver->solver(), reference->at(sample), *reference, sample);
}

// Equations: JIN 39, 42; MR 9.84; MK 32.
TEST_P(ReferenceDynamics, BiasAndGravity) {
  for (const Json& sample : reference->states()) {
    const State state = reference->at(sample);
    EXPECT_TRUE(agree(solver->bias(state), reference->columns(sample["nle"])));
    EXPECT_TRUE(agree(solver->gravity(state), reference->columns(sample["g"])));
  }
}

// Checks C v and C + C^T, because C itself is not unique. If a table has no C, only C v is checked:
// the bias minus gravity.
// Equations: MR 9.83; MK 29.
TEST_P(ReferenceDynamics, CoriolisMatrix) {
  for (const Json& sample : reference->states()) {
    const State state = reference->at(sample);
    const Matrix C = solver->coriolis_matrix(state);
    const Vector bias = reference->columns(sample["nle"]), g = reference->columns(sample["g"]);
    EXPECT_TRUE(close(C * velocity(state), bias - g, bias.norm() + g.norm(), agreement));
    if (!sample.contains("C")) continue;
    const Matrix theirs = reference->square(sample["C"]);
    EXPECT_TRUE(agree(C * velocity(state), theirs * velocity(state)));
    EXPECT_TRUE(agree(C + C.transpose(), theirs + theirs.transpose()));
  }
}

class ReferenceKinematics : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { reference = std::make_unique<ReferenceValues>(GetParam()); }
  std::unique_ptr<ReferenceValues> reference;
};
std::string kinematics_name(const testing::TestParamInfo<std::string>& test) {
  return test.param;
}
INSTANTIATE_TEST_SUITE_P(Tables, ReferenceKinematics, testing::ValuesIn(all_tables()),
                         kinematics_name);

// Equations: KHALIL 7.10, 7.13, 7.16, 7.19, 7.25a, 7.25b; JIN 34, 38; MR 9.24, 9.37, 9.49, 9.59.
TEST_P(ReferenceKinematics, Energies) {
  for (const Json& sample : reference->states()) {
    const State state = reference->at(sample);
    const double kinetic = sample["kinetic_energy"], potential = sample["potential_energy"];
    EXPECT_NEAR(kinetic_energy(state), kinetic, agreement * kinetic);
    EXPECT_NEAR(potential_energy(state), potential, agreement * std::abs(potential));
  }
}

class LastLink : public ReferenceKinematics {};
INSTANTIATE_TEST_SUITE_P(Tables, LastLink, testing::ValuesIn(generated()), kinematics_name);

// Equations: MR 9.36.
TEST_P(LastLink, Pose) {
  for (const Json& sample : reference->states()) {
    const Pose<double> X =
        frame_pose(reference->at(sample), reference->frame(reference->json["last_link"]));
    Matrix T = Matrix::Identity(4, 4);
    for (int k = 0; k < 9; ++k) T(k / 3, k % 3) = X.R.m[k];
    T.col(3) << X.p.x, X.p.y, X.p.z, 1;
    EXPECT_TRUE(agree(T, matrix(sample["ee_pose"])));
  }
}

// Compares the Jacobian of the last link. The rows of the table have the linear part first.
// Equations: MK 16.
TEST_P(LastLink, Jacobian) {
  for (const Json& sample : reference->states()) {
    const Matrix theirs = matrix(sample["J_last_local"]);
    Matrix expected(6, reference->model->n_v);
    for (Eigen::Index i = 0; i < theirs.cols(); ++i)
      expected.col(reference->column[i]) << theirs.col(i).tail(3), theirs.col(i).head(3);
    const Frame& last = reference->frame(reference->json["last_link"]);
    EXPECT_TRUE(agree(frame_jacobian(reference->at(sample), last), expected));
  }
}

class EveryLink : public ReferenceKinematics {};
INSTANTIATE_TEST_SUITE_P(Tables, EveryLink, testing::ValuesIn(published()), kinematics_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryLink);

// Checks the positions of all links, including fixed ones.
TEST_P(EveryLink, Position) {
  for (const Json& sample : reference->states()) {
    const State state = reference->at(sample);
    for (const auto& [name, position] : sample["link_positions"].items()) {
      const Vec3<double> p = frame_pose(state, reference->frame(name)).p;
      const Vector ours = Eigen::Vector3d(p.x, p.y, p.z), theirs = vector(position);
      // The scale is 1 m: the robots are about as large as humans.
      EXPECT_TRUE(close(ours, theirs, 1, agreement)) << name;
    }
  }
}

TEST_P(EveryLink, KeepsItsName) {
  std::vector<std::string> theirs, ours;
  for (const auto& [name, position] : reference->states()[0]["link_positions"].items())
    theirs.push_back(name);
  for (const Link& link : reference->model->links) ours.push_back(link.name);
  EXPECT_THAT(ours, testing::UnorderedElementsAreArray(theirs));
}

}  // namespace
}  // namespace torsor::test
