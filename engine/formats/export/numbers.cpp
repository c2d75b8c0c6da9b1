#include "torsor/formats/export/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "torsor/model/inertia.hpp"

namespace torsor::exporting {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double largest(const Vec3<double>& x) {
  return std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
}

}  // namespace

std::string number(double x) {
  return x == 0 ? "0" : fmt::format("{}", x);
}

std::string rounded(double x, double error) {
  const std::string exact = number(x);
  if (std::abs(x) <= error) return "0";
  for (int digits = 1; digits < 16; ++digits) {
    const std::string text = fmt::format("{:.{}g}", x, digits);
    double near = 0;
    std::from_chars(text.data(), text.data() + text.size(), near);
    if (std::abs(near - x) > error) continue;
    std::string out = number(near);
    return out.size() + 3 <= exact.size() ? out : exact;
  }
  return exact;
}

std::string numbers(const Vec3<double>& x, const char* separator) {
  return number(x.x) + separator + number(x.y) + separator + number(x.z);
}

std::string rounded(const Vec3<double>& x, const char* separator) {
  const double error = 4 * epsilon * largest(x);
  return rounded(x.x, error) + separator + rounded(x.y, error) + separator + rounded(x.z, error);
}

// The first two columns of R give yaw and pitch. Roll follows from the second row of Rz(-yaw) R,
// which is (0, cos(roll), -sin(roll)) for every pitch. Near pitch = +-pi/2, an error of yaw is
// compensated by roll, so that the product stays exact.
Vec3<double> roll_pitch_yaw(const Mat3<double>& R) {
  const double* r = R.m;
  const double yaw = r[0] == 0 && r[3] == 0 ? 0 : std::atan2(r[3], r[0]);
  const double s = std::sin(yaw), c = std::cos(yaw);
  const double pitch = std::atan2(-r[6], c * r[0] + s * r[3]);
  const double roll = std::atan2(s * r[2] - c * r[5], c * r[4] - s * r[1]);
  return {roll, pitch, yaw};
}

std::string angle(double x) {
  return rounded(x, 4 * epsilon);
}

std::string angles(const Mat3<double>& R, const char* separator) {
  const Vec3<double> rpy = roll_pitch_yaw(R);
  return angle(rpy.x) + separator + angle(rpy.y) + separator + angle(rpy.z);
}

bool is_identity(const Mat3<double>& R) {
  const Mat3<double> one = Mat3<double>::identity();
  return std::equal(R.m, R.m + 9, one.m);
}
bool is_zero(const Vec3<double>& x) {
  return x.x == 0 && x.y == 0 && x.z == 0;
}
bool is_identity(const Pose<double>& X) {
  return is_identity(X.R) && is_zero(X.p);
}

ComInertia about_com(const SpatialInertia<double>& M) {
  const Sym3<double>& O = M.I;
  const double size = std::max({std::abs(O.xx), std::abs(O.yy), std::abs(O.zz), std::abs(O.xy),
                                std::abs(O.xz), std::abs(O.yz)});
  if (!(M.m > 0)) return {M.m, {0, 0, 0}, M.I, epsilon * size};
  const Vec3<double> c = (1 / M.m) * M.h;
  const double moment = M.m * dot(c, c);
  return {M.m, c, inertia_about_com(-M.m, c, M.I).I, 4 * epsilon * (size + moment)};
}

}  // namespace torsor::exporting
