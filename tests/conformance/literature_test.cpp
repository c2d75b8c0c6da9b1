// Tests of robots from the literature, described in C++ with their published numbers. The expected
// joint torques were computed with 90 digits.

#include <gtest/gtest.h>

#include "conformance/solvers.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

class Literature : public testing::TestWithParam<std::string> {
 protected:
  // Checks inverse(qdd) = tau and forward(tau) = qdd.
  void expect_torques(const std::shared_ptr<const Model>& model, const State& state,
                      const Json& sample, const Vector& tau) {
    TestSolver solver(GetParam(), model);
    const Vector qdd = vector(sample["qdd"]), vdot = solver.forward(state, tau);
    const Matrix M = solver.mass_matrix(state);
    EXPECT_TRUE(agree(solver.inverse(state, qdd), tau));
    EXPECT_TRUE(satisfies_equation_of_motion(M, vdot, tau - M * qdd, tau));
    // If qdd is zero, there is no scale for the error of the acceleration.
    if (qdd.norm() > 0) {
      EXPECT_TRUE(agree_acceleration(vdot, qdd, M));
    }
  }

  static State at(const std::shared_ptr<const Model>& model, const Json& sample,
                  const Vec3<double>& gravity) {
    State state(model);
    state.set_q(to_list(vector(sample["q"])));
    state.v = to_list(vector(sample["qd"]));
    state.set_gravity(gravity);
    return state;
  }

  void rx90_table(const Json& table, RxParameters parameters) {
    const auto model = build(rx90(table, parameters));
    const Frame& tool = model->frames[size_t(model->frame("link6"))];
    for (const Json& sample : table["samples"]) {
      State state = at(model, sample, {0, 0, -9.81});
      // (F, C) is the force and moment BY the link ON the environment.
      const Vector F = vector(sample["F"]), C = vector(sample["C"]);
      state.add_wrench(tool, {{-C[0], -C[1], -C[2]}, {-F[0], -F[1], -F[2]}});
      expect_torques(model, state, sample, vector(sample["GAM"]));
    }
  }

  void iiwa_table(const Json& table) {
    const auto model = build(iiwa(table));
    const Frame& tool = model->frames[size_t(model->frame("link7"))];
    for (const Json& sample : table["samples"]) {
      State state = at(model, sample, {0, 0, -9.80665});
      expect_torques(model, state, sample, vector(sample["tau_phys"]));
      // (moment, force) BY the link ON the environment.
      const Vector W = vector(sample["wrench"]);
      state.add_wrench(tool, {{-W[0], -W[1], -W[2]}, {-W[3], -W[4], -W[5]}});
      expect_torques(model, state, sample, vector(sample["tau_phys_wrench"]));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, Literature, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST_P(Literature, Rx90StandardParameters) {
  rx90_table(stored_table("rx90.json"), RxParameters::standard);
}

TEST_P(Literature, Rx90BaseParameters) {
  rx90_table(stored_table("rx90.json"), RxParameters::base);
}

// Equations: MR 9.81; MK 1.
TEST_P(Literature, Iiwa) {
  iiwa_table(stored_table("iiwa_second_order.json"));
}

// Checks that the two parameter sets of the RX-90 have the same M, bias and gravity. The energies
// of single links may differ.
TEST_P(Literature, Rx90ParameterSetsHaveTheSameDynamics) {
  const Json table = stored_table("rx90.json");
  const auto standard = build(rx90(table, RxParameters::standard)),
             base = build(rx90(table, RxParameters::base));
  TestSolver a(GetParam(), standard), b(GetParam(), base);
  for (const Json& sample : table["samples"]) {
    const State s = at(standard, sample, {0, 0, -9.81}), t = at(base, sample, {0, 0, -9.81});
    EXPECT_TRUE(agree(b.mass_matrix(t), a.mass_matrix(s)));
    EXPECT_TRUE(agree(b.bias(t), a.bias(s)));
    EXPECT_TRUE(agree(b.gravity(t), a.gravity(s)));
  }
}

}  // namespace
}  // namespace torsor::test
