// Tests of the agreement rule just below and just above each tolerance, and of comparisons with a
// faulty solver.

#include "torsor/analysis/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random_state.hpp"
#include "support/table_solver.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr double eps = std::numeric_limits<double>::epsilon(),
                 inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");
using List = std::vector<double>;

Disagreement entries(const List& a, const List& b, double terms = 0, double allowed = agreement) {
  return compare_entries(a, b, terms, allowed);
}

TEST(AgreementRule, ToleranceIsRelativeToTheNormOfTheQuantity) {
  EXPECT_FALSE(entries({3, 4}, {3, 4 + 4.9e-10}).broken());  // the norm is 5
  EXPECT_TRUE(entries({3, 4}, {3, 4 + 5.1e-10}).broken());
  EXPECT_FALSE(entries({3e8, 4e8, 0}, {3e8, 4e8, 0.049}).broken());
  EXPECT_TRUE(entries({3e8, 4e8, 0}, {3e8, 4e8, 0.051}).broken());
  EXPECT_TRUE(entries({0, 4e-3}, {0, 4e-3 + 4.1e-13}).broken()) << "no floor of 1";
  EXPECT_NEAR(entries({3, 4}, {3, 4 + 5e-10}).value, 1e-10, 1e-15);
  EXPECT_NEAR(entries({3, 4}, {3, 4 + 5e-9}).fraction(), 10, 1e-5);
}

TEST(AgreementRule, IsTheSameEitherWay) {
  EXPECT_EQ(entries({1, 2}, {1, 3}).value, entries({1, 3}, {1, 2}).value);
}

TEST(AgreementRule, ZeroAgreesOnlyWithZero) {
  EXPECT_EQ(entries({0, 0}, {0, -0.0}).value, 0);
  EXPECT_TRUE(entries({0, 0}, {0, 1e-300}).broken());
  EXPECT_EQ(entries({}, {}).value, 0);
}

// Checks that the tolerance of a sum is at least 16 eps times the size of its terms, even if the
// sum vanishes.
TEST(AgreementRule, ToleranceOfAVanishingSumIsSixteenRoundingsOfItsTerms) {
  EXPECT_FALSE(entries({0, 0}, {0, 15 * eps * 7}, 7).broken());
  EXPECT_TRUE(entries({0, 0}, {0, 17 * eps * 7}, 7).broken());
  EXPECT_TRUE(entries({1, 0}, {1 + 1.1e-10, 0}, 7).broken())
      << "which is less than a sum that does not vanish";
}

TEST(AgreementRule, NonFiniteValuesNeverAgree) {
  for (const double bad : {nan, inf, -inf}) {
    for (const auto& [a, b] : {std::pair<List, List>{{1, bad}, {1, 1}}, {{bad, 1}, {bad, 1}}}) {
      EXPECT_EQ(entries(a, b).value, inf);
      EXPECT_TRUE(entries(a, b, 1, 1e300).broken());
      EXPECT_TRUE(compare_accelerations(a, b, 1).broken());
      EXPECT_TRUE(compare_motion(a, {b}, b).broken());
    }
    EXPECT_TRUE(compare_inverse(List{bad}, List{1}, 1).broken());
  }
  EXPECT_TRUE(entries({1e300, 1e300}, {-1e300, 1e300}).broken());
  EXPECT_FALSE(entries({1e-200, 0}, {1e-200, 0.9e-310}).broken()) << "squares would underflow";
}

TEST(AgreementRule, ToleranceOfAccelerationsGrowsWithTheCondition) {
  const auto off = [](double error, double cond) {
    return compare_accelerations(List{3, 4}, List{3, 4 + 5 * error}, cond);
  };
  EXPECT_FALSE(off(0.9e-10, 1).broken());
  EXPECT_TRUE(off(1.1e-10, 1).broken());
  EXPECT_TRUE(off(1.1e-10, 4e4).broken()) << "10 cond eps is less";
  EXPECT_FALSE(off(9 * 1e8 * eps, 1e8).broken());
  EXPECT_TRUE(off(11 * 1e8 * eps, 1e8).broken());
  for (const double cond : {nan, inf}) EXPECT_TRUE(off(1.1e-10, cond).broken());
  EXPECT_FALSE(compare_accelerations(List{0}, List{15 * eps * 3}, 1, 3).broken());
  EXPECT_TRUE(compare_accelerations(List{0}, List{17 * eps * 3}, 1, 3).broken());
}

