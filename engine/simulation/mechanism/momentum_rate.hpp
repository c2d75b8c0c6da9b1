#pragma once
// The part of the rate of the generalised momentum p = M v that is due to the change of M.
//
// H_i is the momentum of all bodies that joint i moves, in the axes of body i about its origin, and
// F_i its rate in space at vdot = 0:
//   H_i = I_i V_i + sum Ad(X_BC)^T H_C                      over the child bodies C
//   F_i = I_i A_i - ad(V_i)^T I_i V_i + sum Ad(X_BC)^T F_C
// The screws S of joint i are constant in body i, and the components of H_i change at the rate
// F_i + ad(V_i)^T H_i:
//   p = S^T H_i,   Mdot v = S^T (F_i + ad(V_i)^T H_i)

#include <vector>

#include "torsor/mechanics/state.hpp"

namespace torsor {

class MomentumRate {
 public:
  explicit MomentumRate(const Model& model) : bodies_(size_t(model.n_body)) {}

  // Adds Mdot v of the bodies at the state to out [n_v]. Does not allocate.
  void add(const State& state, double* out);

 private:
  struct Body {
    Twist<double> V, A;
    Wrench<double> H, F;
  };
  std::vector<Body> bodies_;
};

}  // namespace torsor
