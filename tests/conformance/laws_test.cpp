// Tests of laws that every robot obeys in every state. No reference values are needed.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "conformance/random_case.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

class Laws : public RandomRobot {
 protected:
  // Returns the state after it has moved for a time h at constant velocities v.
  State along(double h) const {
    State next = state;
    std::vector<double> q(state.q().begin(), state.q().end());
    integrate(*model, q.data(), state.v.data(), h, q.data());
    next.set_q(q);
    return next;
  }
};
TORSOR_ON_RANDOM_ROBOTS(Laws);

TEST_P(Laws, ForwardInvertsInverse) {
  add_random_wrenches(random, state);
  const Vector vdot = random_vector(5), tau = solver.inverse(state, vdot);
  EXPECT_TRUE(agree_acceleration(solver.forward(state, tau), vdot, solver.mass_matrix(state)));
}

TEST_P(Laws, InverseInvertsForward) {
  add_random_wrenches(random, state);
  const Vector tau = random_vector(50), vdot = solver.forward(state, tau);
  const Matrix M = solver.mass_matrix(state);
  const Vector bias = solver.inverse(state, Vector::Zero(model->n_v));
  EXPECT_TRUE(satisfies_equation_of_motion(M, vdot, bias, tau));
  const double scale = std::max({(M * vdot).norm(), bias.norm(), tau.norm()});
  EXPECT_TRUE(close(solver.inverse(state, vdot), tau, scale, agreement));
}

TEST_P(Laws, MassMatrixIsSymmetricPositiveDefinite) {
  const Matrix M = solver.mass_matrix(state);
  EXPECT_TRUE(agree(M, M.transpose()));
  EXPECT_GT(eigenvalues(M).minCoeff(), 0);
}

// The reference is Cholesky's factorisation of M. The entries of M M^-1 - 1 have no bound in
// cond(M) alone: the rounding errors of M exceed eps |M_ij|, and its entries have different units.
TEST_P(Laws, InverseMassMatrixIsTheInverse) {
  const Matrix M = solver.mass_matrix(state), Minv = solver.inverse_mass_matrix(state);
  EXPECT_TRUE(agree_inverse(Minv, M.llt().solve(Matrix::Identity(M.rows(), M.cols())), M));
  EXPECT_TRUE(agree(Minv, Minv.transpose()));
}

// Checks tau = M vdot + C v + g and bias = C v + g.
// Equations: KHALIL 9.2.
TEST_P(Laws, TheEquationOfMotionIsTheSumOfItsTerms) {
  const Vector vdot = random_vector(5), v = velocity(state);
  const Vector inertial = solver.mass_matrix(state) * vdot,
               coriolis = solver.coriolis_matrix(state) * v;
  const Vector g = solver.gravity(state), bias = solver.bias(state);
  const double scale = std::max({inertial.norm(), coriolis.norm(), g.norm()});
  EXPECT_TRUE(close(coriolis + g, bias, scale, agreement));
  EXPECT_TRUE(close(inertial + coriolis + g, solver.inverse(state, vdot), scale, agreement));
}

// Checks that Mdot - 2C is skew-symmetric: C + C^T must equal the derivative of M along v. The
// error of central differences must be of second order.
TEST_P(Laws, MdotMinus2CIsSkew) {
  const Matrix C = solver.coriolis_matrix(state), Mdot = C + C.transpose();
  const auto error = [&](double h) {
    return ((solver.mass_matrix(along(h)) - solver.mass_matrix(along(-h))) / (2 * h) - Mdot).norm();
  };
  const double scale = solver.mass_matrix(state).norm();
  EXPECT_LT(error(1e-4), 1e-5 * scale);
  const double coarse = error(1e-2), fine = error(5e-3);
  // If M does not depend on q, both errors are rounding, and the order cannot be measured.
  if (fine > 1e-9 * scale) {
    EXPECT_NEAR(observed_order(coarse, fine), 2, 0.1);
  }
}

// Checks that d/dt (kinetic + potential energy) is the power of torques and wrenches. The reference
// is central differences along the motion; their error must be of second order.
TEST_P(Laws, PowerBalance) {
  add_random_wrenches(random, state);
  const Vector tau = random_vector(20), vdot = solver.forward(state, tau), v = velocity(state);
  double power = tau.dot(v);
  std::vector<Twist<double>> V(size_t(model->n_body));
  body_twists(state, V);
  for (size_t i = 0; i < V.size(); ++i) power += dot(V[i], state.F_B()[i]);
  const double energy = kinetic_energy(state) + std::abs(potential_energy(state));
  // Time scale of the motion: an acceleration a changes v by |v| within |v|/|a|.
  const double slow = v.norm() / (v.norm() + vdot.norm());
  const auto error = [&](double h) {
    double E[2];
    for (const int side : {0, 1}) {
      const double t = side ? h : -h;
      State at = along(t);
      for (size_t k = 0; k < at.v.size(); ++k) at.v[k] += t * vdot[Eigen::Index(k)];
      E[side] = kinetic_energy(at) + potential_energy(at);
    }
    return std::abs((E[1] - E[0]) / (2 * h) - power);
  };
  const double coarse = error(1e-2 * slow), fine = error(5e-3 * slow);
  EXPECT_LT(error(1e-4 * slow), 1e-4 * (std::abs(power) + energy / slow));
  if (fine > 1e-8 * energy / slow) {
    EXPECT_NEAR(observed_order(coarse, fine), 2, 0.2);
  }
}

// Checks that gravity torques are the derivatives of the potential energy along each dof, for two
// fields.
// Equations: KHALIL 7.8.
TEST_P(Laws, GravityIsTheGradientOfThePotential) {
  for (const Vec3<double>& field : {Vec3<double>{0, 0, -9.81}, Vec3<double>{3, -7, 1}}) {
    state.set_gravity(field);
    const Vector g = solver.gravity(state);
    const double h = 1e-5;
    for (int k = 0; k < model->n_v; ++k) {
      State there = state;
      double U[2];
      for (const int side : {0, 1}) {
        std::vector<double> q(state.q().begin(), state.q().end());
        const Vector unit = Vector::Unit(model->n_v, k);
        integrate(*model, q.data(), unit.data(), side ? h : -h, q.data());
        there.set_q(q);
        U[side] = potential_energy(there);
      }
      EXPECT_NEAR((U[1] - U[0]) / (2 * h), g[k],
                  1e-8 * (g.norm() + std::abs(potential_energy(state))))
          << "column " << k;
    }
  }
}

}  // namespace
}  // namespace torsor::test
