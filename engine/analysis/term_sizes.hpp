#pragma once
// How large the numbers are that the dynamics of one state add up: what their sum is rounded by. A
// torque that vanishes, as that of gravity about a vertical axis, has no size of its own to compare
// a rounding error with.

#include <span>
#include <vector>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Recursive Newton-Euler (MR 9.53-9.57) with every vector and matrix replaced by a bound of its
// magnitude and every difference by a sum.
class TermSizes {
 public:
  explicit TermSizes(const Model& model);

  struct Motion {
    std::span<const double> v, vdot;  // [n_v]; empty: at rest, not accelerated
    bool gravity = false, wrenches = false;
  };
  // 2-norm of bounds of the terms of tau in this motion, at the state's pose and in its field. No
  // allocation.
  double torque(const State& state, const Motion& motion);
  // ... of C, for the state's v: torque(v) is a quadratic form, C v, so with every |v_j| at the
  // largest, s, its bound is at least s times that of a column of C.
  double coriolis(const State& state);

 private:
  struct Column {
    double w, v;  // |omega|, |v| of the screw
  };
  struct Inertia {
    double m, h, t;  // mass, |first moment|, trace
  };
  struct Body {
    double w, u, alpha, a;  // of the twist and its rate: angular, linear
    double n, f;            // moment and force, of all that the joint carries
  };
  void outward(const State& state, const Motion& motion);
  double inward(const State& state, const Motion& motion);

  std::vector<Column> column_;
  std::vector<Inertia> inertia_;
  std::vector<Body> body_;
  std::vector<double> fastest_;
};

}  // namespace torsor
