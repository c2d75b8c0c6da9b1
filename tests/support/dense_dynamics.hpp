#pragma once
// The dynamics of a tree as products of the block matrices of MK. There is no recursion and no code
// shared with the engine. Its only input is the flat arrays that a plugin gets. For a world at rest
// (V_W = 0):
//
//   A = (I - D)^-1,  D_{i, parent} = Ad(X_PB)^-1
//   J = A X,  X = diag(S)                            MK 16, 23
//   Jdot = A a X - A a J                             MK 19-20
//   a = diag(ad_{S v}),  b = diag(ad_V)
//   M = J^T Mb J + armature
//   C = J^T (Mb Jdot + (Mb b - b^T Mb) J)            MK 29
//   g = J^T Mb U A_W,  U = A Ad(X_W)^-1,  load = J^T F    MK 32-34

#include "support/agreement.hpp"
#include "torsor/sdk/torsor_model.h"

namespace torsor::test {

struct DenseDynamics {
  DenseDynamics(const torsor_model& model, const torsor_state& state);

  // Block matrices over the bodies 1, 2, ..., N = 6 (n_body - 1): D, A, a, b, Mb [N x N], X [N x
  // n_v], and V = J v [N]. from_world [N x 6] is Ad(X_WB)^-1 for the children of the world, and
  // zero for other bodies.
  Matrix D, A, a, b, Mb, X, from_world;
  Vector V;

  Matrix M, C;  // [n_v x n_v]; M with armature
  // [n_v] gravity, and load = J^T F of the applied wrenches.
  Vector g, load;
  // [6 (n_body - 1) x n_v] body-fixed twists of bodies 1, 2, ...: V = J v, Vdot = J vdot + Jdot v.
  Matrix J, Jdot;

  // Returns M vdot + C v + g - load.
  Vector inverse(const Vector& v, const Vector& vdot) const { return M * vdot + C * v + g - load; }
};

}  // namespace torsor::test
