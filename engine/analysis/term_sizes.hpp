#pragma once
// Bounds of the magnitudes of the terms in the equations of motion, for estimates of rounding
// errors. A sum of terms that cancel can be zero, such as the torque of gravity about a vertical
// axis. Its rounding error is relative to its terms, not to the sum.

#include <span>
#include <vector>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Recursive Newton-Euler (MR 9.53-9.57) with magnitudes: every vector and matrix is replaced by a
// bound of its magnitude, and every difference by a sum.
class TermSizes {
 public:
  explicit TermSizes(const Model& model);

  struct Motion {
    std::span<const double> v, vdot;  // [n_v]; empty: at rest, not accelerated
    bool gravity = false, wrenches = false;
  };
  // Returns the 2-norm of bounds of the terms of tau for this motion, at the poses and under the
  // gravity of the state. No allocation.
  double torque(const State& state, const Motion& motion);
  // Returns a bound of the terms of C, for v of the state. C v is quadratic in v. With every |v_j|
  // set to the largest one, s, the bound of torque() is at least s times that of a column of C.
  double coriolis(const State& state);

 private:
  struct Column {
    double w, v;  // |omega|, |v| of the screw
  };
  struct Inertia {
    double m, h, t;  // mass, |first moment|, trace
  };
  struct Body {
    double w, u, alpha, a;  // twist and its rate: angular and linear part
    double n, f;            // moment and force of all that the joint carries
  };
  void outward(const State& state, const Motion& motion);
  double inward(const State& state, const Motion& motion);

  std::vector<Column> column_;
  std::vector<Inertia> inertia_;
  std::vector<Body> body_;
  std::vector<double> fastest_;
};

}  // namespace torsor
