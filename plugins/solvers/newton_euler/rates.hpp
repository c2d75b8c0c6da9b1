#pragma once
// Inverse dynamics and its time derivatives, in O(n), templated on the scalar and on the order N of
// the highest derivative.
//
// Every quantity of the recursion of algorithm.hpp is a power series in time, x(t) = sum x_k t^k
// with x_k = x^(k) / k!, in the moving axes of its body. Two formulations avoid most products of
// series:
//
// - The motion of a body is written with U = wdot~ + w~ w~ (KHALIL 7.57, with the dot of wdot that
//   the print lost). U r is the acceleration of a point r relative to the body origin. All
//   equations are then linear in U and in the acceleration a of the origin, so each coefficient of
//   the series costs the same:
//     a = R^T (a_p + U_p p) + ..,   f = m a + U h,   n = h x a + sum m r x (U r)
//     sum m r x (U r) = ((U E)_zy - (U E)_yz, (U E)_xz - (U E)_zx, (U E)_yx - (U E)_xy)
//     E = sum m r r^T = tr(I)/2 1 - I
//   Only U itself contains a product of series, w~ w~ = w w^T - |w|^2 1.
// - The pose of a joint is X(t) = X_0 Z(t): a constant times a series Z that begins with 1, with
//   Zdot = Z s~. Z of a rotation about z consists of the cosine and sine of the angle since t = 0.
//   Z of a translation along z is the displacement since t = 0.
//
// V_W, A_W, F_B and their derivatives enter as series. The series of the world's angular velocity
// is computed from the angular part of A_W by integration.

#include <algorithm>

#include "torsor/sdk/joints.hpp"

