#pragma once
// Numbers and rotations as text, for the writers of robot files.

#include <string>

#include "torsor/spatial/inertia.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor::exporting {

// Returns the shortest decimal number that reads back as the same double; "0" for -0.
std::string number(double x);

// Returns the text of a number that was computed, and is known up to an absolute error: the
// shortest decimal number within this error if it is shorter than number(x) by at least three
// characters, otherwise number(x). 0.30000000000000004 becomes 0.3.
std::string rounded(double x, double error);

// Returns the entries of a vector, rounded relative to the largest of them, separated by a string.
std::string rounded(const Vec3<double>& x, const char* separator);
// Returns the entries of a vector without rounding.
std::string numbers(const Vec3<double>& x, const char* separator);

// Returns the angles roll, pitch and yaw with R = Rz(yaw) Ry(pitch) Rx(roll), up to rounding for
// every R, also if pitch is +-pi/2. Then yaw and roll are not unique.
Vec3<double> roll_pitch_yaw(const Mat3<double>& R);
// Returns the text of these angles, rounded to the errors of a rotation matrix.
std::string angle(double x);
std::string angles(const Mat3<double>& R, const char* separator);

bool is_identity(const Mat3<double>& R);
bool is_zero(const Vec3<double>& x);
bool is_identity(const Pose<double>& X);

// The inertia of a link about its centre of mass, in the axes of the link frame, and the largest
// rounding error of the moments.
struct ComInertia {
  double mass;
  Vec3<double> com;
  Sym3<double> I;
  double error;
};
// Returns the inertia about the centre of mass. Without mass, com is 0 and I is that about the
// origin.
ComInertia about_com(const SpatialInertia<double>& M);

}  // namespace torsor::exporting
