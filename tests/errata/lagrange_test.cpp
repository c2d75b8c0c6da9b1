// Misprints of RCFS and JIN (docs/errata.md): the printed formula is wrong, and the corrected one
// is right.

#include <gtest/gtest.h>

#include <numeric>

#include "errata/moving_robot.hpp"
#include "support/described_arm.hpp"

namespace torsor::test {
namespace {

// The planar chain of RCFS 109, in absolute angles: M~(h,k) = l_h l_k cos(q_h - q_k) sum m_j over
// j >= max(h, k).
struct PlanarChain {
  Vector l = Vector{{0.9, 0.7, 1.1, 0.5}}, m = Vector{{2, 1.5, 0.8, 1.2}},
         q = Vector{{0.3, -0.8, 1.9, 0.6}};
  double mass_beyond(Eigen::Index j) const { return m.tail(m.size() - j).sum(); }
  Matrix mass_matrix(const Vector& at) const {
    Matrix M(l.size(), l.size());
    for (Eigen::Index h = 0; h < l.size(); ++h)
      for (Eigen::Index k = 0; k < l.size(); ++k)
        M(h, k) = l[h] * l[k] * std::cos(at[h] - at[k]) * mass_beyond(std::max(h, k));
    return M;
  }
};

// The branch p = h of dM~(h,k)/dq_p sums over j >= k in print. It must sum over j >= h too, as the
// branch p = k does.
TEST(Rcfs, TheSlopeOfTheMassMatrixSumsOverBothLinks) {
  const PlanarChain chain;
  for (Eigen::Index h = 0; h < 4; ++h)
    for (Eigen::Index k = 0; k < 4; ++k) {
      if (h == k) continue;
      const double slope = derivative(
          [&](double t) { return chain.mass_matrix(chain.q + t * Vector::Unit(4, h))(h, k); });
      const double factor = -chain.l[h] * chain.l[k] * std::sin(chain.q[h] - chain.q[k]);
      EXPECT_NEAR(factor * chain.mass_beyond(std::max(h, k)), slope, 1e-10);
      const double printed = factor * chain.mass_beyond(k);
      EXPECT_EQ(std::abs(printed - slope) > 0.05, h > k) << h << k << ": " << printed - slope;
    }
}

class Lagrange : public testing::Test, public MovingRobot {
 protected:
  Lagrange() : MovingRobot(plain_chain(6, 41)) {}
  // Returns C_ij = sum_k h_ijk v_k with h_ijk = dM_ij/dq_k - dM_jk/dq_i / 2 (JIN 41), or with
  // Christoffel's symbols (JIN 46).
  Matrix coriolis(bool of_christoffel) const {
    const std::vector<Matrix> slopes = mass_matrix_slopes();
    Matrix C = Matrix::Zero(q.size(), q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i)
      for (Eigen::Index j = 0; j < q.size(); ++j)
        for (Eigen::Index k = 0; k < q.size(); ++k) {
          const double ij_k = slopes[size_t(k)](i, j), jk_i = slopes[size_t(i)](j, k),
                       ik_j = slopes[size_t(j)](i, k);
          C(i, j) += (of_christoffel ? (ij_k + ik_j - jk_i) / 2 : ij_k - jk_i / 2) * v[k];
        }
    return C;
  }
  Matrix mass_matrix_rate() const {
    return derivative([&](double t) { return dense(t).M; });
  }
};

// In the last equation, v^T B v / 2 - v^T C v = 0 needs dB/dt in place of B.
TEST_F(Lagrange, ThePowerOfTheCoriolisForcesNeedsTheRateOfB) {
  const Matrix C = coriolis(true);
  EXPECT_NEAR(v.dot(mass_matrix_rate() * v) / 2 - v.dot(C * v), 0, 1e-9);
  EXPECT_GT(std::abs(v.dot(dense().M * v) / 2 - v.dot(C * v)), 0.1);
}

// That v^T N v = 0 holds for every v does not make N = dB/dt - 2 C skew. With the h_ijk of JIN 41,
// it is not; with Christoffel's symbols, it is.
TEST_F(Lagrange, OnlyChristoffelsChoiceIsSkew) {
  for (const bool of_christoffel : {false, true}) {
    const Matrix N = mass_matrix_rate() - 2 * coriolis(of_christoffel);
    EXPECT_NEAR(v.dot(N * v), 0, 1e-9);
    EXPECT_EQ((N + N.transpose()).norm() < 1e-9, of_christoffel) << (N + N.transpose()).norm();
  }
}

// A generalised force xi has the power xi_i v_i, not xi_i q_i (nor is f^T q a work in MR).
TEST_F(Lagrange, PowerIsForceTimesVelocity) {
  const double power = derivative([&](double t) {
    const State state = at(t);
    return kinetic_energy(state) + potential_energy(state);
  });
  const Vector tau = dense().inverse(v, vdot);
  EXPECT_NEAR(tau.dot(v), power, 1e-8);
  EXPECT_GT(std::abs(tau.dot(q) - power), 0.1);
}

// A_ij is the second derivative of the energy with respect to the velocities, here by differences,
// which are exact for a quadratic function. Print has a first derivative divided by the other
// velocity.
TEST_F(Lagrange, TheMassMatrixIsTheSecondDerivativeByVelocities) {
  const Matrix M = dense().M;
  const auto energy = [&](const Vector& w) { return kinetic_energy(at(q, w)); };
  for (Eigen::Index i = 0; i < q.size(); ++i)
    for (Eigen::Index j = 0; j < q.size(); ++j) {
      const Vector a = Vector::Unit(q.size(), i), b = Vector::Unit(q.size(), j);
      EXPECT_NEAR(energy(v + a + b) - energy(v + a) - energy(v + b) + energy(v), M(i, j), 1e-12);
      const double slope = derivative([&](double t) { return energy(v + t * a); });
      EXPECT_GT(std::abs(slope / v[j] - M(i, j)), 1e-6);
    }
}

// The column of joint j in the Jacobian of a position is z_{j-1} x (p - o_{j-1}), or z_{j-1} for
// prismatic joints, in the standard DH convention. In the modified one, it has z_j and o_j.
TEST(DhConventions, TheAxisOfJointJIsThatOfFrameJMinus1OnlyInStandardRows) {
  Random random(42);
  for (const Description description : {Description::standard_dh, Description::modified_dh}) {
    RobotDescription robot = described_arm(description);
    // The links of the description have the frames of the convention.
    const auto model = build(robot);
    State state(model);
    state.set_q(random_values(random, model->n_v, 1.5));
    Frame point = model->frames[5];  // a point beside all axes
    point.X_BF = point.X_BF * translation<double>({0.3, 0.2, 0.1});
    const Eigen::MatrixXd J = frame_jacobian(state, point, Axes::world);
    const Vec3<double> p = frame_pose(state, point).p;
    const bool is_standard = description == Description::standard_dh;
    for (int j = 0; j < 6; ++j) {
      const auto column = [&](int frame) {
        const Pose<double> X =
            frame < 0 ? Pose<double>::identity() : frame_pose(state, model->frames[size_t(frame)]);
        const Vec3<double> z{X.R(0, 2), X.R(1, 2), X.R(2, 2)};
        const Vec3<double> c =
            arm_rows[size_t(j)].kind == JointKind::revolute ? cross(z, p - X.p) : z;
        return Eigen::Vector3d(c.x, c.y, c.z);
      };
      const Eigen::Vector3d exact = J.col(j).tail<3>();
      EXPECT_LT((column(is_standard ? j - 1 : j) - exact).norm(), 1e-13);
      // The axes of the last joint in both conventions are the same here, because the row has no
      // alpha and no a. So are those of the first.
      if (j > 0 && j < 5) {
        EXPECT_GT((column(is_standard ? j : j - 1) - exact).norm(), 1e-3);
      }
    }
  }
}

}  // namespace
}  // namespace torsor::test
