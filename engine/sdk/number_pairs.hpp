#pragma once
// for_each_pair(a, b, f): calls f(a_k, b_k) for the numbers of two vectors, matrices, twists or
// poses. A copy or a sum of large structs of packs that is made number by number stays in
// registers. A copy of the whole struct may be made with wider or narrower registers, and delays
// the loads that follow.

#include "torsor/spatial/inertia.hpp"

namespace torsor::sdk {

template <class T, class Function>
void for_each_pair(Vec3<T>& a, const Vec3<T>& b, Function f) {
  f(a.x, b.x);
  f(a.y, b.y);
  f(a.z, b.z);
}
template <class T, class Function>
void for_each_pair(Sym3<T>& a, const Sym3<T>& b, Function f) {
  f(a.xx, b.xx);
  f(a.yy, b.yy);
  f(a.zz, b.zz);
  f(a.xy, b.xy);
  f(a.xz, b.xz);
  f(a.yz, b.yz);
}
template <class T, class Function>
void for_each_pair(Mat3<T>& a, const Mat3<T>& b, Function f) {
  for (int k = 0; k < 9; ++k) f(a.m[k], b.m[k]);
}
template <class T, class Function>
void for_each_pair(Twist<T>& a, const Twist<T>& b, Function f) {
  for_each_pair(a.w, b.w, f);
  for_each_pair(a.v, b.v, f);
}
template <class T, class Function>
void for_each_pair(Wrench<T>& a, const Wrench<T>& b, Function f) {
  for_each_pair(a.n, b.n, f);
  for_each_pair(a.f, b.f, f);
}
template <class T, class Function>
void for_each_pair(Pose<T>& a, const Pose<T>& b, Function f) {
  for_each_pair(a.R, b.R, f);
  for_each_pair(a.p, b.p, f);
}
template <class T, class Function>
void for_each_pair(SpatialInertia<T>& a, const SpatialInertia<T>& b, Function f) {
  f(a.m, b.m);
  for_each_pair(a.h, b.h, f);
  for_each_pair(a.I, b.I, f);
}

}  // namespace torsor::sdk
