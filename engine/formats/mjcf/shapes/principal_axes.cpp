#include "torsor/formats/mjcf/shapes/principal_axes.hpp"

#include <cmath>
#include <utility>

namespace torsor::mjcf {

namespace {

// The accuracy of MuJoCo: of a product of inertia, kg m^2, and of the cosine of an angle.
constexpr double accuracy = 1e-12;

// Returns R^T I R.
Mat3<double> in_axes(const Mat3<double>& R, const Sym3<double>& I) {
  const Mat3<double> full{{I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz}};
  return transpose(R) * full * R;
}

// Returns the row and column of the largest product of inertia. The last one wins a tie.
std::pair<int, int> largest(const Mat3<double>& D) {
  const double xy = std::abs(D(0, 1)), xz = std::abs(D(0, 2)), yz = std::abs(D(1, 2));
  if (xy > xz && xy > yz) return {0, 1};
  if (xz > yz) return {0, 2};
  return {1, 2};
}

// Turns the columns r and c of R by the angle whose tangent is t and whose cosine is k.
void turn(Mat3<double>& R, int r, int c, double t, double k) {
  for (int row = 0; row < 3; ++row) {
    const double a = R(row, r), b = R(row, c);
    R(row, r) = k * (a - t * b);
    R(row, c) = k * (b + t * a);
  }
}

// Exchanges the axes a and b = a + 1. The new axis b is reversed, so that they stay right-handed.
void exchange(PrincipalAxes& out, int a) {
  std::swap(out.moments[size_t(a)], out.moments[size_t(a) + 1]);
  for (int row = 0; row < 3; ++row) {
    std::swap(out.axes(row, a), out.axes(row, a + 1));
    out.axes(row, a + 1) = -out.axes(row, a + 1);
  }
}

}  // namespace

// Jacobi's method: the rotation of axes r and c by tan(2 angle) = 2 D_rc / (D_cc - D_rr) makes D_rc
// zero. The smaller of both solutions is t = 1 / (tau + sqrt(1 + tau^2)) for tau >= 0.
PrincipalAxes principal_axes(const Sym3<double>& I) {
  PrincipalAxes out{{}, Mat3<double>::identity()};
  constexpr int most_rotations = 500;
  for (int k = 0; k < most_rotations; ++k) {
    const Mat3<double> D = in_axes(out.axes, I);
    out.moments = {D(0, 0), D(1, 1), D(2, 2)};
    const auto [r, c] = largest(D);
    if (!(std::abs(D(r, c)) >= accuracy)) break;
    const double tau = (D(c, c) - D(r, r)) / (2 * D(r, c));
    const double root = std::sqrt(1 + tau * tau);
    const double t = tau >= 0 ? 1 / (tau + root) : -1 / (root - tau);
    const double cosine = 1 / std::sqrt(1 + t * t);
    if (cosine > 1 - accuracy) break;
    turn(out.axes, r, c, t, cosine);
  }
  for (const int a : {0, 1, 0})
    if (out.moments[size_t(a)] < out.moments[size_t(a) + 1]) exchange(out, a);
  return out;
}

Sym3<double> PrincipalAxes::inertia() const {
  return rotate(axes, Sym3<double>{moments[0], moments[1], moments[2], 0, 0, 0});
}

}  // namespace torsor::mjcf
