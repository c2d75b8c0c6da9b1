#pragma once
// Three-vectors and 3x3 matrices over any scalar: double, a SIMD pack, a symbol or a dual number.
// No function branches depending on a value.

#include <cmath>

namespace torsor {

template <class T>
struct Vec3 {
  T x, y, z;
};

template <class T>
constexpr Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class S, class T>
constexpr Vec3<T> operator*(const S& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
constexpr Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b) {
  return a = a + b;
}
template <class T>
constexpr Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b) {
  return a = a - b;
}
template <class T>
constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
constexpr Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

// A 3x3 matrix, stored by rows.
template <class T>
struct Mat3 {
  T m[9];
  constexpr T& operator()(int row, int col) { return m[3 * row + col]; }
  constexpr const T& operator()(int row, int col) const { return m[3 * row + col]; }
  static constexpr Mat3 identity() {
    return {{T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}};
  }
};

template <class T>
constexpr Vec3<T> operator*(const Mat3<T>& A, const Vec3<T>& u) {
  const T* a = A.m;
  return {a[0] * u.x + a[1] * u.y + a[2] * u.z, a[3] * u.x + a[4] * u.y + a[5] * u.z,
          a[6] * u.x + a[7] * u.y + a[8] * u.z};
}
// Returns A^T u.
template <class T>
constexpr Vec3<T> transpose_times(const Mat3<T>& A, const Vec3<T>& u) {
  const T* a = A.m;
  return {a[0] * u.x + a[3] * u.y + a[6] * u.z, a[1] * u.x + a[4] * u.y + a[7] * u.z,
          a[2] * u.x + a[5] * u.y + a[8] * u.z};
}
template <class T>
constexpr Mat3<T> operator*(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return C;
}
template <class T>
constexpr Mat3<T> operator+(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C{};
  for (int k = 0; k < 9; ++k) C.m[k] = A.m[k] + B.m[k];
  return C;
}
template <class T>
constexpr Mat3<T> operator-(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C{};
  for (int k = 0; k < 9; ++k) C.m[k] = A.m[k] - B.m[k];
  return C;
}
template <class T>
constexpr Mat3<T> transpose(const Mat3<T>& A) {
  return {{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
// Returns the matrix u~ of the cross product: u~ a = u x a.
template <class T>
constexpr Mat3<T> hat(const Vec3<T>& u) {
  return {{T(0), -u.z, u.y, u.z, T(0), -u.x, -u.y, u.x, T(0)}};
}

// A symmetric 3x3 matrix: six numbers, in the order of the plugin ABI.
template <class T>
struct Sym3 {
  T xx, yy, zz, xy, xz, yz;
};

template <class T>
constexpr Vec3<T> operator*(const Sym3<T>& A, const Vec3<T>& u) {
  return {A.xx * u.x + A.xy * u.y + A.xz * u.z, A.xy * u.x + A.yy * u.y + A.yz * u.z,
          A.xz * u.x + A.yz * u.y + A.zz * u.z};
}
template <class T>
constexpr Sym3<T> operator+(const Sym3<T>& A, const Sym3<T>& B) {
  return {A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
}
template <class T>
constexpr Sym3<T> operator-(const Sym3<T>& A, const Sym3<T>& B) {
  return {A.xx - B.xx, A.yy - B.yy, A.zz - B.zz, A.xy - B.xy, A.xz - B.xz, A.yz - B.yz};
}
template <class T>
constexpr Sym3<T> operator*(const T& s, const Sym3<T>& A) {
  return {s * A.xx, s * A.yy, s * A.zz, s * A.xy, s * A.xz, s * A.yz};
}
template <class T>
constexpr T trace(const Sym3<T>& A) {
  return A.xx + A.yy + A.zz;
}
// Returns R A R^T.
template <class T>
constexpr Sym3<T> rotate(const Mat3<T>& R, const Sym3<T>& A) {
  const T* r = R.m;
  T t[9];  // A R^T
  for (int j = 0; j < 3; ++j) {
    const T a = r[3 * j], b = r[3 * j + 1], c = r[3 * j + 2];
    t[j] = A.xx * a + A.xy * b + A.xz * c;
    t[3 + j] = A.xy * a + A.yy * b + A.yz * c;
    t[6 + j] = A.xz * a + A.yz * b + A.zz * c;
  }
  auto entry = [&](int i, int j) {
    return r[3 * i] * t[j] + r[3 * i + 1] * t[3 + j] + r[3 * i + 2] * t[6 + j];
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

}  // namespace torsor
