#pragma once
// The rates of MuJoCo. Its qvel of a free joint is (R v, omega), Torsor's v is the body-fixed twist
// (omega, v). With qvel = T v: M_v = T^T M T, tau_v = T^T tau, and with qacc = T vdot + Tdot v
//   bias_v = T^T (bias + M Tdot v),   Tdot v = (R (omega x v), 0)

#include "support/agreement.hpp"
#include "torsor/model/model.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test {

// Returns T [n_v x n_v] at q.
inline Matrix rates_map(const Model& model, const Vector& q) {
  Matrix T = Matrix::Identity(model.n_v, model.n_v);
  for (const Joint& joint : model.joints) {
    if (joint.kind != JointKind::floating) continue;
    const double* x = &q[joint.q_index];
    const Mat3<double> R = rotation(x[3], x[4], x[5], x[6]);
    T.block(joint.v_index, joint.v_index, 6, 6).setZero();
    for (int i = 0; i < 3; ++i) {
      T(joint.v_index + 3 + i, joint.v_index + i) = 1;
      for (int k = 0; k < 3; ++k) T(joint.v_index + i, joint.v_index + 3 + k) = R(i, k);
    }
  }
  return T;
}

// Returns Tdot v [n_v].
inline Vector rates_map_rate(const Model& model, const Vector& q, const Vector& v) {
  Vector out = Vector::Zero(model.n_v);
  for (const Joint& joint : model.joints) {
    if (joint.kind != JointKind::floating) continue;
    const double *x = &q[joint.q_index], *w = &v[joint.v_index];
    const Vec3<double> a = rotation(x[3], x[4], x[5], x[6]) *
                           cross(Vec3<double>{w[0], w[1], w[2]}, {w[3], w[4], w[5]});
    out.segment(joint.v_index, 3) << a.x, a.y, a.z;
  }
  return out;
}

}  // namespace torsor::test
