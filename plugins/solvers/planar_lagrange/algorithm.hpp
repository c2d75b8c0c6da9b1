#pragma once
// The closed form of a planar chain of N point masses at the ends of massless links (RCFS 8),
// templated on the scalar.
//
// In absolute angles q. r_k is the vector of link k in fixed axes of the plane, (l_k cos q_k, l_k
// sin q_k), and m_hk the mass that links h and k both carry, the sum of those from max(h, k) on.
// With the products a . b = a_x b_x + a_y b_y and a x b = a_x b_y - a_y b_x, the quarter turn K r =
// (-r_y, r_x), dr_k/dq_k = K r_k, and -g the constant (0, g) of RCFS:
//
//   M~_hk = m_hk r_h . r_k        = m_hk l_h l_k cos(q_h - q_k)
//   C~_hk = m_hk r_k x r_h        = m_hk l_h l_k sin(q_h - q_k) RCFS 109 g~_h  = m_hh K r_h . (-g)
//   M~ q'' + C~ diag(q') q' + g~ = u
//
// The joints' angles are relative, q = L x with L the lower triangle of ones, and tau = L^T u:
//
//   M = L^T M~ L,   C = L^T C~ diag(q') L,   g = L^T g~ RCFS 110
//
// M~'_hk - 2 C~_hk q'_k = -m_hk l_h l_k sin(q_h - q_k) (q'_h + q'_k) is skew, and so is what L
// makes of it: this C is that of Christoffel's symbols, of which in q only G_hkk = C~_hk is not
// zero.
//
// Rotors: tau has armature_k x''_k, which in q is the matrix L^-T diag(armature) L^-1 of three
// diagonals.
//
// A world that moves. Let the frame that carries the chain have in these axes the angular velocity
// (W, w) with W in the plane and w about its normal, the angular acceleration a about the normal,
// and at the first joint the acceleration b less gravity. A mass at p from there feels b + a K p +
// (W W^T - (W^2 + w^2) 1) p beside 2 w K p'; what else there is points out of the plane. So
//
//   q'' becomes q'' + a,   q' becomes q' + w,   -g becomes b,   and   m_hk K r_h . T r_k is added,
//   T = W W^T - W^2 1.
//
// Wrenches: a force f_j at the joint of body j moves with the links before it, a moment n_j turns
// with body j:
//   u_k = n_k + K r_k . (f_{k+1} + .. + f_N).
//
// Derivatives (RCFS 8.1 after (111)). M~', C~' and g~' there, with the sum in M~' from j = h in
// both its branches, contract with q'' and q'^2 to one matrix; all follows from dr_p/dq_p = K r_p,
// a x K b = a . b and K a . K b = a . b, k not h:
//
//   du_h/dq_k  = m_hk (r_k x r_h q''_k - r_h . r_k q'_k^2 + K r_h . T K r_k) - r_h . f_k [k > h]
//   du_h/dq_h  = sum_{k != h} m_hk (r_h x r_k q''_k + r_h . r_k q'_k^2) - sum_k m_hk r_h . T r_k +
//   m_hh K r_h . T K r_h
//                - m_hh r_h . b + r_h . (f_{h+1} + .. + f_N)
//   du_h/dq'_k = 2 C~_hk q'_k
//
// with f_k in fixed axes and turning with body k. Then (M~^-1)' = -M~^-1 M~' M~^-1 makes dq''/dq =
// -M~^-1 du/dq: the A_21 of RCFS.
//
// Everything is in the axes of body 1: the formulae are those of any fixed axes, and these are at
// hand in X_PB.

#include <cstddef>
#include <vector>

#include "torsor/sdk/model_view.hpp"

