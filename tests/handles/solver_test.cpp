// Tests of quantities that the host derives: any sufficient subset of the functions of a plugin
// must give the same dynamics.

#include "torsor/handles/solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_state.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

struct Offer {
  const char* what;
  void (*remove)(torsor_solver&);
};

void only_inverse(torsor_solver& t) {
  t.forward = nullptr;
  t.mass_matrix = t.inverse_mass_matrix = t.coriolis_matrix = nullptr;
  t.gravity = t.bias = nullptr;
}
void only_forward(torsor_solver& t) {
  const auto forward = t.forward;
  only_inverse(t);
  t.inverse = nullptr;
  t.forward = forward;
}
void inverse_and_mass_matrix(torsor_solver& t) {
  const auto mass_matrix = t.mass_matrix;
  only_inverse(t);
  t.mass_matrix = mass_matrix;
}
void forward_and_inverse_mass_matrix(torsor_solver& t) {
  const auto inverse_mass_matrix = t.inverse_mass_matrix;
  only_forward(t);
  t.inverse_mass_matrix = inverse_mass_matrix;
}
void inverse_and_forward(torsor_solver& t) {
  const auto forward = t.forward;
  only_inverse(t);
  t.forward = forward;
}
void all_but_gravity(torsor_solver& t) {
  t.gravity = nullptr;
}
void all(torsor_solver&) {}

constexpr Offer offers[] = {{"only_inverse", only_inverse},
                            {"only_forward", only_forward},
                            {"inverse_and_mass_matrix", inverse_and_mass_matrix},
                            {"forward_and_inverse_mass_matrix", forward_and_inverse_mass_matrix},
                            {"inverse_and_forward", inverse_and_forward},
                            {"all_but_gravity", all_but_gravity},
                            {"all", all}};

class Derived : public testing::TestWithParam<Offer> {
 protected:
  Derived() {
    add_random_wrenches(random, state);
    torsor_solver table = dense_solver_table();
    GetParam().remove(table);
    solver = std::make_unique<Solver>(table_solver(table, model));
    flat = model->view();
    exact = std::make_unique<DenseDynamics>(flat, state.view());
  }
  Vector v() const { return Eigen::Map<const Vector>(state.v.data(), model->n_v); }
  Matrix square() const { return Matrix::Constant(model->n_v, model->n_v, -1); }

  Random random{3};
  std::shared_ptr<const Model> model = build(random_robot(8, Shape::tree, 3));
  State state = random_state(model, random);
  Vector given = Eigen::Map<const Vector>(random_values(random, 8, 5).data(), 8);
  Vector vector = Vector::Constant(8, -1);
  torsor_model flat;
  std::unique_ptr<Solver> solver;
  std::unique_ptr<DenseDynamics> exact;
};
INSTANTIATE_TEST_SUITE_P(Offers, Derived, testing::ValuesIn(offers),
                         [](const auto& offer) { return std::string(offer.param.what); });

TEST_P(Derived, Inverse) {
  ASSERT_TRUE(solver->inverse(state, given.data(), vector.data()));
  EXPECT_TRUE(agree(vector, exact->inverse(v(), given)));
}

// Equations: KHALIL 7.62, 7.63; MR 9.2, 9.89.
TEST_P(Derived, Forward) {
  ASSERT_TRUE(solver->forward(state, given.data(), vector.data()));
  const Vector bias = exact->inverse(v(), Vector::Zero(8));
  EXPECT_TRUE(satisfies_equation_of_motion(exact->M, vector, bias, given));
}

// Equations: KHALIL 7.64.
TEST_P(Derived, MassMatrix) {
  Matrix M = square();
  ASSERT_TRUE(solver->mass_matrix(state, M.data()));
  EXPECT_TRUE(agree(M, exact->M));
}

TEST_P(Derived, InverseMassMatrix) {
  Matrix Minv = square();
  ASSERT_TRUE(solver->inverse_mass_matrix(state, Minv.data()));
  const double allowed = 100 * condition(exact->M) * std::numeric_limits<double>::epsilon();
  EXPECT_TRUE(close(Minv * exact->M, Matrix::Identity(8, 8), 1, allowed));
}

TEST_P(Derived, CoriolisMatrix) {
  Matrix C = square();
  ASSERT_TRUE(solver->coriolis_matrix(state, C.data()));
  EXPECT_TRUE(agree(C * v(), exact->C * v()));
  EXPECT_TRUE(agree(C + C.transpose(), exact->C + exact->C.transpose()));
}

