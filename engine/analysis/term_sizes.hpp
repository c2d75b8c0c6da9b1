#pragma once
// Upper bounds of the terms in the equations of motion, for estimates of rounding errors. The
// rounding error of a sum is relative to the size of its terms. The sum itself may be zero because
// the terms cancel, such as the torque of gravity about a vertical axis.

#include <span>
#include <vector>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Recursive Newton-Euler (MR 9.53-9.57) for magnitudes: every vector and matrix is replaced by a
// bound of its norm, and every difference by a sum.
class TermSizes {
 public:
  explicit TermSizes(const Model& model);

  struct Motion {
    std::span<const double> v, vdot;  // [n_v]; empty means zero
    bool gravity = false, wrenches = false;
  };
  // Returns the 2-norm of the bounds of the terms of tau for this motion. Uses the poses, the
  // gravity and the wrenches of the state. Does not allocate.
  double torque(const State& state, const Motion& motion);
  // Returns an upper bound of the terms in any column of C at the velocity v of the state: torque()
  // / s for |v_j| = s of all dof, where s is the largest |v_j|. This is a bound because C v
  // is quadratic in v.
  double coriolis(const State& state);

 private:
  struct Column {
    double w, v;  // norms of the angular and the linear part of the screw
  };
  struct Inertia {
    double m, h, t;  // mass, norm of the first moment, trace of the inertia
  };
  struct Body {
    double w, u, alpha, a;  // bounds of |omega|, |v|, |omegadot|, |vdot|
    double n, f;            // bounds of moment and force at the joint
  };
  void outward(const State& state, const Motion& motion);
  double inward(const State& state, const Motion& motion);

  std::vector<Column> column_;
  std::vector<Inertia> inertia_;
  std::vector<Body> body_;
  std::vector<double> fastest_;
};

}  // namespace torsor
