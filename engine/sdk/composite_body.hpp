#pragma once
// The composite-rigid-body algorithm for the mass matrix, templated on the scalar.

#include <algorithm>

#include "torsor/sdk/joints.hpp"
#include "torsor/sdk/subtrees.hpp"
#include "torsor/spatial/pack.hpp"

namespace torsor::composite_body {

using sdk::inertia, sdk::JointAxis, sdk::Subtrees, sdk::with_joint;

// Wrenches [n_v] as six arrays, so that the compiler can vectorise loops over them.
template <class T>
struct Wrenches {
  T *nx, *ny, *nz, *fx, *fy, *fz;
  Wrenches(T* work, int n) : nx(work), ny(nx + n), nz(ny + n), fx(nz + n), fy(fx + n), fz(fy + n) {}
  Wrench<T> operator[](int k) const { return {{nx[k], ny[k], nz[k]}, {fx[k], fy[k], fz[k]}}; }
  void set(int k, const Wrench<T>& F) const {
    nx[k] = F.n.x;
    ny[k] = F.n.y;
    nz[k] = F.n.z;
    fx[k] = F.f.x;
    fy[k] = F.f.y;
    fz[k] = F.f.z;
  }
};

// Replaces each of `count` wrenches F_B with F_A = Ad(X_BA)^T F_B (screw.hpp). gcc 12 vectorises
// this loop only in a separate function, with __restrict arrays and with scalars instead of
// structs. Vectorisation halves the time of the mass matrix of a long chain.
template <class T>
[[gnu::noinline]] void transform_all(const Pose<T>& X_AB, int count, T* __restrict nx,
                                     T* __restrict ny, T* __restrict nz, T* __restrict fx,
                                     T* __restrict fy, T* __restrict fz) {
  const T a = X_AB.R.m[0], b = X_AB.R.m[1], c = X_AB.R.m[2], d = X_AB.R.m[3], e = X_AB.R.m[4],
          f = X_AB.R.m[5], g = X_AB.R.m[6], h = X_AB.R.m[7], i = X_AB.R.m[8], x = X_AB.p.x,
          y = X_AB.p.y, z = X_AB.p.z;
  for (int k = 0; k < count; ++k) {
    const T Fx = a * fx[k] + b * fy[k] + c * fz[k], Fy = d * fx[k] + e * fy[k] + f * fz[k],
            Fz = g * fx[k] + h * fy[k] + i * fz[k];
    const T Nx = a * nx[k] + b * ny[k] + c * nz[k] + y * Fz - z * Fy,
            Ny = d * nx[k] + e * ny[k] + f * nz[k] + z * Fx - x * Fz,
            Nz = g * nx[k] + h * ny[k] + i * nz[k] + x * Fy - y * Fx;
    nx[k] = Nx;
    ny[k] = Ny;
    nz[k] = Nz;
    fx[k] = Fx;
    fy[k] = Fy;
    fz[k] = Fz;
  }
}

// Computes M [n_v x n_v] with the composite-rigid-body algorithm (Walker and Orin's third method;
// KHALIL 7.6.1 computes the same columns from 7.64). Mc_k is the composite inertia of the subtree
// of joint k, accumulated from the leaves. The momentum Mc_k S_k is transformed from body to body
// towards the world:
//   M_jk = S_j . Ad(X_kj)^T Mc_k S_k,   j on the path from k to the world
// The first child that is processed sets the composite inertia of its parent; a separate loop that
// sets them all would take a fifth of the time with packs, whose inertias fill the first cache.
// The momenta of all dof in a subtree are transformed to the parent in one loop. Work: composite
// [n_body]; F [n_v], in the order of `subtrees`. The entries of dof on different branches are 0;
// this function does not write them.
template <class T>
void nonzero_mass_matrix(const sdk::Tree auto& model, const JointAxis* axes,
                         const Subtrees& subtrees, const Pose<T>* X_PB,
                         SpatialInertia<T>* composite, const Wrenches<T>& F, T* M) {
  const size_t n = size_t(model.n_v);
  for (int i = model.n_body - 1; i > 0; --i) {
    const int p = model.parent[i], first = subtrees.begin(i), count = subtrees.size(i);
    const SpatialInertia<T> Mc = subtrees.last_child(i) == 0 ? inertia<T>(model, i) : composite[i];
    with_joint(model, axes[i], i, [&](const auto& joint) {
      int own = first;
      joint.template for_each_dof<T>([&](int, const Twist<T>& S) { F.set(own++, Mc * S); });
      joint.template for_each_dof<T>([&](int j, const Twist<T>& S) {
        for (int place = first; place < first + count; ++place) {
          const int k = subtrees.column(place);
          M[j * n + k] = M[k * n + j] = dot(S, F[place]);
        }
        M[j * n + j] = M[j * n + j] + T(model.armature[j]);
      });
    });
    if (p > 0) {
      const SpatialInertia<T> Mc_p =
          i == subtrees.last_child(p) ? inertia<T>(model, p) : composite[p];
      composite[p] = Mc_p + transform(X_PB[i], Mc);
      transform_all(X_PB[i], count, F.nx + first, F.ny + first, F.nz + first, F.fx + first,
                    F.fy + first, F.fz + first);
    }
  }
}

// Sets x [n] to zero. For a matrix of a few kilobytes, this takes half the time of memset().
template <class T>
void fill_zeros(T* x, size_t n) {
  std::fill_n(x, n, T(0));
}
inline void fill_zeros(double* x, size_t n) {
  const Pack<native_lanes> zero(0);
  size_t k = 0;
  for (; k + native_lanes <= n; k += native_lanes) std::memcpy(x + k, &zero, sizeof zero);
  for (; k < n; ++k) x[k] = 0;
}

// Computes all entries of M.
template <class T>
void mass_matrix(const sdk::Tree auto& model, const JointAxis* axes, const Subtrees& subtrees,
                 const Pose<T>* X_PB, SpatialInertia<T>* composite, const Wrenches<T>& F, T* M) {
  fill_zeros(M, size_t(model.n_v) * size_t(model.n_v));
  nonzero_mass_matrix(model, axes, subtrees, X_PB, composite, F, M);
}

}  // namespace torsor::composite_body