namespace torsor::planar_lagrange {

template <class T>
struct Plane {
  T x, y;
};
template <class T>
Plane<T> operator+(const Plane<T>& a, const Plane<T>& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
T dot(const Plane<T>& a, const Plane<T>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class T>
T cross(const Plane<T>& a, const Plane<T>& b) {
  return a.x * b.y - a.y * b.x;
}
template <class T>
Plane<T> quarter_turn(const Plane<T>& a) {
  return {-a.y, a.x};
}

// a, turned by the angle whose cosine and sine are given.
template <class T>
Plane<T> turned(const Plane<T>& turn, const Plane<T>& a) {
  return {turn.x * a.x - turn.y * a.y, turn.y * a.x + turn.x * a.y};
}

// What does not change with the state. Link k of N is carried by joint k and is body k + 1.
struct Chain {
  size_t n = 0;
  std::vector<size_t> column;       // of joint k in q, v and tau
  std::vector<Plane<double>> link;  // from joint k to its mass, in the axes of its body
  std::vector<double> carried;      // mass from k on
  std::vector<double> armature;     // of joint k
  double mass(size_t h, size_t k) const { return carried[h > k ? h : k]; }
};

// What the world does to the chain, in the plane.
template <class T>
struct World {
  // W and a.
  T rate, acceleration;
  // B.
  Plane<T> field;
  // T.
  T xx, xy, yy;
  // T r.
  Plane<T> across(const Plane<T>& r) const { return {xx * r.x + xy * r.y, xy * r.x + yy * r.y}; }
};

// Of one state, kept in the work area, [N] each and [N x N] by rows.
template <class T>
struct Tables {
  World<T> world;
  Plane<T>*turn, *r, *f;  // cos and sin of q_k; link vectors; f_{k+1} + .. + f_N
  T *rate, *acceleration, *u;
  T *M, *D;  // M~ or its factor; derivatives
};

// Adds up along the chain what columns x [n_v] say of the joints: out = L x + first.
template <class T>
void absolute(const Chain& chain, const T* x, const T& first, T* out) {
  T sum = first;
  for (size_t k = 0; k < chain.n; ++k) out[k] = sum = sum + x[chain.column[k]];
}

// Link vectors and the world, from the poses and the motion V_W, A_W of the world frame. With
// gravity alone its V_W is zero.
template <class T>
void place(const Chain& chain, const Pose<T>* X_PB, const Twist<T>& V_W, const Twist<T>& A_W,
           Tables<T>& at) {
  Plane<T> turn{T(1), T(0)};
  for (size_t k = 0; k < chain.n; ++k) {
    if (k > 0) turn = turned(turn, Plane<T>{X_PB[k + 1].R.m[0], X_PB[k + 1].R.m[3]});
    at.turn[k] = turn;
    at.r[k] = turned(turn, Plane<T>{T(chain.link[k].x), T(chain.link[k].y)});
  }
  // The acceleration of the point that is at the joint: the component derivative of a twist lacks w
  // x v.
  const Twist<T> V = inverse_transform(X_PB[1], V_W), A = inverse_transform(X_PB[1], A_W);
  const Vec3<T> b = A.v + torsor::cross(V.w, V.v);
  at.world = {V.w.z, A.w.z, {b.x, b.y}, -(V.w.y * V.w.y), V.w.x * V.w.y, -(V.w.x * V.w.x)};
}

// M~_hk q''_k + C~_hk q'_k^2 + g~_h and what the world adds: u, at the rates and accelerations of
// the tables.
template <class T>
void forces(const Chain& chain, const Tables<T>& at, T* u) {
  for (size_t h = 0; h < chain.n; ++h) {
    const Plane<T> r_h = at.r[h], K_r_h = quarter_turn(r_h);
    u[h] = T(chain.mass(h, h)) * dot(K_r_h, at.world.field);
    for (size_t k = 0; k < chain.n; ++k) {
      const T inertial = dot(r_h, at.r[k]) * at.acceleration[k];
      const T centrifugal = cross(at.r[k], r_h) * at.rate[k] * at.rate[k];
      u[h] = u[h] +
             T(chain.mass(h, k)) * (inertial + centrifugal + dot(K_r_h, at.world.across(at.r[k])));
    }
  }
}

// u -= what the wrenches F_B [n_body] give, and the sums f of their forces.
template <class T>
void subtract_wrenches(const Chain& chain, const Wrench<T>* F_B, const Tables<T>& at, T* u) {
  Plane<T> f{T(0), T(0)};
  for (size_t k = chain.n; k-- > 0;) {
    const Wrench<T>& F = F_B[k + 1];
    at.f[k] = f;
    u[k] = u[k] - F.n.z - dot(quarter_turn(at.r[k]), f);
    f = f + turned(at.turn[k], Plane<T>{F.f.x, F.f.y});
  }
}

// tau = L^T u
template <class T>
void relative_forces(const Chain& chain, const T* u, T* tau) {
  T sum = T(0);
  for (size_t k = chain.n; k-- > 0;) tau[chain.column[k]] = sum = sum + u[k];
}

// L^T A L: sums over the links from h on and from k on. A [N x N] is lost; out by columns of the
// model.
template <class T>
void relative_matrix(const Chain& chain, T* A, T* out) {
  const size_t n = chain.n;
  for (size_t h = n; h-- > 0;)
    for (size_t k = n; k-- > 0;) {
      if (k + 1 < n) A[h * n + k] = A[h * n + k] + A[h * n + k + 1];
    }
  for (size_t h = n; h-- > 0;)
    for (size_t k = 0; k < n; ++k) {
      if (h + 1 < n) A[h * n + k] = A[h * n + k] + A[(h + 1) * n + k];
      out[chain.column[h] * n + chain.column[k]] = A[h * n + k];
    }
}

// M~ [N x N], without rotors.
template <class T>
void absolute_inertia(const Chain& chain, const Tables<T>& at) {
  for (size_t h = 0; h < chain.n; ++h)
    for (size_t k = 0; k < chain.n; ++k)
      at.M[h * chain.n + k] = T(chain.mass(h, k)) * dot(at.r[h], at.r[k]);
}

// M [n_v x n_v]
template <class T>
void mass_matrix(const Chain& chain, const Tables<T>& at, T* M) {
  const size_t n = chain.n;
  absolute_inertia(chain, at);
  relative_matrix(chain, at.M, M);
  for (size_t k = 0; k < n; ++k) {
    T& diagonal = M[chain.column[k] * (n + 1)];
    diagonal = diagonal + T(chain.armature[k]);
  }
}

// C [n_v x n_v], with the rates of the tables.
template <class T>
void coriolis_matrix(const Chain& chain, const Tables<T>& at, T* C) {
  for (size_t h = 0; h < chain.n; ++h)
    for (size_t k = 0; k < chain.n; ++k)
      at.M[h * chain.n + k] = T(chain.mass(h, k)) * cross(at.r[k], at.r[h]) * at.rate[k];
  relative_matrix(chain, at.M, C);
}

// tau [n_v] for vdot [n_v], where the tables have the rates; F_B [n_body] or null.
template <class T>
void inverse(const Chain& chain, const T* vdot, const Wrench<T>* F_B, const Tables<T>& at, T* tau) {
  absolute(chain, vdot, at.world.acceleration, at.acceleration);
  forces(chain, at, at.u);
  if (F_B) subtract_wrenches(chain, F_B, at, at.u);
  relative_forces(chain, at.u, tau);
  for (size_t k = 0; k < chain.n; ++k) {
    const size_t column = chain.column[k];
    tau[column] = tau[column] + T(chain.armature[k]) * vdot[column];
  }
}

// M~ with rotors = F^T D F with F a lower triangle of ones on the diagonal, from the tip on: D_k,
// on the diagonal, is the inertia that joint k feels of all it carries, and below it is F.
template <class T>
void factor(const Chain& chain, const Tables<T>& at) {
  const size_t n = chain.n;
  T* M = at.M;
  absolute_inertia(chain, at);
  for (size_t k = 0; k < n; ++k) {
    M[k * n + k] = M[k * n + k] + T(chain.armature[k]);
    if (k == 0) continue;
    M[(k - 1) * (n + 1)] = M[(k - 1) * (n + 1)] + T(chain.armature[k]);
    M[k * n + k - 1] = M[k * n + k - 1] - T(chain.armature[k]);
  }
  for (size_t k = n; k-- > 0;)
    for (size_t i = k; i-- > 0;) {
      const T f = M[k * n + i] / M[k * n + k];
      for (size_t j = 0; j <= i; ++j) M[i * n + j] = M[i * n + j] - f * M[k * n + j];
      M[k * n + i] = f;
    }
}

// X <- M~^-1 X for X [N x columns] by rows, with the factor.
template <class T>
void solve(const Chain& chain, const T* factor, size_t columns, T* X) {
  const size_t n = chain.n;
  for (size_t k = n; k-- > 0;)
    for (size_t i = 0; i < k; ++i)
      for (size_t c = 0; c < columns; ++c)
        X[i * columns + c] = X[i * columns + c] - factor[k * n + i] * X[k * columns + c];
  for (size_t k = 0; k < n; ++k)
    for (size_t c = 0; c < columns; ++c) {
      T x = X[k * columns + c] / factor[k * n + k];
      for (size_t i = 0; i < k; ++i) x = x - factor[k * n + i] * X[i * columns + c];
      X[k * columns + c] = x;
    }
}

// vdot [n_v] for tau [n_v], with the factor and the rates in the tables; afterwards these have the
// accelerations.
template <class T>
void forward(const Chain& chain, const T* tau, const Wrench<T>* F_B, const Tables<T>& at, T* vdot) {
  const size_t n = chain.n;
  for (size_t k = 0; k < n; ++k) at.acceleration[k] = at.world.acceleration;
  forces(chain, at, at.u);
  if (F_B) subtract_wrenches(chain, F_B, at, at.u);
  for (size_t k = 0; k < n; ++k)
    at.u[k] = tau[chain.column[k]] - (k + 1 < n ? tau[chain.column[k + 1]] : T(0)) - at.u[k];
  solve(chain, at.M, 1, at.u);
  for (size_t k = 0; k < n; ++k) {
    vdot[chain.column[k]] = at.u[k] - (k > 0 ? at.u[k - 1] : T(0));
    at.acceleration[k] = at.world.acceleration + at.u[k];
  }
}

// D = du/dq [N x N] at the rates and accelerations of the tables, whose f are those of the wrenches
// where there are any.
template <class T>
void position_derivatives(const Chain& chain, const Wrench<T>* F_B, const Tables<T>& at, T* D) {
  const size_t n = chain.n;
  for (size_t h = 0; h < n; ++h) {
    const Plane<T> r_h = at.r[h], K_r_h = quarter_turn(r_h);
    T own = T(chain.mass(h, h)) * (dot(K_r_h, at.world.across(K_r_h)) - dot(r_h, at.world.field));
    for (size_t k = 0; k < n; ++k) {
      const Plane<T>& r_k = at.r[k];
      const T m = T(chain.mass(h, k));
      own = own - m * dot(r_h, at.world.across(r_k));
      if (k == h) continue;
      const T both = cross(r_k, r_h) * at.acceleration[k] - dot(r_h, r_k) * at.rate[k] * at.rate[k];
      own = own - m * both;
      D[h * n + k] = m * (both + dot(K_r_h, at.world.across(quarter_turn(r_k))));
      if (!F_B || k < h) continue;
      const Vec3<T>& f = F_B[k + 1].f;
      D[h * n + k] = D[h * n + k] - dot(r_h, turned(at.turn[k], Plane<T>{f.x, f.y}));
    }
    D[h * n + h] = F_B ? own + dot(r_h, at.f[h]) : own;
  }
}

// D = du/dq' [N x N]
template <class T>
void rate_derivatives(const Chain& chain, const Tables<T>& at, T* D) {
  for (size_t h = 0; h < chain.n; ++h)
    for (size_t k = 0; k < chain.n; ++k)
      D[h * chain.n + k] = T(2 * chain.mass(h, k)) * cross(at.r[k], at.r[h]) * at.rate[k];
}

// d tau/dq and d tau/dv [n_v x n_v] at vdot.
template <class T>
void inverse_partials(const Chain& chain, const T* vdot, const Wrench<T>* F_B, const Tables<T>& at,
                      T* dtau_dq, T* dtau_dv) {
  absolute(chain, vdot, at.world.acceleration, at.acceleration);
  if (F_B) subtract_wrenches(chain, F_B, at, at.u);
  position_derivatives(chain, F_B, at, at.D);
  relative_matrix(chain, at.D, dtau_dq);
  rate_derivatives(chain, at, at.D);
  relative_matrix(chain, at.D, dtau_dv);
}

// out = L^-1 D S for D [N x N]: rows are differences of those of D; S is L, or L^-T.
enum class From { angles, torques };
template <class T>
void relative_response(const Chain& chain, From from, T* D, T* out) {
  const size_t n = chain.n;
  for (size_t h = n; h-- > 0;) {
    for (size_t k = 0; h > 0 && k < n; ++k) D[h * n + k] = D[h * n + k] - D[(h - 1) * n + k];
    T sum = T(0);
    for (size_t k = n; k-- > 0;) {
      const T before = k > 0 ? D[h * n + k - 1] : T(0);
      sum = sum + D[h * n + k];
      out[chain.column[h] * n + chain.column[k]] =
          from == From::angles ? sum : D[h * n + k] - before;
    }
  }
}

// M^-1 [n_v x n_v], with the factor in the tables.
template <class T>
void inverse_mass_matrix(const Chain& chain, const Tables<T>& at, T* Minv) {
  const size_t n = chain.n;
  for (size_t k = 0; k < n * n; ++k) at.D[k] = T(k % (n + 1) == 0 ? 1 : 0);
  solve(chain, at.M, n, at.D);
  relative_response(chain, From::torques, at.D, Minv);
}

// d vdot/dq, d vdot/dv and d vdot/dtau [n_v x n_v] at the accelerations that forward() left in the
// tables.
template <class T>
void forward_partials(const Chain& chain, const Wrench<T>* F_B, const Tables<T>& at, T* dvdot_dq,
                      T* dvdot_dv, T* dvdot_dtau) {
  const size_t n = chain.n;
  const auto respond = [&](T* out) {
    for (size_t k = 0; k < n * n; ++k) at.D[k] = -at.D[k];
    solve(chain, at.M, n, at.D);
    relative_response(chain, From::angles, at.D, out);
  };
  position_derivatives(chain, F_B, at, at.D);
  respond(dvdot_dq);
  rate_derivatives(chain, at, at.D);
  respond(dvdot_dv);
  inverse_mass_matrix(chain, at, dvdot_dtau);
}

}  // namespace torsor::planar_lagrange
