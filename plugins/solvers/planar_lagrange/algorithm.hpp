#pragma once
// The closed form of a planar chain of N point masses at the ends of massless links (RCFS, section
// 8), templated on the scalar.
//
// The equations use absolute angles q. In fixed axes of the plane, r_k = (l_k cos q_k, l_k sin q_k)
// is the vector of link k. m_hk is the sum of the masses from link max(h, k) to the tip. Notation
// for vectors of the plane: a . b = a_x b_x + a_y b_y, a x b = a_x b_y - a_y b_x, and K r = (-r_y,
// r_x) is r rotated by a quarter turn. Therefore dr_k/dq_k = K r_k. g is the gravity vector; -g is
// the constant (0, g) of RCFS:
//
//   M~_hk = m_hk r_h . r_k        = m_hk l_h l_k cos(q_h - q_k)
//   C~_hk = m_hk r_k x r_h        = m_hk l_h l_k sin(q_h - q_k)        RCFS 109
//   g~_h  = m_hh K r_h . (-g)
//   M~ q'' + C~ diag(q') q' + g~ = u
//
// The joint angles x are relative: q = L x, where L is the lower triangle of ones, and tau = L^T u.
//
//   M = L^T M~ L,   C = L^T C~ diag(q') L,   g = L^T g~                RCFS 110
//
// M~'_hk - 2 C~_hk q'_k = -m_hk l_h l_k sin(q_h - q_k) (q'_h + q'_k) is skew-symmetric, and so is
// its transform L^T (..) L. C is the matrix of the Christoffel symbols. In absolute angles, only
// the symbols G_hkk = C~_hk are not zero.
//
// Rotors: tau_k contains armature_k x''_k. In absolute angles, this adds the tridiagonal matrix
// L^-T diag(armature) L^-1 to M~.
//
// Moving base: let the base have the angular velocity (W, w) in these axes, with W in the plane and
// w about its normal. Let a be its angular acceleration about the normal, and b the acceleration of
// the first joint minus g. Let p be the vector from the first joint to a mass. The mass then has
// the additional acceleration b + a K p + (W W^T - (W^2 + w^2) 1) p + 2 w K p' in the plane.
// Therefore
//
//   q'' becomes q'' + a,   q' becomes q' + w,   -g becomes b
//   m_hk K r_h . T r_k is added,   T = W W^T - W^2 1
//
// Wrenches: link k moves the forces f_j at the joints after it, and turns with the moment n_k:
//   u_k = n_k + K r_k . (f_{k+1} + .. + f_N)
//
// Partial derivatives (RCFS, section 8.1, after (111)): here the derivatives of M~, C~ and g~ are
// contracted with q'' and q'^2 to one matrix. Correction to RCFS: the sum in the derivative of M~
// runs from j = h in both its branches. The result follows from dr_p/dq_p = K r_p, a x K b = a . b
// and K a . K b = a . b. For k not equal to h:
//
//   du_h/dq_k  = m_hk (r_k x r_h q''_k - r_h . r_k q'_k^2 + K r_h . T K r_k) - r_h . f_k [k > h]
//   du_h/dq_h  = sum_{k != h} m_hk (r_h x r_k q''_k + r_h . r_k q'_k^2) - sum_k m_hk r_h . T r_k
//                + m_hh K r_h . T K r_h - m_hh r_h . b + r_h . (f_{h+1} + .. + f_N)
//   du_h/dq'_k = 2 C~_hk q'_k
//
// [k > h] is 1 if k > h, otherwise 0. Here f_k is written in fixed axes, but is constant in the
// axes of body k. The matrix A_21 of RCFS is dq''/dq = -M~^-1 du/dq, because d(M~^-1) = -M~^-1 dM~
// M~^-1.
//
// All vectors are in the axes of body 1. The equations are valid in any fixed axes. For the axes of
// body 1, X_PB contains the rotations directly.

#include <cstddef>
#include <vector>

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/trace.hpp"

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

// The quantities in a trace, in the order of the table in trace.hpp.
enum Traced {
  link_vector,
  absolute_rate,
  absolute_acceleration,
  absolute_inertia_row,
  absolute_coriolis_row,
  absolute_load,
  absolute_torque,
  inertia_row,
  coriolis_row,
  gravity_torque,
  torque
};

// Returns the vector a, rotated by the angle whose cosine and sine are given.
template <class T>
Plane<T> turned(const Plane<T>& turn, const Plane<T>& a) {
  return {turn.x * a.x - turn.y * a.y, turn.y * a.x + turn.x * a.y};
}

