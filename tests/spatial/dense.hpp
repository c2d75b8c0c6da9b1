#pragma once
// The objects of engine/spatial as dense matrices, written from the definitions without shared
// code. Also the sample values with which every law is tested.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <sstream>
#include <string>
#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/spatial/inertia.hpp"

namespace torsor::test {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using LongMatrix4 = Eigen::Matrix<long double, 4, 4>;

inline Eigen::Vector3d dense(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
inline Eigen::Matrix3d dense(const Mat3<double>& A) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(A.m);
}
inline Eigen::Matrix3d dense(const Sym3<double>& A) {
  return Eigen::Matrix3d{{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}};
}
inline Vector6 dense(const Twist<double>& V) {
  return Vector6{{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}};
}
inline Vector6 dense(const Wrench<double>& F) {
  return Vector6{{F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}};
}
inline Eigen::Matrix4d dense(const Pose<double>& X) {
  Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
  T.topLeftCorner<3, 3>() = dense(X.R);
  T.topRightCorner<3, 1>() = dense(X.p);
  return T;
}
template <class Derived>
double max_abs(const Eigen::MatrixBase<Derived>& A) {
  return A.cwiseAbs().maxCoeff();
}
inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  return Eigen::Matrix3d{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
}
// Returns [R 0; p~ R R]   (MK 18).
inline Matrix6 adjoint(const Pose<double>& X) {
  Matrix6 A = Matrix6::Zero();
  A.topLeftCorner<3, 3>() = A.bottomRightCorner<3, 3>() = dense(X.R);
  A.bottomLeftCorner<3, 3>() = skew(dense(X.p)) * dense(X.R);
  return A;
}
// Returns [I h~; -h~ m 1].
inline Matrix6 dense(const SpatialInertia<double>& M) {
  Matrix6 A;
  A.topLeftCorner<3, 3>() = dense(M.I);
  A.topRightCorner<3, 3>() = skew(dense(M.h));
  A.bottomLeftCorner<3, 3>() = -skew(dense(M.h));
  A.bottomRightCorner<3, 3>() = M.m * Eigen::Matrix3d::Identity();
  return A;
}

// Returns the exponential of the 4x4 matrix A of a twist in extended precision: the Taylor series
// of A / 64, squared six times.
inline LongMatrix4 long_exp(const Twist<double>& V) {
  LongMatrix4 A = LongMatrix4::Zero();
  A.topLeftCorner<3, 3>() = skew(dense(V.w)).cast<long double>();
  A.topRightCorner<3, 1>() = dense(V.v).cast<long double>();
  A /= 64;
  LongMatrix4 sum = LongMatrix4::Identity(), term = sum;
  for (int k = 1; k <= 24; ++k) sum += term = LongMatrix4(term * A / k);
  for (int k = 0; k < 6; ++k) sum = LongMatrix4(sum * sum);
  return sum;
}

// Returns rotation angles up to and including pi. Zero, angles whose squares underflow, and both
// sides of the switch of the series are among them.
inline std::vector<double> sample_angles() {
  const double at_switch = std::sqrt(1.5);
  std::vector<double> angles{
      0,      1e-200, 1e-16,  1e-8,    1e-4,        1e-2, 0.5, at_switch - 1e-12, at_switch + 1e-12,
      M_PI_2, 3,      3.1415, 3.14159, M_PI - 1e-8, M_PI};
  Random random(7);
  for (int k = 0; k < 8; ++k) angles.push_back(random.uniform(0, M_PI));
  return angles;
}

// Returns unit vectors: along the axes in both senses, near the axes, and random ones.
inline std::vector<Vec3<double>> sample_directions() {
  std::vector<Vec3<double>> out;
  for (const double s : {1.0, -1.0}) {
    out.push_back({s, 0, 0});
    out.push_back({0, s, 0});
    out.push_back({0, 0, s});
    for (const double small : {1e-300, 1e-17, 1e-9, 1e-5, 1e-2}) {
      const double rest = s * std::sqrt(1 - small * small);
      out.push_back({small, 0, rest});
      out.push_back({0, -small, rest});
      out.push_back({rest, small, 0});
    }
  }
  Random random(11);
  for (int k = 0; k < 20; ++k) out.push_back(random.direction());
  return out;
}

// Returns twists with all sample angles and directions, and a random linear part of size 2.
inline std::vector<Twist<double>> sample_twists() {
  std::vector<Twist<double>> out;
  Random random(13);
  for (const double angle : sample_angles())
    for (const Vec3<double>& e : sample_directions()) out.push_back({angle * e, random.vector(2)});
  return out;
}

inline std::string text(const Twist<double>& V) {
  std::ostringstream out;
  out.precision(17);
  out << dense(V).transpose();
  return out.str();
}

}  // namespace torsor::test