TEST_P(Derived, CoriolisMatrixAtRestIsZero) {
  state.v.assign(8, 0.0);
  Matrix C = square();
  ASSERT_TRUE(solver->coriolis_matrix(state, C.data()));
  EXPECT_EQ(C.norm(), 0);
}

TEST_P(Derived, Gravity) {
  ASSERT_TRUE(solver->gravity(state, vector.data()));
  EXPECT_TRUE(agree(vector, exact->g));
}

TEST_P(Derived, Bias) {
  ASSERT_TRUE(solver->bias(state, vector.data()));
  EXPECT_TRUE(agree(vector, exact->C * v() + exact->g));
}

// Checks that evaluate() writes the same numbers as the function of the quantity, and not more than
// its size.
TEST(Solver, EvaluatesAnyQuantity) {
  const auto model = build(random_robot(3, Shape::chain, 3));
  Solver solver = table_solver(dense_solver_table(), model);
  State state(model);
  state.set_q(std::vector<double>{0.3, -0.2, 0.5});
  state.v = {1, -2, 0.5};
  const std::vector<double> given = {0.5, 1, -1};
  const auto expect_same = [&](Quantity quantity, const auto& call) {
    std::vector<double> own(entries(quantity, 3)), out(own.size() + 1, -7.0);
    ASSERT_TRUE(call(own.data()));
    ASSERT_TRUE(solver.evaluate(quantity, state, given.data(), out.data()));
    EXPECT_EQ(out.back(), -7.0) << name(quantity);
    out.pop_back();
    EXPECT_EQ(out, own) << name(quantity);
  };
  using enum Quantity;
  expect_same(inverse, [&](double* x) { return solver.inverse(state, given.data(), x); });
  expect_same(forward, [&](double* x) { return solver.forward(state, given.data(), x); });
  expect_same(mass_matrix, [&](double* x) { return solver.mass_matrix(state, x); });
  expect_same(inverse_mass_matrix, [&](double* x) { return solver.inverse_mass_matrix(state, x); });
  expect_same(coriolis_matrix, [&](double* x) { return solver.coriolis_matrix(state, x); });
  expect_same(gravity, [&](double* x) { return solver.gravity(state, x); });
  expect_same(bias, [&](double* x) { return solver.bias(state, x); });
}

TEST(Solver, DistinguishesOfferedAndDerivedQuantities) {
  const auto model = build(random_robot(2, Shape::chain, 1));
  torsor_solver table = dense_solver_table();
  for (const Quantity quantity : all_quantities)
    EXPECT_EQ(table_solver(table, model).capability(quantity),
              quantity <= Quantity::bias ? Capability::offered : Capability::derived)
        << name(quantity);
  inverse_and_mass_matrix(table);
  for (const Quantity quantity : all_quantities) {
    const bool offered = quantity == Quantity::inverse || quantity == Quantity::mass_matrix;
    EXPECT_EQ(table_solver(table, model).capability(quantity),
              offered ? Capability::offered : Capability::derived)
        << name(quantity);
  }
}

// Checks a plugin that was built with an older, shorter table: the host does not read beyond its
// size.
TEST(Solver, DoesNotReadBeyondTheTable) {
  const auto model = build(random_robot(4, Shape::chain, 2));
  torsor_solver table = dense_solver_table();
  table.struct_size = offsetof(torsor_solver, mass_matrix);
  Solver solver = table_solver(table, model);
  EXPECT_EQ(solver.capability(Quantity::forward), Capability::offered);
  EXPECT_EQ(solver.capability(Quantity::mass_matrix), Capability::derived);
  EXPECT_EQ(solver.capability(Quantity::bias), Capability::derived);
}

TEST(Solver, KnowsItsNameAndModel) {
  const auto model = build(random_robot(2, Shape::chain, 1));
  const Solver solver = table_solver(dense_solver_table(), model);
  EXPECT_EQ(solver.id(), "solver.table");
  EXPECT_EQ(&solver.model(), model.get());
}

