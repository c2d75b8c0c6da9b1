#pragma once
// M, C, g, tau and the generalised forces of applied wrenches, with their first and second time
// derivatives. The equations are in closed form over a tree and templated on the scalar (MK 35, 36,
// 37, 38, 39, 40, 42, 43, 44, 45, 46, 47, 50, 52, with a C that makes Mdot - 2 C skew-symmetric,
// extended to joints with several dof and to a moving base).
//
// All derivatives follow from D' = -a D (MK 25). For a quantity y in the frame of the parent, its
// transform to body i is
//
//   z = Ad(X_PB)^-1 y:   z' = Ad^-1 y' - ad_s z,   s = S v
//
// J^(k) is the k-th derivative of J = A X, and (k l) is the binomial coefficient k over l. The
// twists are V = J v + U, where U = A V_0 is due to the motion of the world.
//
//   (J^T Mb J)^(k) = sum_l (k l) J^(l)T Mb J^(k-l)                         MK 36, 47
//   C = J^T Y,  Y^(k) = Mb J^(k+1) + (N(J v) J)^(k)                        MK 38, 39, 40, 42, 52
//   g = J^T G,  G^(k) = Mb H^(k) + (N(V) V - N(J v) J v)^(k)               MK 43
//   H = A (A_0 - a U),  U = 0 if the world is at rest
//   (N(V) X)^(k) = sum_l (k l) (Mb b^(l) - b^(l)T Mb) X^(k-l),  b^(l) = ad_(V^(l))
//   Q = J^T W                                                              MK 34, 44
//   tau^(k) = sum_l (k l) (M^(l) vdot^(k-l) + C^(l) v^(k-l)) + g^(k) - Q^(k)    MK 35, 45
//
// N(V) X = (Mb b - b^T Mb) X with b = ad_V. Mdot - 2C and Mddot - 2 Cdot are skew-symmetric.

#include "algorithm.hpp"

