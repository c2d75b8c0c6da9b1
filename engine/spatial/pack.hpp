#pragma once
// Pack<N>: N numbers in the lanes of SIMD registers, as a scalar of the kernels. A kernel that is
// evaluated with packs computes N problems at once, with the same operations in each lane. Uses
// the vector types of gcc and clang, which have operators for each element.

namespace torsor {

// The vector type of N numbers. gcc 12 does not accept a size that depends on a template parameter.
template <int N>
struct VectorOf;
template <>
struct VectorOf<2> {
  typedef double Type __attribute__((vector_size(16)));
};
template <>
struct VectorOf<4> {
  typedef double Type __attribute__((vector_size(32)));
};
template <>
struct VectorOf<8> {
  typedef double Type __attribute__((vector_size(64)));
};

template <int N>
struct Pack {
  using Lanes = typename VectorOf<N>::Type;
  Lanes lanes;

  Pack() = default;
  Pack(double x) : lanes(x - Lanes{}) {}  // x in each lane; x - 0 keeps the sign of a zero
  explicit Pack(const Lanes& l) : lanes(l) {}

  double operator[](int lane) const { return lanes[lane]; }

  Pack operator-() const { return Pack(-lanes); }
  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.lanes + b.lanes); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.lanes - b.lanes); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.lanes * b.lanes); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.lanes / b.lanes); }
  // Returns whether a > b in every lane.
  friend bool all_greater(const Pack& a, const Pack& b) {
    const auto greater = a.lanes > b.lanes;
    bool all = true;
    for (int lane = 0; lane < N; ++lane) all &= greater[lane] != 0;
    return all;
  }
};

// The number of lanes in the widest register of the processor for which a file is compiled.
#if defined(__AVX512F__)
inline constexpr int native_lanes = 8;
#elif defined(__AVX__)
inline constexpr int native_lanes = 4;
#else
inline constexpr int native_lanes = 2;
#endif

}  // namespace torsor
