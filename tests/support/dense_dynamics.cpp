#include "support/dense_dynamics.hpp"

namespace torsor::test {

namespace {
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Matrix3 skew(const Vector3& a) {
  Matrix3 A;
  A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return A;
}
Matrix6 blocks(const Matrix3& a, const Matrix3& b, const Matrix3& c, const Matrix3& d) {
  Matrix6 A;
  A.topLeftCorner<3, 3>() = a;
  A.topRightCorner<3, 3>() = b;
  A.bottomLeftCorner<3, 3>() = c;
  A.bottomRightCorner<3, 3>() = d;
  return A;
}
// Returns Ad(X)^-1 of a pose X of 12 numbers.
Matrix6 inverse_adjoint(const double* X) {
  const Matrix3 Rt = Eigen::Map<const Matrix3>(X).transpose();
  return blocks(Rt, Matrix3::Zero(), -Rt * skew(Eigen::Map<const Vector3>(X + 9)), Rt);
}
Matrix6 ad(const Vector6& V) {
  return blocks(skew(V.head<3>()), Matrix3::Zero(), skew(V.tail<3>()), skew(V.head<3>()));
}
// Returns the 6x6 inertia of the parameters m, m c, Ixx Iyy Izz Ixy Ixz Iyz.
Matrix6 inertia(const double* p) {
  Matrix3 I;
  I << p[4], p[7], p[8], p[7], p[5], p[9], p[8], p[9], p[6];
  const Matrix3 h = skew(Eigen::Map<const Vector3>(p + 1));
  return blocks(I, h, -h, p[0] * Matrix3::Identity());
}
}  // namespace

DenseDynamics::DenseDynamics(const torsor_model& model, const torsor_state& state) {
  const int n = 6 * (model.n_body - 1), n_v = model.n_v;
  const Eigen::Map<const Vector> v(state.v, n_v);
  D = Mb = a = b = Matrix::Zero(n, n);
  X = Matrix::Zero(n, n_v);
  from_world = Matrix::Zero(n, 6);
  Vector F = Vector::Zero(n);
  for (int i = 1; i < model.n_body; ++i) {
    const int row = 6 * (i - 1), p = model.parent[i], first = model.v_index[i],
              count = model.v_count[i];
    const Matrix6 to_body = inverse_adjoint(state.X_PB + 12 * i);
    if (p == 0)
      from_world.middleRows<6>(row) = to_body;
    else
      D.block<6, 6>(row, 6 * (p - 1)) = to_body;
    for (int k = first; k < first + count; ++k)
      X.block<6, 1>(row, k) = Eigen::Map<const Vector6>(model.S_B + 6 * k);
    a.block<6, 6>(row, row) = ad(X.middleRows<6>(row) * v);
    Mb.block<6, 6>(row, row) = inertia(model.inertia_B + 10 * i);
    if (state.F_B) F.segment<6>(row) = Eigen::Map<const Vector6>(state.F_B + 6 * i);
  }
  // D is strictly lower triangular, because parents come first.
  A = (Matrix::Identity(n, n) - D).triangularView<Eigen::UnitLower>().solve(Matrix::Identity(n, n));
  J = A * X;
  V = J * v;
  for (int row = 0; row < n; row += 6) b.block<6, 6>(row, row) = ad(V.segment<6>(row));
  Jdot = A * (a * (X - J));
  M = J.transpose() * (Mb * J);
  M.diagonal() += Eigen::Map<const Vector>(model.armature, n_v);
  C = J.transpose() * (Mb * Jdot + Mb * (b * J) - b.transpose() * (Mb * J));
  g = J.transpose() * (Mb * (A * (from_world * Eigen::Map<const Vector6>(state.A_W))));
  load = J.transpose() * F;
}

}  // namespace torsor::test
