// Tests of each quantity of the solvers, offered or derived, by a law of mechanics. There is one
// law for each row of the table of quantities.

#include <gtest/gtest.h>

#include <set>

#include "conformance/random_case.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

struct At {
  Solver& solver;
  const State& state;
  Vector vdot;

  // Returns a quantity in a state (the same position; the velocity may differ) for a given vdot or
  // tau, as n_v rows.
  Matrix ask(Quantity quantity, const State& there, const Vector& given) const {
    const Eigen::Index n = Eigen::Index(state.v.size());
    Matrix out(n, Eigen::Index(entries(quantity, size_t(n))) / n);
    const Status status = solver.evaluate(quantity, there, given.data(), out.data());
    EXPECT_TRUE(bool(status)) << name(quantity) << ": " << solver.explain(status);
    return out;
  }
  Matrix ask(Quantity quantity) const { return ask(quantity, state, vdot); }
  Matrix product(Quantity quantity) const { return ask(quantity) * velocity(state); }
};

// An equation that a quantity must satisfy. `sides` computes both sides and the size of the terms.
struct Law {
  Quantity quantity;
  const char* statement;
  double allowed;  // tolerance relative to the size of the terms
  void (*sides)(const At&, Matrix& left, Matrix& right, double& size);
};

constexpr Law laws[] = {
    {Quantity::inverse, "tau is affine in vdot with slope M", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       const Matrix inertial = at.ask(Quantity::mass_matrix) * at.vdot,
                    rest = at.ask(Quantity::inverse, at.state, 0 * at.vdot);
       left = at.ask(Quantity::inverse);
       right = inertial + rest;
       size = inertial.norm() + rest.norm();
     }},
    {Quantity::forward, "inverse dynamics undoes it", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       const Vector tau = at.vdot, vdot = at.ask(Quantity::forward, at.state, tau);
       left = at.ask(Quantity::inverse, at.state, vdot);
       right = tau;
       size = tau.norm() + (at.ask(Quantity::mass_matrix) * vdot).norm() +
              at.ask(Quantity::inverse, at.state, 0 * tau).norm();
     }},
    {Quantity::mass_matrix, "v.M v/2 is the kinetic energy", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       left = velocity(at.state).transpose() * at.product(Quantity::mass_matrix) / 2;
       right = Matrix::Constant(1, 1, kinetic_energy(at.state));
       size = at.ask(Quantity::mass_matrix).norm() * velocity(at.state).squaredNorm();
     }},
    {Quantity::inverse_mass_matrix, "M^-1 M v = v", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       left = at.ask(Quantity::inverse_mass_matrix) * at.product(Quantity::mass_matrix);
       right = velocity(at.state);
       size = condition(at.ask(Quantity::mass_matrix)) * 1e-5 + right.norm();
     }},
    {Quantity::coriolis_matrix, "Mdot = C + C^T, from central differences of M", 1e-6,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       const double h = 1e-5;
       const auto M = [&](double t) {
         State there = at.state;
         std::vector<double> q(at.state.q().begin(), at.state.q().end());
         integrate(there.model(), q.data(), at.state.v.data(), t, q.data());
         there.set_q(q);
         return at.ask(Quantity::mass_matrix, there, at.vdot);
       };
       const Matrix C = at.ask(Quantity::coriolis_matrix);
       left = (M(h) - M(-h)) / (2 * h);
       right = C + C.transpose();
       size = M(0).norm() * velocity(at.state).norm();
     }},
    {Quantity::gravity, "g is the bias at rest", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       State rest = at.state;
       rest.v.assign(rest.v.size(), 0.0);
       left = at.ask(Quantity::gravity);
       right = at.ask(Quantity::bias, rest, at.vdot);
       size = right.norm();
     }},
    {Quantity::bias, "b = C v + g", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       const Matrix Cv = at.product(Quantity::coriolis_matrix), g = at.ask(Quantity::gravity);
       left = at.ask(Quantity::bias);
       right = Cv + g;
       size = Cv.norm() + g.norm();
     }},
    {Quantity::christoffel_symbols, "G_ijk v_j v_k = C v", agreement,
     [](const At& at, Matrix& left, Matrix& right, double& size) {
       const Eigen::Index n = Eigen::Index(at.state.v.size());
       Matrix G = at.ask(Quantity::christoffel_symbols);
       const Vector inner = Eigen::Map<const Matrix>(G.data(), n * n, n) * velocity(at.state);
       left = Eigen::Map<const Matrix>(inner.data(), n, n) * velocity(at.state);
       right = at.product(Quantity::coriolis_matrix);
       size = G.norm() * velocity(at.state).squaredNorm();
     }},
};

TEST(QuantityLaws, EveryQuantityHasALaw) {
  std::set<Quantity> stated;
  for (const Law& law : laws) stated.insert(law.quantity);
  for (const Quantity quantity : all_quantities)
    EXPECT_TRUE(stated.contains(quantity)) << name(quantity) << " has no law in this file";
}

class QuantityLaw : public testing::TestWithParam<std::tuple<std::string, RobotCase>> {};

TEST_P(QuantityLaw, Holds) {
  const RobotCase& robot = std::get<1>(GetParam());
  Random random(70 + robot.seed);
  const auto model = build(described(robot));
  const State state = random_state(model, random);
  TestSolver asked(std::get<0>(GetParam()), model);
  const At at{asked.solver(), state, to_vector(random_values(random, model->n_v, 5))};
  for (const Law& law : laws) {
    Matrix left, right;
    double size = 0;
    law.sides(at, left, right, size);
    EXPECT_TRUE(close(left, right, size, law.allowed))
        << name(law.quantity) << ": " << law.statement;
  }
}
INSTANTIATE_TEST_SUITE_P(Random, QuantityLaw,
                         testing::Combine(testing::ValuesIn(solver_ids()),
                                          testing::Values(RobotCase{1, Shape::chain, 1},
                                                          RobotCase{6, Shape::chain, 2},
                                                          RobotCase{12, Shape::tree, 3})),
                         random_case_name);
INSTANTIATE_TEST_SUITE_P(Planar, QuantityLaw,
                         testing::Combine(testing::ValuesIn(solver_ids("planar_n_link")),
                                          testing::ValuesIn(planar_cases)),
                         random_case_name);

}  // namespace
}  // namespace torsor::test