TEST(AgreementRule, ToleranceOfTheEquationOfMotionIsRelativeToItsLargestTerm) {
  for (const double error : {0.9e-7, 1.1e-7}) {
    const bool broken = error > 1e-7;
    EXPECT_EQ(compare_motion(List{1e3}, List{-1e3 + error}, List{0}).broken(), broken);
    EXPECT_EQ(compare_motion(List{1e3}, List{0}, List{1e3 + error}).broken(), broken);
    EXPECT_EQ(compare_motion(List{error}, List{1e3}, List{1e3}).broken(), broken);
  }
}

TEST(AgreementRule, AnInverseTimesItsMatrixIsOne) {
  const List M{2, 1, 1, 5};
  const auto inverse_off = [&](double error, double cond) {
    return compare_inverse(M, List{5. / 9 + error / 2, -1. / 9, -1. / 9, 2. / 9}, cond);
  };
  EXPECT_FALSE(inverse_off(0.9e-10, 5).broken());
  EXPECT_TRUE(inverse_off(1.1e-10, 5).broken());
  EXPECT_FALSE(inverse_off(9e9 * eps, 1e9).broken());
  EXPECT_TRUE(inverse_off(11e9 * eps, 1e9).broken());
}

// Checks that the size of the terms is an upper bound of the norm of their sum. Also checks that 16
// eps times this size is below the relative tolerance if the sum does not vanish.
TEST(TermSizes, BoundTheSumsClosely) {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model =
        build(random_robot(seed < 4 ? 7 : 25, seed % 2 ? Shape::chain : Shape::tree, seed));
    State state = random_state(model, random);
    add_random_wrenches(random, state);
    const List vdot = random_values(random, model->n_v, 5);
    const torsor_model flat = model->view();
    const DenseDynamics exact(flat, state.view());
    const Vector v = Eigen::Map<const Vector>(state.v.data(), model->n_v);
    const Vector a = Eigen::Map<const Vector>(vdot.data(), model->n_v);
    TermSizes sizes(*model);
    const auto bounds = [](double size, double norm) {
      EXPECT_GE(size, norm);
      EXPECT_LT(16 * eps / agreement * size, norm);
    };
    bounds(sizes.torque(state, {state.v, vdot, true, true}), exact.inverse(v, a).norm());
    bounds(sizes.torque(state, {state.v, {}}), (exact.C * v).norm());
    bounds(sizes.torque(state, {{}, vdot}), (exact.M * a).norm());
    bounds(sizes.torque(state, {{}, {}, true}), exact.g.norm());
    bounds(sizes.torque(state, {{}, {}, false, true}), exact.load.norm());
    bounds(sizes.coriolis(state), exact.C.colwise().norm().maxCoeff());
  }
}

// Fixture: a random robot and two solvers, the dense closed form and one with a fault.
class ComparedSolvers : public testing::Test {
 protected:
  Comparison compare(const torsor_solver& other,
                     const torsor_solver& first = dense_solver_table()) {
    std::vector<Solver> solvers;
    solvers.push_back(table_solver(first, model));
    solvers.push_back(table_solver(other, model));
    Comparison comparison(std::move(solvers));
    comparison.ask(state, vdot, tau);
    return comparison;
  }
  std::vector<std::string> broken(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const Compared quantity : all_compared) {
      EXPECT_EQ(comparison.between(0, 1, quantity).broken(),
                comparison.between(1, 0, quantity).broken());
      if (comparison.between(0, 1, quantity).broken()) names.push_back(name(quantity));
    }
    return names;
  }
  std::vector<std::string> broken(const torsor_solver& other) { return broken(compare(other)); }

  Random random{11};
  std::shared_ptr<const Model> model = build(random_robot(6, Shape::tree, 11));
  State state = random_state(model, random);
  List vdot = random_values(random, 6, 5), tau = random_values(random, 6, 50);
};

using Names = std::vector<std::string>;

torsor_solver only(torsor_solver table, bool inverse, bool forward) {
  table.mass_matrix = table.inverse_mass_matrix = table.coriolis_matrix = nullptr;
  table.gravity = table.bias = nullptr;
  if (!inverse) table.inverse = nullptr;
  if (!forward) table.forward = nullptr;
  return table;
}