// The constants of the chain. Joint k moves link k, which is body k + 1; k = 0 .. N - 1.
struct Chain {
  size_t n = 0;
  std::vector<size_t> column;       // [N] index of joint k in q, v and tau
  std::vector<Plane<double>> link;  // [N] from joint k to its mass, in axes of body k + 1, m
  std::vector<double> carried;      // [N] sum of the masses from link k to the tip, kg
  std::vector<double> armature;     // [N] armature of joint k, kg m^2
  double mass(size_t h, size_t k) const { return carried[h > k ? h : k]; }
};

// The motion of the world frame and gravity, in the plane of the chain.
template <class T>
struct World {
  // w and a: angular velocity and angular acceleration about the normal.
  T rate, acceleration;
  // The vector b: acceleration of the first joint minus gravity.
  Plane<T> field;
  // The entries of the symmetric matrix T = W W^T - W^2 1.
  T xx, xy, yy;
  // Returns T r.
  Plane<T> across(const Plane<T>& r) const { return {xx * r.x + xy * r.y, xy * r.x + yy * r.y}; }
};

// The quantities of one state, in the work area: vectors [N] and matrices [N x N] by rows.
template <class T>
struct Tables {
  World<T> world;
  // turn: (cos, sin) of the rotation from body 1 to body k + 1. r: link vectors. f: f_{k+1} + .. +
  // f_N.
  Plane<T>*turn, *r, *f;
  T *rate, *acceleration, *u;
  T *M, *D;  // M: M~, C~ or the factor of M~; D: derivatives
};

// Computes absolute values along the chain: out = L x + first, the running sum of the joint values
// x [n_v], plus `first`.
template <class T>
void absolute(const Chain& chain, const T* x, const T& first, T* out) {
  T sum = first;
  for (size_t k = 0; k < chain.n; ++k) out[k] = sum = sum + x[chain.column[k]];
}

// Computes turn, r and world of the tables from the poses X_PB and from the twist V_W and
// acceleration A_W of the world frame. A_W includes -g.
template <class T>
void place(const Chain& chain, const Pose<T>* X_PB, const Twist<T>& V_W, const Twist<T>& A_W,
           Tables<T>& at) {
  Plane<T> turn{T(1), T(0)};
  for (size_t k = 0; k < chain.n; ++k) {
    if (k > 0) turn = turned(turn, Plane<T>{X_PB[k + 1].R.m[0], X_PB[k + 1].R.m[3]});
    at.turn[k] = turn;
    at.r[k] = turned(turn, Plane<T>{T(chain.link[k].x), T(chain.link[k].y)});
  }
  // The acceleration of a point is A.v + w x v, because A is the componentwise derivative of the
  // twist.
  const Twist<T> V = inverse_transform(X_PB[1], V_W), A = inverse_transform(X_PB[1], A_W);
  const Vec3<T> b = A.v + torsor::cross(V.w, V.v);
  at.world = {V.w.z, A.w.z, {b.x, b.y}, -(V.w.y * V.w.y), V.w.x * V.w.y, -(V.w.x * V.w.x)};
}

// Returns M~_hk, without rotors.
template <class T>
T absolute_inertia(const Chain& chain, const Tables<T>& at, size_t h, size_t k) {
  return T(chain.mass(h, k)) * dot(at.r[h], at.r[k]);
}

// Returns C~_hk.
template <class T>
T absolute_coriolis(const Chain& chain, const Tables<T>& at, size_t h, size_t k) {
  return T(chain.mass(h, k)) * cross(at.r[k], at.r[h]);
}

// Returns g~_h with the terms of a moving base that do not depend on the rates.
template <class T>
T absolute_gravity(const Chain& chain, const Tables<T>& at, size_t h) {
  const Plane<T> K_r_h = quarter_turn(at.r[h]);
  T g = T(chain.mass(h, h)) * dot(K_r_h, at.world.field);
  for (size_t k = 0; k < chain.n; ++k)
    g = g + T(chain.mass(h, k)) * dot(K_r_h, at.world.across(at.r[k]));
  return g;
}

// Computes u_h = sum_k (M~_hk q''_k + C~_hk q'_k^2) + g~_h with the terms of a moving base, from
// the rates and accelerations in the tables.
// Equations: RCFS 108.
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

// Subtracts the generalised forces of the wrenches F_B [n_body] from u. Sets f in the tables to
// f_{k+1} + .. + f_N.
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

