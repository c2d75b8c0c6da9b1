#pragma once
// LU decomposition of a matrix whose structure is symmetric, within its profile.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace torsor::sdk {

// A = L U without pivoting. The rounding errors are small if the symmetric part of A is positive
// definite. L has the diagonal 1. Row i of L and column i of U begin at the first stored column of
// row i. Their entries are consecutive, so that all inner loops are products of consecutive
// numbers. An entry outside of the profile is zero in A, and stays zero.
class ProfileFactor {
 public:
  static constexpr size_t work_doubles(size_t profile) { return 2 * profile; }

  ProfileFactor() = default;
  // first: [n] first column of each row, at most its number. start: [n] such that entry (i, j) is
  // at start[i] + j. work: [work_doubles(profile)].
  ProfileFactor(int n, const int* first, const int64_t* start, int64_t profile, double* work)
      : n_(n), profile_(profile), first_(first), start_(start), L_(work), U_(work + profile) {}

  // Sets A to 0.
  void clear() { std::fill_n(L_, 2 * profile_, 0.0); }

  // Entries of A, j <= i, to be set before compute(): (i, j) and (j, i). The diagonal is upper().
  double& lower(int i, int j) { return L_[start_[i] + j]; }
  double& upper(int i, int j) { return U_[start_[i] + j]; }

  // Returns false if a pivot is too small.
  bool compute() {
    for (int i = 0; i < n_; ++i) {
      double *const l = L_ + start_[i], *const u = U_ + start_[i];
      for (int j = first_[i]; j < i; ++j) {
        const int begin = first_[i] > first_[j] ? first_[i] : first_[j];
        const double *const l_j = L_ + start_[j], *const u_j = U_ + start_[j];
        u[j] -= dot(l_j, u, begin, j);
        l[j] = (l[j] - dot(l, u_j, begin, j)) / u_j[j];
      }
      u[i] -= dot(l, u, first_[i], i);
      if (!(std::abs(u[i]) > least_pivot)) return false;
    }
    return true;
  }

  // Replaces b [n] by A^-1 b.
  void solve(double* b) const {
    for (int i = 0; i < n_; ++i) b[i] -= dot(L_ + start_[i], b, first_[i], i);
    for (int i = n_; i-- > 0;) {
      b[i] /= U_[start_[i] + i];
      for (int k = first_[i]; k < i; ++k) b[k] -= U_[start_[i] + k] * b[i];
    }
  }

 private:
  // Returns the sum of a_k b_k for begin <= k < end. Compilers do not change the order of sums, so
  // that they vectorise independent sums only.
  static double dot(const double* a, const double* b, int begin, int end) {
    constexpr int width = 8;
    double sums[width] = {}, sum = 0;
    int k = begin;
    for (; k + width <= end; k += width)
      for (int i = 0; i < width; ++i) sums[i] += a[k + i] * b[k + i];
    for (; k < end; ++k) sum += a[k] * b[k];
    for (int i = 0; i < width; ++i) sum += sums[i];
    return sum;
  }

  // The diagonal of A is about 1 in the units of its user.
  static constexpr double least_pivot = 1e-14;

  int n_ = 0;
  int64_t profile_ = 0;
  const int* first_ = nullptr;
  const int64_t* start_ = nullptr;
  double *L_ = nullptr, *U_ = nullptr;
};

}  // namespace torsor::sdk
