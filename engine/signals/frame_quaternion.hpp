#pragma once
// Quaternions whose sign is continuous along a motion. A rotation has two quaternions, +Q and -Q.
// Selecting the one with w >= 0 would cause a jump when the rotation passes half a turn.

#include "torsor/mechanics/state.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

// Returns q or -q, whichever is nearer to `to`.
inline Quaternion nearer(const Quaternion& q, const Quaternion& to) {
  const double cosine = q.w * to.w + q.x * to.x + q.y * to.y + q.z * to.z;
  return cosine < 0 ? Quaternion{-q.w, -q.x, -q.y, -q.z} : q;
}

// Returns the orientation of a frame in the world. Its sign is that of the product of the
// quaternions of the joints along the path to the frame, each a continuous function of q. The
// result therefore depends only on q, and is bit-identical when a state is replayed.
Quaternion frame_quaternion(const State& state, const Frame& frame);

}  // namespace torsor
