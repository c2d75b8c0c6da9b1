#pragma once
// Pack<N>: N numbers in the lanes of SIMD registers, as a scalar of the kernels. A kernel that is
// evaluated with packs computes N problems at once, with the same operations in each lane. Uses
// the vector types of gcc and clang, which have operators for each element.

namespace torsor {

template <int N>
struct Pack {
  typedef double Lanes __attribute__((vector_size(N * sizeof(double))));
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