TEST_F(ComparedSolvers, DerivedQuantitiesAgreeWithOfferedOnes) {
  EXPECT_EQ(broken(dense_solver_table()), Names{});
  EXPECT_EQ(broken(only(dense_solver_table(), true, false)), Names{});
  EXPECT_EQ(broken(only(dense_solver_table(), false, true)), Names{});
  state.set_gravity({0, 0, 0});
  state.v.assign(6, 0.0);
  EXPECT_EQ(broken(only(dense_solver_table(), true, false)), Names{}) << "at rest";
}

// Wrap a function of the dense solver and add a relative error of 1e-6: to a vector, or to the
// first row of a matrix.
using Vec = const double*;
template <auto member>
torsor_status slightly_wrong(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                             Vec in, double* work, double* out) {
  const torsor_status status = (dense_solver_table().*member)(p, m, s, in, work, out);
  for (int k = 0; k < m->n_v; ++k) out[k] *= 1 + 1e-6;
  return status;
}
template <auto member>
torsor_status slightly_wrong(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                             double* work, double* out) {
  const torsor_status status = (dense_solver_table().*member)(p, m, s, work, out);
  for (int k = 0; k < m->n_v; ++k) out[k] *= 1 + 1e-6;
  return status;
}
template <auto member>
torsor_solver wrong() {
  torsor_solver table = dense_solver_table();
  table.*member = slightly_wrong<member>;
  return table;
}

TEST_F(ComparedSolvers, EachWrongQuantityIsDetected) {
  EXPECT_EQ(broken(wrong<&torsor_solver::gravity>()), Names{"g"});
  EXPECT_EQ(broken(wrong<&torsor_solver::bias>()), Names{"bias"});
  EXPECT_EQ(broken(wrong<&torsor_solver::forward>()), (Names{"vdot", "motion"}));
  EXPECT_EQ(broken(wrong<&torsor_solver::inverse_mass_matrix>()), Names{"Minv"});
  EXPECT_EQ(broken(wrong<&torsor_solver::coriolis_matrix>()), (Names{"Cv", "Mdot"}));
  EXPECT_EQ(broken(wrong<&torsor_solver::mass_matrix>()), (Names{"motion", "M", "Minv"}));
  EXPECT_EQ(broken(wrong<&torsor_solver::inverse>()), (Names{"tau", "motion"}));
}