namespace torsor::lie_group {

inline constexpr int max_order = 2;
inline constexpr double binomial[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};

// Computes z = Ad(X)^-1 y and its derivatives up to order count - 1. y, z and the twist s of the
// joint are [count].
template <class T>
void inherit(const Pose<T>& X, const Twist<T>* s, const Twist<T>* y, int count, Twist<T>* z) {
  Twist<T> all[max_order + 2][max_order + 2];  // [j][k]: (Ad^-1 y^(j))^(k)
  for (int j = 0; j < count; ++j) all[j][0] = inverse_transform(X, y[j]);
  for (int k = 0; k + 1 < count; ++k)
    for (int j = 0; j + k + 1 < count; ++j) {
      Twist<T> next = all[j + 1][k];
      for (int l = 0; l <= k; ++l) next = next - T(binomial[k][l]) * ad(s[l], all[j][k - l]);
      all[j][k + 1] = next;
    }
  for (int k = 0; k < count; ++k) z[k] = all[0][k];
}

// Returns (N(V) X)^(k).
template <class T>
Wrench<T> coriolis_wrench(const SpatialInertia<T>& M, const Twist<T>* V, const Twist<T>* X, int k) {
  Wrench<T> out{};
  for (int l = 0; l <= k; ++l)
    out = out + T(binomial[k][l]) * (M * ad(V[l], X[k - l]) - ad_transpose(V[l], M * X[k - l]));
  return out;
}

// The motion of a body with time derivatives. V: twist. U: part of the twist due to the motion of
// the world. H: part of the acceleration due to the world. W: applied wrench.
template <class T>
struct BodyRates {
  Twist<T> V[max_order + 1], U[max_order + 1], H[max_order + 1];
  Wrench<T> W[max_order + 1];
};
// The parts of the equation of motion and their derivatives, [order + 1] each.
template <class T>
struct Parts {
  T *M, *C, *g, *Q, *tau;
};

template <class T>
struct RatesWork {
  // [n_body]. The caller sets all members of the world, and W of every other body.
  BodyRates<T>* body;
  Twist<T>* J;  // [paths.size()][order + 2]
};

template <class T>
void move_body(const torsor_model& model, const Paths& paths, int i, const Pose<T>& X, const T* v,
               const T* vdot, int order, const RatesWork<T>& at) {
  Twist<T> s[max_order + 2];
  s[0] = joint_twist(model, i, v);
  for (int k = 0; k <= order; ++k) s[k + 1] = joint_twist(model, i, vdot + k * model.n_v);
  const int parent = model.parent[i], count = order + 1, inherited = paths.length(parent);
  const BodyRates<T>& from = at.body[parent];
  BodyRates<T>& to = at.body[i];
  inherit(X, s, from.V, count, to.V);
  inherit(X, s, from.U, count, to.U);
  inherit(X, s, from.H, count, to.H);
  for (int k = 0; k <= order; ++k) {
    to.V[k] = to.V[k] + s[k];
    for (int l = 0; l <= k; ++l) to.H[k] = to.H[k] - T(binomial[k][l]) * ad(s[l], to.U[k - l]);
  }
  Twist<T>* J = at.J + paths.start(i) * (order + 2);
  const Twist<T>* J_p = at.J + paths.start(parent) * (order + 2);
  for (int a = 0; a < paths.length(i); ++a, J += order + 2) {
    if (a < inherited) {
      inherit(X, s, J_p + a * (order + 2), order + 2, J);
    } else {
      std::fill_n(J, order + 2, Twist<T>{});
      J[0] = screw<T>(model, paths.column(i, a));
    }
  }
}

// Adds the derivatives (J . F)^(k) to out[k * stride] for k = 0 .. order.
template <class T>
void add_product(const Twist<T>* J, const Wrench<T>* F, int order, size_t stride, T* out) {
  for (int k = 0; k <= order; ++k)
    for (int l = 0; l <= k; ++l)
      out[size_t(k) * stride] = out[size_t(k) * stride] + T(binomial[k][l]) * dot(J[l], F[k - l]);
}

template <class T>
void add_body(const torsor_model& model, const Paths& paths, int i, int order,
              const RatesWork<T>& at, const Parts<T>& out) {
  const size_t n = size_t(model.n_v), stride = size_t(order) + 2;
  const SpatialInertia<T> M = inertia<T>(model, i);
  const BodyRates<T>& body = at.body[i];
  const Twist<T>* J = at.J + size_t(paths.start(i)) * stride;
  Twist<T> J_v[max_order + 1];
  for (int k = 0; k <= order; ++k) J_v[k] = body.V[k] - body.U[k];
  Wrench<T> G[max_order + 1];
  for (int k = 0; k <= order; ++k)
    G[k] = M * body.H[k] + coriolis_wrench(M, body.V, body.V, k) - coriolis_wrench(M, J_v, J_v, k);
  for (int b = 0; b < paths.length(i); ++b) {
    const Twist<T>* J_b = J + size_t(b) * stride;
    const size_t column = size_t(paths.column(i, b));
    Wrench<T> P[max_order + 1], Y[max_order + 1];
    for (int k = 0; k <= order; ++k) {
      P[k] = M * J_b[k];
      Y[k] = M * J_b[k + 1] + coriolis_wrench(M, J_v, J_b, k);
    }
    for (int a = 0; a < paths.length(i); ++a) {
      const size_t entry = size_t(paths.column(i, a)) * n + column;
      add_product(J + size_t(a) * stride, P, order, n * n, out.M + entry);
      add_product(J + size_t(a) * stride, Y, order, n * n, out.C + entry);
    }
    add_product(J_b, G, order, n, out.g + column);
    add_product(J_b, body.W, order, n, out.Q + column);
  }
}

// Computes the parts of the equation of motion and their derivatives up to an order. vdot [order +
// 1][n_v] contains vdot and its derivatives. X_PB is [n_body].
// Equations: MR 9.88; JIN 44.
template <class T>
void equation_rates(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
                    const T* vdot, int order, const RatesWork<T>& at, const Parts<T>& out) {
  const size_t n = size_t(model.n_v), count = size_t(order) + 1;
  for (T* square : {out.M, out.C}) std::fill_n(square, count * n * n, T(0));
  for (T* vector : {out.g, out.Q}) std::fill_n(vector, count * n, T(0));
  for (int i = 1; i < model.n_body; ++i) {
    move_body(model, paths, i, X_PB[i], v, vdot, order, at);
    add_body(model, paths, i, order, at, out);
  }
  for (size_t k = 0; k < n; ++k) out.M[k * n + k] = out.M[k * n + k] + T(model.armature[k]);
  for (int k = 0; k <= order; ++k)
    for (size_t i = 0; i < n; ++i) {
      T sum = out.g[size_t(k) * n + i] - out.Q[size_t(k) * n + i];
      for (int l = 0; l <= k; ++l) {
        const T *M = out.M + (size_t(l) * n + i) * n, *C = out.C + (size_t(l) * n + i) * n;
        const T *a = vdot + size_t(k - l) * n, *u = k == l ? v : vdot + size_t(k - l - 1) * n;
        for (size_t j = 0; j < n; ++j) sum = sum + T(binomial[k][l]) * (M[j] * a[j] + C[j] * u[j]);
      }
      out.tau[size_t(k) * n + i] = sum;
    }
}

}  // namespace torsor::lie_group