// Computes tau = L^T u.
template <class T>
void relative_forces(const Chain& chain, const T* u, T* tau) {
  T sum = T(0);
  for (size_t k = chain.n; k-- > 0;) tau[chain.column[k]] = sum = sum + u[k];
}

// Computes out [n_v x n_v] = L^T A L, with entries sum_{i >= h, j >= k} A_ij. Overwrites A [N x N].
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

// Computes M~ [N x N], without rotors.
template <class T>
void absolute_inertia(const Chain& chain, const Tables<T>& at) {
  for (size_t h = 0; h < chain.n; ++h)
    for (size_t k = 0; k < chain.n; ++k) at.M[h * chain.n + k] = absolute_inertia(chain, at, h, k);
}

// Computes M [n_v x n_v].
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

// Computes C [n_v x n_v] at the rates in the tables.
template <class T>
void coriolis_matrix(const Chain& chain, const Tables<T>& at, T* C) {
  for (size_t h = 0; h < chain.n; ++h)
    for (size_t k = 0; k < chain.n; ++k)
      at.M[h * chain.n + k] = absolute_coriolis(chain, at, h, k) * at.rate[k];
  relative_matrix(chain, at.M, C);
}

// Traces the motion and the torques in absolute angles.
template <class T, class Tracing>
void trace_absolute(const Chain& chain, const Tables<T>& at, const Tracing& trace) {
  if constexpr (sdk::is_tracing<Tracing>)
    for (size_t k = 0; k < chain.n; ++k) {
      const int column = int(chain.column[k]);
      trace(link_vector, int(k) + 1, Vec3<T>{at.r[k].x, at.r[k].y, T(0)});
      trace(absolute_rate, column, at.rate[k]);
      trace(absolute_acceleration, column, at.acceleration[k]);
      trace(absolute_load, column, absolute_gravity(chain, at, k));
      trace(absolute_torque, column, at.u[k]);
    }
}

// Computes tau [n_v] for vdot [n_v] at the rates in the tables. F_B is [n_body] or null.
template <class T, class Tracing = sdk::NoTrace>
void inverse(const Chain& chain, const T* vdot, const Wrench<T>* F_B, const Tables<T>& at, T* tau,
             const Tracing& trace = {}) {
  absolute(chain, vdot, at.world.acceleration, at.acceleration);
  forces(chain, at, at.u);
  if (F_B) subtract_wrenches(chain, F_B, at, at.u);
  trace_absolute(chain, at, trace);
  relative_forces(chain, at.u, tau);
  for (size_t k = 0; k < chain.n; ++k) {
    const size_t column = chain.column[k];
    tau[column] = tau[column] + T(chain.armature[k]) * vdot[column];
  }
}

// Factorises M~ with rotors as F^T D F, from the tip to the base. F is lower triangular with unit
// diagonal. Its entries are stored below the diagonal, and D on the diagonal. D_k is the inertia
// about joint k of the links from k to the tip, with the joints after k free to move.
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

// Solves M~ Y = X with the factor and overwrites X [N x columns], stored by rows.
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

// Computes vdot [n_v] for tau [n_v] from the factor and the rates in the tables. Stores the
// absolute accelerations in the tables.
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

// Computes D = du/dq [N x N] from the rates and accelerations in the tables. If F_B is not null,
// subtract_wrenches() must have set f in the tables.
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

// Computes D = du/dq' [N x N].
template <class T>
void rate_derivatives(const Chain& chain, const Tables<T>& at, T* D) {
  for (size_t h = 0; h < chain.n; ++h)
    for (size_t k = 0; k < chain.n; ++k)
      D[h * chain.n + k] = T(2 * chain.mass(h, k)) * cross(at.r[k], at.r[h]) * at.rate[k];
}

// Computes d tau/dq and d tau/dv [n_v x n_v] at vdot.
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

// Computes out = L^-1 D S, where S = L for From::angles and S = L^-T for From::torques. Overwrites
// D [N x N]. out is [n_v x n_v].
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

// Computes M^-1 [n_v x n_v] with the factor in the tables.
template <class T>
void inverse_mass_matrix(const Chain& chain, const Tables<T>& at, T* Minv) {
  const size_t n = chain.n;
  for (size_t k = 0; k < n * n; ++k) at.D[k] = T(k % (n + 1) == 0 ? 1 : 0);
  solve(chain, at.M, n, at.D);
  relative_response(chain, From::torques, at.D, Minv);
}

// Computes d vdot/dq, d vdot/dv and d vdot/dtau [n_v x n_v] at the accelerations that forward()
// left in the tables.
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
