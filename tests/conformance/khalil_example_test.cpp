// Tests of KHALIL's Example 7.1: A and Q of the first three links of the Staeubli RX-90 for any
// inertial parameters, as printed. C follows from the derivatives of A by its definition 7.7.
//
// The derivatives use a complex step. A is analytic, so Im A(q + i h e_k) / h equals dA/dq_k to
// rounding if h^2 is negligible compared with 1.

#include <gtest/gtest.h>

#include <array>
#include <complex>

#include "conformance/solvers.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

using Matrix3 = Eigen::Matrix3d;
using Vector3 = Eigen::Vector3d;

struct Link3 {
  double M, MX, MY, MZ, XX, XY, XZ, YY, YZ, ZZ, IA;
};

class ExampleArm {
 public:
  explicit ExampleArm(const RobotDescription& robot) {
    for (size_t j = 0; j < 3; ++j) {
      const SpatialInertia<double>& it = robot.links[j].inertia;
      link_[j] = {it.m,
                  it.h.x,
                  it.h.y,
                  it.h.z,
                  it.I.xx,
                  it.I.xy,
                  it.I.xz,
                  it.I.yy,
                  it.I.yz,
                  it.I.zz,
                  robot.links[j].joint.armature.all};
    }
    D3_ = std::get<ModifiedDh>(robot.links[2].joint.placement).d;
  }

  template <class T>
  Eigen::Matrix<T, 3, 3> A(const Eigen::Matrix<T, 3, 1>& q) const {
    const auto& [one, two, three] = link_;
    const T S2 = sin(q[1]), C2 = cos(q[1]), S3 = sin(q[2]), C3 = cos(q[2]);
    const T S23 = sin(q[1] + q[2]), C23 = cos(q[1] + q[2]);
    const T A11 = one.IA + one.ZZ + S2 * S2 * two.XX + 2.0 * C2 * S2 * two.XY + C2 * C2 * two.YY +
                  S23 * S23 * three.XX + 2.0 * C23 * S23 * three.XY + C23 * C23 * three.YY +
                  2.0 * C2 * C23 * D3_ * three.MX - 2.0 * C2 * S23 * D3_ * three.MY +
                  C2 * C2 * D3_ * D3_ * three.M;
    const T A12 = S2 * two.XZ + C2 * two.YZ + S23 * three.XZ + C23 * three.YZ - S2 * D3_ * three.MZ;
    const T A13 = S23 * three.XZ + C23 * three.YZ;
    const T A22 = two.IA + two.ZZ + three.ZZ + 2.0 * C3 * D3_ * three.MX -
                  2.0 * S3 * D3_ * three.MY + D3_ * D3_ * three.M;
    const T A23 = three.ZZ + C3 * D3_ * three.MX - S3 * D3_ * three.MY;
    const T A33 = three.IA + three.ZZ;
    Eigen::Matrix<T, 3, 3> out;
    out << A11, A12, A13, A12, A22, A23, A13, A23, A33;
    return out;
  }

  // Returns Q. G3 is the component of gravity along z0: -9.81 if z0 points up.
  Vector3 Q(const Vector3& q, double G3) const {
    const auto& [one, two, three] = link_;
    const double S2 = sin(q[1]), C2 = cos(q[1]), S23 = sin(q[1] + q[2]), C23 = cos(q[1] + q[2]);
    return {
        0, -G3 * (C2 * two.MX - S2 * two.MY + C23 * three.MX - S23 * three.MY + D3_ * C2 * three.M),
        -G3 * (C23 * three.MX - S23 * three.MY)};
  }

  // Returns C (KHALIL 7.7):
  //   C_ij = sum_k c_ijk qd_k, c_ijk = 1/2 (dA_ij/dq_k + dA_ik/dq_j - dA_jk/dq_i)
  Matrix3 C(const Vector3& q, const Vector3& qd) const {
    const double h = 1e-30;
    std::array<Matrix3, 3> dA;
    for (int k = 0; k < 3; ++k) {
      Eigen::Vector3cd there = q.cast<std::complex<double>>();
      there[k] += std::complex<double>(0, h);
      dA[size_t(k)] = A(there).imag() / h;
    }
    Matrix3 out = Matrix3::Zero();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          out(i, j) +=
              (dA[size_t(k)](i, j) + dA[size_t(j)](i, k) - dA[size_t(i)](j, k)) / 2 * qd[k];
    return out;
  }

 private:
  std::array<Link3, 3> link_;
  double D3_;
};

class KhalilExample : public testing::TestWithParam<std::string> {
 protected:
  void expect_printed_formulae(const RobotDescription& robot) {
    const auto model = build(robot);
    const ExampleArm arm(robot);
    TestSolver solver(GetParam(), model);
    for (const double G3 : {-9.81, 1.62}) {
      State state = random_state(model, random);
      state.set_gravity({0, 0, G3});
      const Vector3 q = to_vector({state.q().begin(), state.q().end()}), qd = to_vector(state.v);
      const Vector3 qdd = to_vector(random_values(random, 3, 5));
      const Matrix A = arm.A(q);
      const Matrix3 C = arm.C(q, qd);
      const Vector Q = arm.Q(q, G3), bias = C * qd + Q, tau = A * qdd + bias;
      const Matrix ours = solver.coriolis_matrix(state);
      EXPECT_TRUE(agree(solver.mass_matrix(state), A));
      EXPECT_TRUE(agree(solver.gravity(state), Q));
      EXPECT_TRUE(agree(solver.bias(state), bias));
      EXPECT_TRUE(agree(ours * qd, C * qd));
      EXPECT_TRUE(agree(ours + ours.transpose(), C + C.transpose()));
      EXPECT_TRUE(agree(solver.inverse(state, qdd), tau));
      EXPECT_TRUE(agree_acceleration(solver.forward(state, tau), qdd, A));
    }
  }
  static RobotDescription first_three_links(RxParameters parameters) {
    RobotDescription robot = rx90(stored_table("rx90.json"), parameters);
    robot.links.resize(3);
    return robot;
  }

  Random random{71};
};
INSTANTIATE_TEST_SUITE_P(Solvers, KhalilExample, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST_P(KhalilExample, StandardParameters) {
  expect_printed_formulae(first_three_links(RxParameters::standard));
}

TEST_P(KhalilExample, BaseParameters) {
  expect_printed_formulae(first_three_links(RxParameters::base));
}

// Checks general parameters. The links of the table are symmetric, so that most of their products
// of inertia and MZ are zero.
// Equations: KHALIL 7.4a, 7.6.
TEST_P(KhalilExample, GeneralParameters) {
  RobotDescription robot = first_three_links(RxParameters::standard);
  for (LinkDescription& link : robot.links) {
    link.inertia = random_inertia(random, 0.3, 8);
    link.joint.armature = random.uniform(0, 1);
  }
  expect_printed_formulae(robot);
}

}  // namespace
}  // namespace torsor::test
