#pragma once
// Pack<N>: N numbers in the lanes of SIMD registers, as a scalar of the kernels. A kernel that is
// evaluated with packs computes N problems at once, with the same operations in each lane. Uses
// the vector types of gcc and clang, which have operators for each element.

#include <cstring>
#if defined(__clang__) && defined(__AVX2__)
#include <immintrin.h>
#endif

namespace torsor {

// The vector types of N numbers and of N integers. gcc 12 does not accept a size that depends on a
// template parameter.
template <int N>
struct VectorOf;
template <>
struct VectorOf<2> {
  typedef double Type __attribute__((vector_size(16)));
  typedef long long Integers __attribute__((vector_size(16)));
};
template <>
struct VectorOf<4> {
  typedef double Type __attribute__((vector_size(32)));
  typedef long long Integers __attribute__((vector_size(32)));
};
template <>
struct VectorOf<8> {
  typedef double Type __attribute__((vector_size(64)));
  typedef long long Integers __attribute__((vector_size(64)));
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

// An integer per lane: the numbers of lanes for permute(), or a mask for select(), whose entries
// are 0 or -1.
template <int N>
struct LaneNumbers {
  using Lanes = typename VectorOf<N>::Integers;
  Lanes lanes;
  void set(int lane, long long x) { lanes[lane] = x; }
  long long operator[](int lane) const { return lanes[lane]; }
};

// Returns lane from[l] of x in lane l.
template <int N>
Pack<N> permute(const Pack<N>& x, const LaneNumbers<N>& from) {
#if !defined(__clang__)
  return Pack<N>(typename Pack<N>::Lanes(__builtin_shuffle(x.lanes, from.lanes)));
#else
#if defined(__AVX512VL__)
  if constexpr (N == 8) return Pack<N>(_mm512_permutexvar_pd(from.lanes, x.lanes));
  if constexpr (N == 4) return Pack<N>(_mm256_permutexvar_pd(from.lanes, x.lanes));
#elif defined(__AVX2__)
  if constexpr (N == 4) {  // moves the halves 2 from[l] and 2 from[l] + 1 of the numbers
    const auto low = from.lanes + from.lanes, halves = low | ((low + 1) << 32);
    return Pack<N>(typename Pack<N>::Lanes(
        _mm256_permutevar8x32_ps(_mm256_castpd_ps(x.lanes), __m256i(halves))));
  }
#endif
  typename Pack<N>::Lanes out;
  for (int l = 0; l < N; ++l) out[l] = x[int(from[l])];
  return Pack<N>(out);
#endif
}
// Returns a where the mask is -1, and b where it is 0.
template <int N>
Pack<N> select(const LaneNumbers<N>& mask, const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>(mask.lanes ? a.lanes : b.lanes);
}
// Returns x where the mask is -1, and 0 where it is 0.
template <int N>
Pack<N> keep(const LaneNumbers<N>& mask, const Pack<N>& x) {
  using Bits = typename LaneNumbers<N>::Lanes;
  return Pack<N>(typename Pack<N>::Lanes(Bits(x.lanes) & mask.lanes));
}
// Returns x[place[l]] in lane l.
template <int N>
Pack<N> load_at(const double* x, const int* place) {
  typename Pack<N>::Lanes out;
  for (int l = 0; l < N; ++l) out[l] = x[place[l]];
  return Pack<N>(out);
}

namespace detail {
typedef double Two __attribute__((vector_size(16)));
inline Two load_two(const double* x) {
  Two out;
  std::memcpy(&out, x, sizeof out);
  return out;
}
// Returns the numbers of a, then those of b.
template <class Lanes>
auto joined(const Lanes& a, const Lanes& b) {
  if constexpr (sizeof(Lanes) == sizeof(Two))
    return __builtin_shufflevector(a, b, 0, 1, 2, 3);
  else
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
}  // namespace detail

// Calls use(k, x) for the columns k of a table with an even number of columns, stored by rows: x
// contains the entries of column k in the rows row[l]. Loads two columns at a time.
template <int N, int columns, class Use>
void load_columns(const double* table, const int* row, Use use) {
  static_assert(columns % 2 == 0 && (N == 2 || N == 4 || N == 8));
  using detail::joined, detail::load_two;
  for (int k = 0; k < columns; k += 2) {
    const auto at = [&](int l) { return load_two(table + columns * row[l] + k); };
    if constexpr (N == 2) {
      const auto a = at(0), b = at(1);
      use(k, Pack<N>(__builtin_shufflevector(a, b, 0, 2)));
      use(k + 1, Pack<N>(__builtin_shufflevector(a, b, 1, 3)));
    } else if constexpr (N == 4) {
      const auto a = joined(at(0), at(2)), b = joined(at(1), at(3));
      use(k, Pack<N>(__builtin_shufflevector(a, b, 0, 4, 2, 6)));
      use(k + 1, Pack<N>(__builtin_shufflevector(a, b, 1, 5, 3, 7)));
    } else {
      const auto a = joined(joined(at(0), at(2)), joined(at(4), at(6))),
                 b = joined(joined(at(1), at(3)), joined(at(5), at(7)));
      use(k, Pack<N>(__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)));
      use(k + 1, Pack<N>(__builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)));
    }
  }
}

}  // namespace torsor