// Checks how the host derives M^-1 if the plugin offers forward and mass_matrix. For a tree of
// eight links, it uses M in one call. For a chain of 300 links this is not faster, so it uses
// forward.
TEST(Solver, DerivesTheInverseMassMatrixInTheFasterOfTwoForms) {
  static torsor_solver exact;
  static int forwards, matrices;
  exact = dense_solver_table();
  torsor_solver table = exact;
  table.inverse_mass_matrix = nullptr;
  table.forward = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                     const double* tau, double* work, double* vdot) -> torsor_status {
    ++forwards;
    if (m->n_v < 100) return exact.forward(p, m, s, tau, work, vdot);
    std::fill_n(vdot, m->n_v, 0.0);
    return TORSOR_OK;
  };
  table.mass_matrix = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                         double* work, double* M) -> torsor_status {
    ++matrices;
    return exact.mass_matrix(p, m, s, work, M);
  };
  const auto model = build(random_robot(8, Shape::tree, 3));
  Random random(3);
  const State state = random_state(model, random);
  Solver solver = table_solver(table, model), whole = table_solver(exact, model);
  Matrix Minv(8, 8), expected(8, 8);
  forwards = matrices = 0;
  ASSERT_TRUE(solver.inverse_mass_matrix(state, Minv.data()));
  EXPECT_EQ(forwards, 0);
  EXPECT_LE(matrices, 2) << "a debug build makes each call twice";
  EXPECT_GE(matrices, 1);
  ASSERT_TRUE(whole.inverse_mass_matrix(state, expected.data()));
  EXPECT_TRUE(close(Minv, expected, expected.cwiseAbs().maxCoeff(), 1e-9));

  const auto chain = build(random_robot(300, Shape::chain, 3));
  Solver long_chain = table_solver(table, chain);
  std::vector<double> out(300 * 300);
  forwards = matrices = 0;
  ASSERT_TRUE(long_chain.inverse_mass_matrix(State(chain), out.data()));
  EXPECT_GE(forwards, 300);
  EXPECT_EQ(matrices, 0);
}

// Checks invalid statuses of a solver. They report a body that the model does not have, or a
// singular mass matrix at a joint where it is regular.
TEST(Solver, AStatusWithAnInvalidBodyIsReported) {
  const auto model = build(random_robot(3, Shape::chain, 1));
  static torsor_status given;
  torsor_solver table = dense_solver_table();
  table.forward = [](const torsor_plugin*, const torsor_model*, const torsor_state*, const double*,
                     double*, double*) -> torsor_status { return given; };
  Solver solver = table_solver(table, model);
  const State state(model);
  const std::vector<double> tau(3);
  std::vector<double> vdot(3);
  const auto said = [&](torsor_status status) {
    given = status;
    return solver.explain(solver.forward(state, tau.data(), vdot.data()));
  };
  using testing::HasSubstr;
  EXPECT_THAT(said(TORSOR_STATUS(TORSOR_SINGULAR, 3)),
              testing::AllOf(HasSubstr("the mass matrix is not positive definite at joint"),
                             HasSubstr("the solver is wrong ('torsor compare' shows where)")));
  const char* const wrong = " at body 57, which is wrong: the model has bodies 1 to 3";
  EXPECT_THAT(said(TORSOR_STATUS(TORSOR_SINGULAR, 57)),
              testing::StartsWith(
                  std::string("solver 'solver.table' reports a singular mass matrix") + wrong));
  EXPECT_THAT(said(TORSOR_STATUS(TORSOR_SINGULAR, -2)), HasSubstr(" at body -2, which is wrong"));
  EXPECT_THAT(said(TORSOR_STATUS(TORSOR_SINGULAR, 0)), HasSubstr("the mass matrix is singular; "));
  EXPECT_THAT(said(TORSOR_STATUS(TORSOR_INTERNAL, 57)),
              testing::AllOf(HasSubstr("failed in forward"), HasSubstr(wrong)));
  EXPECT_THAT(said(TORSOR_STATUS(TORSOR_INTERNAL, 0)), testing::Not(HasSubstr("body")));
}

// Returns 1 for each joint if the state has poses, else 0.
torsor_status count_poses(const torsor_plugin*, const torsor_model* model,
                          const torsor_state* state, const double*, double*, double* tau) {
  std::fill_n(tau, model->n_v, state->X_PB ? 1.0 : 0.0);
  return TORSOR_OK;
}

TEST(Poses, AreOnlyForSolversThatReadThem) {
  const auto model = build(random_robot(2, Shape::chain, 3));
  torsor_solver table{};
  table.struct_size = sizeof table;
  table.inverse = count_poses;
  const double vdot[2] = {};
  double tau[2];
  for (const uint32_t ignores_poses : {0u, 1u}) {
    table.ignores_poses = ignores_poses;
    Solver solver = table_solver(table, model);
    EXPECT_TRUE(solver.inverse(State(model), vdot, tau));
    EXPECT_EQ(tau[0], ignores_poses ? 0 : 1);
  }
}

}  // namespace
}  // namespace torsor::test