// Returns C + N with N v = 0 and N skew-symmetric: another factorisation of the same dynamics.
torsor_status other_factor(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                           double* work, double* C) {
  const torsor_status status = dense_solver_table().coriolis_matrix(p, m, s, work, C);
  const double N[3][3] = {{0, -s->v[2], s->v[1]}, {s->v[2], 0, -s->v[0]}, {-s->v[1], s->v[0], 0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i * m->n_v + j] += N[i][j];
  return status;
}
torsor_status wrong_sign(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                         double* work, double* C) {
  const torsor_status status = dense_solver_table().coriolis_matrix(p, m, s, work, C);
  for (int i = 0; i < m->n_v; ++i)
    for (int j = 0; j < i; ++j) std::swap(C[i * m->n_v + j], C[j * m->n_v + i]);
  return status;
}
TEST_F(ComparedSolvers, FactorisationsOfCMayDiffer) {
  torsor_solver table = dense_solver_table();
  table.coriolis_matrix = other_factor;
  EXPECT_EQ(broken(table), Names{});
  table.coriolis_matrix = wrong_sign;
  EXPECT_EQ(broken(table), Names{"Cv"});
}

torsor_status fails(const torsor_plugin*, const torsor_model*, const torsor_state*, double*,
                    double*) {
  return TORSOR_INTERNAL;
}
TEST_F(ComparedSolvers, AFailureIsADisagreementWithItsReason) {
  torsor_solver table = dense_solver_table();
  table.gravity = fails;
  const Comparison one = compare(table);
  EXPECT_EQ(broken(one), Names{"g"});
  EXPECT_EQ(one.between(0, 1, compared("g")).value, inf);
  EXPECT_EQ(one.failure(0, compared("g")), "");
  EXPECT_THAT(one.failure(1, compared("g")), HasSubstr("failed"));
  EXPECT_EQ(broken(compare(table, table)), Names{"g"}) << "two that fail say nothing";
}

// Checks a link without inertia: M is singular at its joint. Both solvers must agree in the
// quantities that exist. The others must be reported as singular.
TEST_F(ComparedSolvers, AgreeThatAMassMatrixIsSingular) {
  RobotDescription robot = random_robot(4, Shape::chain, 2);
  for (LinkDescription& link : robot.links)
    if (link.name == "link3") {
      link.inertia = SpatialInertia<double>::zero();
      link.joint.armature = 0;
    }
  model = build(robot);
  state = random_state(model, random);
  vdot = random_values(random, 4, 5), tau = random_values(random, 4, 5);
  const torsor_solver inverse_alone = only(dense_solver_table(), true, false);
  const Comparison same = compare(inverse_alone, inverse_alone);
  EXPECT_EQ(broken(same), Names{});
  for (const Compared quantity : {compared("vdot"), compared("motion"), compared("Minv")})
    EXPECT_TRUE(same.between(0, 1, quantity).singular) << name(quantity);
  EXPECT_FALSE(same.between(0, 1, compared("M")).singular);
  // This solver returns an acceleration although M is singular.
  torsor_solver numbers = inverse_alone;
  numbers.forward = [](const torsor_plugin*, const torsor_model* m, const torsor_state*, Vec,
                       double*, double* out) {
    std::fill_n(out, m->n_v, 1.0);
    return torsor_status(TORSOR_OK);
  };
  EXPECT_THAT(broken(compare(numbers, inverse_alone)), testing::Contains("vdot"));
  // This solver reports every forward dynamics as singular, so the host cannot derive M from it.
  torsor_solver forward_alone = only(dense_solver_table(), false, true);
  forward_alone.forward = [](const torsor_plugin*, const torsor_model* m, const torsor_state*, Vec,
                             double*, double*) {
    return torsor_status(TORSOR_STATUS(TORSOR_SINGULAR, m->n_body - 1));
  };
  const int body = model->joints[model->joint("joint3")].body;
  const bool last = body == model->n_body - 1;
  EXPECT_EQ(broken(compare(forward_alone, inverse_alone)).empty(), last);
  EXPECT_EQ(compare(forward_alone, inverse_alone).between(0, 1, compared("M")).singular, last);
}

LinkDescription link_on(const std::string& name, const std::string& parent, JointKind kind,
                        const SpatialInertia<double>& inertia) {
  LinkDescription link;
  link.name = name;
  link.parent = parent;
  link.joint.name = "joint of " + name;
  link.joint.kind = kind;
  link.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  link.inertia = inertia;
  return link;
}

// Returns the gravity of the dense solver with an error of this many roundings. The exact torque
// about a vertical axis is zero.
template <int roundings>
torsor_status rounded_gravity(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                              double* work, double* g) {
  const torsor_status status = dense_solver_table().gravity(p, m, s, work, g);
  // The scale is m g c, with the distance c of the COM from the origin.
  g[0] += roundings * eps * 9.81 * std::hypot(m->inertia_B[11], m->inertia_B[12], m->inertia_B[13]);
  return status;
}
TEST_F(ComparedSolvers, ATurntableAgreesButForRounding) {
  RobotDescription robot;
  robot.name = "turntable";
  robot.links = {link_on("table", "", JointKind::revolute, random_inertia(random, 0.5, 3))};
  model = build(robot);
  state = State(model);
  vdot = {0}, tau = {0};
  torsor_solver table = dense_solver_table();
  table.gravity = rounded_gravity<8>;
  EXPECT_EQ(broken(table), Names{});
  table.gravity = rounded_gravity<1000>;
  EXPECT_EQ(broken(table), Names{"g"});
}

// Checks a light prismatic joint that carries a body 1e8 times heavier. M derived from M^-1 loses
// half of its digits.
TEST_F(ComparedSolvers, ToleranceOfADerivedMassMatrixGrowsWithTheCondition) {
  const auto body = [](double mass) {
    return inertia_about_com(mass, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  };
  RobotDescription robot;
  robot.name = "slides";
  robot.links = {link_on("light", "", JointKind::prismatic, body(1.1)),
                 link_on("heavy", "light", JointKind::prismatic, body(1.3e8))};
  model = build(robot);
  state = State(model);
  vdot = {1.7, -0.3}, tau = {2.1, 0.9};
  const Comparison comparison =
      compare(only(dense_solver_table(), false, true), only(dense_solver_table(), true, false));
  EXPECT_EQ(broken(comparison), Names{});
  const Disagreement M = comparison.between(0, 1, compared("M"));
  EXPECT_GT(M.value, agreement) << "the case is none";
  EXPECT_GT(M.allowed, 1e-7);
  EXPECT_LT(M.allowed, 1e-5);
}

}  // namespace
}  // namespace torsor::test
