#pragma once
// Tools for forces: frames that are fixed to bodies, their motion, and the forces on them.

#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor::sdk {

struct Frame {
  int body = 0;
  Pose<double> X_BF = Pose<double>::identity();
};
inline Frame frame(const torsor_frame& f) {
  return {f.body, *reinterpret_cast<const Pose<double>*>(f.X_BF)};
}

// The motion of a frame F: its pose X_WF, the velocity v of its origin and its angular velocity w,
// in world axes.
struct Motion {
  Pose<double> X;
  Vec3<double> v, w;
};
inline Motion motion(const torsor_kinematics& kinematics, const Frame& F) {
  const Pose<double> X = reinterpret_cast<const Pose<double>*>(kinematics.X_WB)[F.body] * F.X_BF;
  const Twist<double> V_F =
      inverse_transform(F.X_BF, reinterpret_cast<const Twist<double>*>(kinematics.V_WB_B)[F.body]);
  return {X, X.R * V_F.v, X.R * V_F.w};
}
// Returns the velocity of the body point at p. p and the velocity are in world axes.
inline Vec3<double> velocity(const Motion& at, const Vec3<double>& p) {
  return at.v + cross(at.w, p - at.X.p);
}

// Adds a force f at the point p to the wrench on the body of F. f and p are in world axes.
inline void push_at(torsor_force_out& out, const Frame& F, const Motion& at, const Vec3<double>& p,
                    const Vec3<double>& f) {
  const Wrench<double> F_F{transpose_times(at.X.R, cross(p - at.X.p, f)),
                           transpose_times(at.X.R, f)};
  Wrench<double>& F_B = reinterpret_cast<Wrench<double>*>(out.F_B)[F.body];
  F_B = F_B + transform(F.X_BF, F_F);
}

// Checks in prepare() that the user named at least one frame. Throws bad_argument otherwise.
inline void require_frames(const std::vector<Frame>& frames, const std::string& name) {
  if (frames.empty()) throw bad_argument("'" + name + "' is empty; name at least one frame");
}
// Extends a parameter to one value per frame, in prepare(). A single value applies to all frames.
// An empty list means `none` for all frames. Throws bad_argument for any other number of values.
inline void fit(std::vector<double>& values, size_t frames, const std::string& name, double none) {
  if (values.empty()) values = {none};
  if (values.size() == 1) values.resize(frames, values[0]);
  if (values.size() != frames)
    throw bad_argument("'" + name + "' has " + std::to_string(values.size()) + " values for " +
                       std::to_string(frames) + " frames; give one value, or one for each");
}

}  // namespace torsor::sdk