namespace torsor::newton_euler {

inline constexpr double factorial[] = {1, 1, 2, 6, 24, 120};

// The pose X_0 Z(t) of a joint that rotates about z. Z.R is the rotation of Z. This type and the
// two types below provide
// - into(u, k): coefficient k of the series Z.R^T u
// - out(u, k): coefficient k of the series Z.R u
// - p(k): coefficient k of the position of the body origin, in the parent frame
template <class T, int N>
struct RotatingZ {
  static constexpr bool slides = false;
  T c[N + 2], s[N + 2];  // c + i s = exp(i delta), where delta' = v
  Vec3<T> p_0;
  RotatingZ(const Pose<T>& X_0, const T* v) : p_0(X_0.p) {
    c[0] = T(1), s[0] = T(0);
    for (int k = 0; k <= N; ++k) {
      c[k + 1] = s[k + 1] = T(0);
      for (int j = 0; j <= k; ++j) {
        c[k + 1] = c[k + 1] - v[k - j] * s[j];
        s[k + 1] = s[k + 1] + v[k - j] * c[j];
      }
      c[k + 1] = T(1.0 / (k + 1)) * c[k + 1];
      s[k + 1] = T(1.0 / (k + 1)) * s[k + 1];
    }
  }
  Vec3<T> into(const Vec3<T>* u, int k) const {
    Vec3<T> out = u[k];
    for (int l = 1; l <= k; ++l) {
      out.x = out.x + s[l] * u[k - l].y;
      out.y = out.y - s[l] * u[k - l].x;
      if (l == 1) continue;  // c_1 = 0
      out.x = out.x + c[l] * u[k - l].x;
      out.y = out.y + c[l] * u[k - l].y;
    }
    return out;
  }
  Vec3<T> out(const Vec3<T>* u, int k) const {
    Vec3<T> out = u[k];
    for (int l = 1; l <= k; ++l) {
      out.x = out.x - s[l] * u[k - l].y;
      out.y = out.y + s[l] * u[k - l].x;
      if (l == 1) continue;
      out.x = out.x + c[l] * u[k - l].x;
      out.y = out.y + c[l] * u[k - l].y;
    }
    return out;
  }
  Vec3<T> p(int k) const { return k == 0 ? p_0 : Vec3<T>{T(0), T(0), T(0)}; }
};
template <class T, int N>
struct TranslatingZ {
  static constexpr bool slides = true;
  Vec3<T> at[N + 2];
  TranslatingZ(const Pose<T>& X_0, const T* v) {
    at[0] = X_0.p;
    for (int k = 0; k <= N; ++k)
      at[k + 1] = (T(1.0 / (k + 1)) * v[k]) * Vec3<T>{X_0.R.m[2], X_0.R.m[5], X_0.R.m[8]};
  }
  Vec3<T> into(const Vec3<T>* u, int k) const { return u[k]; }
  Vec3<T> out(const Vec3<T>* u, int k) const { return u[k]; }
  Vec3<T> p(int k) const { return at[k]; }
};
template <class T, int N>
struct MovingGenerally {
  static constexpr bool slides = true;
  Mat3<T> R[N + 2];
  Vec3<T> at[N + 2];
  // Recursions for the series of Z.R and of the position, where (w, v) is the twist s of the joint:
  //   (k + 1) R_(k+1) = sum R_j w~_(k-j),   (k + 1) p_(k+1) = R_0 sum R_j v_(k-j)
  MovingGenerally(const Pose<T>& X_0, const Twist<T>* s) {
    R[0] = Mat3<T>::identity();
    at[0] = X_0.p;
    for (int k = 0; k <= N; ++k) {
      R[k + 1] = R[0] * hat(s[k].w);
      Vec3<T> e = s[k].v;
      for (int j = 1; j <= k; ++j) {
        R[k + 1] = R[k + 1] + R[j] * hat(s[k - j].w);
        e = e + R[j] * s[k - j].v;
      }
      for (T& entry : R[k + 1].m) entry = T(1.0 / (k + 1)) * entry;
      at[k + 1] = T(1.0 / (k + 1)) * (X_0.R * e);
    }
  }
  Vec3<T> into(const Vec3<T>* u, int k) const {
    Vec3<T> out = u[k];
    for (int l = 1; l <= k; ++l) out = out + transpose_times(R[l], u[k - l]);
    return out;
  }
  Vec3<T> out(const Vec3<T>* u, int k) const {
    Vec3<T> out = u[k];
    for (int l = 1; l <= k; ++l) out = out + R[l] * u[k - l];
    return out;
  }
  Vec3<T> p(int k) const { return at[k]; }
};

template <class T, int N>
RotatingZ<T, N> moving(const sdk::RotationZ&, const Pose<T>& X_0, const Twist<T>*, const T* v) {
  return {X_0, v};
}
template <class T, int N>
TranslatingZ<T, N> moving(const sdk::TranslationZ&, const Pose<T>& X_0, const Twist<T>*,
                          const T* v) {
  return {X_0, v};
}
template <class T, int N>
MovingGenerally<T, N> moving(const sdk::GeneralJoint&, const Pose<T>& X_0, const Twist<T>* s,
                             const T*) {
  return {X_0, s};
}

// The series of a body: w up to t^(N+1), and a, U and F up to t^N.
template <class T, int N>
struct BodySeries {
  Vec3<T> w[N + 2], a[N + 1];
  Mat3<T> U[N + 1];
  Wrench<T> F[N + 1];
};

// Returns the coefficient U_k of U = wdot~ + w~ w~ for the series w [N + 2]:
//   (k + 1) w~_(k+1) + sum_l (w_l w_(k-l)^T - w_l.w_(k-l) 1)
// The sum runs over l = 0 .. k. The loop adds the terms l and k - l together.
template <class T, int N>
Mat3<T> acceleration_of_points(const Vec3<T>* w, int k) {
  const Vec3<T> wd = T(k + 1) * w[k + 1];
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  for (int l = 0; 2 * l <= k; ++l) {
    const Vec3<T>&a = w[l], &b = w[k - l];
    const bool square = 2 * l == k;
    const T twice = T(square ? 1 : 2);
    xx = xx + twice * (a.x * b.x);
    yy = yy + twice * (a.y * b.y);
    zz = zz + twice * (a.z * b.z);
    xy = xy + a.x * b.y;
    xz = xz + a.x * b.z;
    yz = yz + a.y * b.z;
    if (square) continue;
    xy = xy + a.y * b.x;
    xz = xz + a.z * b.x;
    yz = yz + a.z * b.y;
  }
  return {{-(yy + zz), xy - wd.z, xz + wd.y, xy + wd.z, -(xx + zz), yz - wd.x, xz - wd.y, yz + wd.x,
           -(xx + yy)}};
}

// Computes the coefficients v_0 .. v_(N+1) of a dof from v [n_v] and from vdot [N + 1][n_v], which
// contains vdot and its derivatives.
template <class T, int N>
void velocity_series(const sdk::Tree auto& model, const T* v, const T* vdot, int column, T* out) {
  out[0] = v[column];
  for (int k = 1; k <= N + 1; ++k)
    out[k] = T(1 / factorial[k]) * vdot[(k - 1) * model.n_v + column];
}

// Computes the series of s = S v. If the joint has one dof, of_column is the series of its v.
template <class T, int N, class Joint>
void twist_series(const sdk::Tree auto& model, const Joint& joint, const T* v, const T* vdot,
                  Twist<T>* s, T* of_column) {
  std::fill_n(s, N + 2, Twist<T>{});
  joint.template for_each_dof<T>([&](int column, const Twist<T>& S) {
    velocity_series<T, N>(model, v, vdot, column, of_column);
    for (int k = 0; k <= N + 1; ++k) s[k] = s[k] + of_column[k] * S;
  });
}

template <class T, int N, class Z>
void outward_rates(const Z& Z_t, const Mat3<T>& R_0, const SpatialInertia<T>& M, const Twist<T>* s,
                   const BodySeries<T, N>& p, BodySeries<T, N>& body) {
  Vec3<T> u[N + 2], w0[N + 2], c[N + 1];
  for (int k = 0; k <= N + 1; ++k) u[k] = transpose_times(R_0, p.w[k]);
  for (int k = 0; k <= N + 1; ++k) {
    w0[k] = Z_t.into(u, k);
    body.w[k] = w0[k] + s[k].w;
  }
  for (int k = 0; k <= N; ++k) {
    Vec3<T> carried = p.a[k] + p.U[k] * Z_t.p(0);
    if constexpr (Z::slides)
      for (int l = 1; l <= k; ++l) carried = carried + p.U[k - l] * Z_t.p(l);
    c[k] = transpose_times(R_0, carried);
  }
  const T half = T(0.5) * trace(M.I);
  const T exx = half - M.I.xx, eyy = half - M.I.yy, ezz = half - M.I.zz, exy = -M.I.xy,
          exz = -M.I.xz, eyz = -M.I.yz;
  for (int k = 0; k <= N; ++k) {
    Vec3<T> a = Z_t.into(c, k);
    if constexpr (Z::slides) {
      a = a + T(k + 1) * s[k + 1].v;
      for (int l = 0; l <= k; ++l) a = a + cross(w0[l] + body.w[l], s[k - l].v);
    }
    const Mat3<T> U = acceleration_of_points<T, N>(body.w, k);
    const T* m = U.m;
    body.a[k] = a;
    body.U[k] = U;
    body.F[k].f = M.m * a + U * M.h;
    body.F[k].n =
        cross(M.h, a) +
        Vec3<T>{m[6] * exy + m[7] * eyy + m[8] * eyz - (m[3] * exz + m[4] * eyz + m[5] * ezz),
                m[0] * exz + m[1] * eyz + m[2] * ezz - (m[6] * exx + m[7] * exy + m[8] * exz),
                m[3] * exx + m[4] * exy + m[5] * exz - (m[0] * exy + m[1] * eyy + m[2] * eyz)};
  }
}

template <class T, int N, class Z>
void inward_rates(const Z& Z_t, const Mat3<T>& R_0, const BodySeries<T, N>& body,
                  BodySeries<T, N>& p) {
  Vec3<T> f[N + 1], n[N + 1];
  for (int k = 0; k <= N; ++k) f[k] = body.F[k].f, n[k] = body.F[k].n;
  Vec3<T> f_p[N + 1];
  for (int k = 0; k <= N; ++k) {
    f_p[k] = R_0 * Z_t.out(f, k);
    Vec3<T> n_p = R_0 * Z_t.out(n, k) + cross(Z_t.p(0), f_p[k]);
    if constexpr (Z::slides)
      for (int l = 1; l <= k; ++l) n_p = n_p + cross(Z_t.p(l), f_p[k - l]);
    p.F[k].f = p.F[k].f + f_p[k];
    p.F[k].n = p.F[k].n + n_p;
  }
}

// Computes the series of the world from its state: w from the angular part of A_W, and
// a = A_W.v + w x V_W.v.
template <class T, int N>
void move_world(const torsor_state& state, const torsor_motion_rates& motion,
                BodySeries<T, N>& world) {
  world.w[0] = sdk::world_twist<T>(state).w;
  for (int k = 0; k <= N; ++k)
    world.w[k + 1] = T(1 / factorial[k + 1]) * sdk::world_acceleration<T>(state, motion, k).w;
  for (int k = 0; k <= N; ++k) {
    world.a[k] = T(1 / factorial[k]) * sdk::world_acceleration<T>(state, motion, k).v;
    for (int l = 0; l <= k; ++l)
      world.a[k] +=
          cross(world.w[l], T(1 / factorial[k - l]) * sdk::world_twist<T>(state, motion, k - l).v);
    world.U[k] = acceleration_of_points<T, N>(world.w, k);
    world.F[k] = {};
  }
}

// Computes the series of F_B(t). out[k * n_body + i] is coefficient k of body i, as rates()
// requires.
template <class T, int N>
void wrench_series(const torsor_model& model, const torsor_state& state,
                   const torsor_motion_rates& motion, Wrench<T>* out) {
  const size_t n = size_t(model.n_body);
  for (int k = 0; k <= N; ++k) {
    const Wrench<T>* from = sdk::wrenches<T>(model, state, motion, k);
    for (size_t i = 0; i < n; ++i)
      out[size_t(k) * n + i] = from ? T(1 / factorial[k]) * from[i] : Wrench<T>{};
  }
}

// Computes tau and its derivatives [N + 1][n_v] from vdot and its derivatives [N + 1][n_v]. The
// caller sets body[0], the series of the world, with F = 0. F_B is null, or F_B[k * n_body + i] is
// coefficient k of the wrench on body i. Work: body [n_body].
template <class T, int N>
void rates(const sdk::Tree auto& model, const sdk::JointAxis* axes, const Pose<T>* X_PB, const T* v,
           const T* vdot, const Wrench<T>* F_B, BodySeries<T, N>* body, T* tau) {
  const auto with_motion = [&](int i, auto call) {
    sdk::with_joint(model, axes[i], i, [&](const auto& joint) {
      Twist<T> s[N + 2];
      T of_column[N + 2] = {};
      twist_series<T, N>(model, joint, v, vdot, s, of_column);
      call(joint, moving<T, N>(joint, X_PB[i], s, of_column), s);
    });
  };
  for (int i = 1; i < model.n_body; ++i) {
    with_motion(i, [&](const auto&, const auto& Z_t, const Twist<T>* s) {
      outward_rates<T, N>(Z_t, X_PB[i].R, sdk::inertia<T>(model, i), s, body[model.parent[i]],
                          body[i]);
    });
    if (F_B)
      for (int k = 0; k <= N; ++k) body[i].F[k] = body[i].F[k] - F_B[k * model.n_body + i];
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    with_motion(i, [&](const auto& joint, const auto& Z_t, const Twist<T>*) {
      joint.template for_each_dof<T>([&](int column, const Twist<T>& S) {
        for (int k = 0; k <= N; ++k)
          tau[k * model.n_v + column] = T(factorial[k]) * dot(S, body[i].F[k]) +
                                        T(model.armature[column]) * vdot[k * model.n_v + column];
      });
      inward_rates<T, N>(Z_t, X_PB[i].R, body[i], body[model.parent[i]]);
    });
  }
}

// The work area of rates_along(): the series of the bodies, then the series of the applied
// wrenches.
template <class T, int N>
struct RatesWork {
  BodySeries<T, N>* body;
  Wrench<T>* F_B;
  RatesWork(double* work, const torsor_model& model)
      : body(reinterpret_cast<BodySeries<T, N>*>(work)),
        F_B(reinterpret_cast<Wrench<T>*>(body + model.n_body)) {}
  static size_t bytes(const torsor_model& model) {
    return size_t(model.n_body) * (sizeof(BodySeries<T, N>) + (N + 1) * sizeof(Wrench<T>));
  }
};
inline constexpr int max_rate_order = 4;

// Computes tau and its derivatives along a motion of order N.
template <class T, int N>
void rates_to(const torsor_model& model, const sdk::JointAxis* axes, const torsor_state& state,
              const torsor_motion_rates& motion, double* work, double* tau) {
  const RatesWork<T, N> at(work, model);
  move_world<T, N>(state, motion, at.body[0]);
  const bool wrenched = state.F_B || motion.F_B;
  if (wrenched) wrench_series<T, N>(model, state, motion, at.F_B);
  rates<T, N>(model, axes, sdk::poses<T>(state), reinterpret_cast<const T*>(state.v),
              reinterpret_cast<const T*>(motion.vdot), wrenched ? at.F_B : nullptr, at.body,
              reinterpret_cast<T*>(tau));
}
// Computes tau and its derivatives along a motion of order 1 to max_rate_order.
template <class T>
torsor_status rates_along(const torsor_model& model, const sdk::JointAxis* axes,
                          const torsor_state& state, const torsor_motion_rates& motion,
                          double* work, double* tau) {
  switch (motion.order) {
    case 1:
      return rates_to<T, 1>(model, axes, state, motion, work, tau), TORSOR_OK;
    case 2:
      return rates_to<T, 2>(model, axes, state, motion, work, tau), TORSOR_OK;
    case 3:
      return rates_to<T, 3>(model, axes, state, motion, work, tau), TORSOR_OK;
    case 4:
      return rates_to<T, 4>(model, axes, state, motion, work, tau), TORSOR_OK;
  }
  return TORSOR_BAD_ARGUMENT;
}

}  // namespace torsor::newton_euler
