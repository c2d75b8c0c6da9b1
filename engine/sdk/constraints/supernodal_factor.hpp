#pragma once
// LU decomposition of a sparse matrix whose structure is symmetric, by supernodes.
//
// The matrix consists of blocks of nodes: sets of consecutive rows and columns. Its pattern lists
// the blocks of L below each diagonal block. A supernode is a set of consecutive nodes whose blocks
// below the last one are the same. Its columns of L and rows of U are dense panels:
//
//          p   r
//     p  [ D | U ]     D: the diagonal blocks of p rows, U: the columns of the later nodes
//     r  [ L |   ]     L: the rows of the later nodes
//
// A supernode is factorised as a dense matrix. The product L U then updates later supernodes.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace torsor::sdk {

// The pattern of L. Node k has the rows start[k] <= row < start[k + 1]. The blocks of L below the
// diagonal block k are those of the nodes fill[i], fill_start[k] <= i < fill_start[k + 1], which
// ascend. They contain the blocks of the matrix itself.
struct FillPattern {
  int n_nodes = 0;
  const int32_t *start = nullptr, *fill_start = nullptr, *fill = nullptr;

  int n() const { return n_nodes > 0 ? start[n_nodes] : 0; }
  int size(int node) const { return start[node + 1] - start[node]; }
};

// C -= A B, for A [rows][k], B [k][columns], with the lengths of their rows in memory.
inline void subtract_product(const double* A, int in_A, const double* B, int in_B, double* C,
                             int in_C, int rows, int columns, int k) {
  constexpr int high = 4, wide = 8;
  int i = 0;
  for (; i + high <= rows; i += high) {
    int j = 0;
    for (; j + wide <= columns; j += wide) {
      double sum[high][wide];
      for (int a = 0; a < high; ++a)
        for (int b = 0; b < wide; ++b) sum[a][b] = C[size_t(i + a) * size_t(in_C) + size_t(j + b)];
      for (int l = 0; l < k; ++l) {
        const double* const row = B + size_t(l) * size_t(in_B) + j;
        for (int a = 0; a < high; ++a) {
          const double factor = A[size_t(i + a) * size_t(in_A) + size_t(l)];
          for (int b = 0; b < wide; ++b) sum[a][b] -= factor * row[b];
        }
      }
      for (int a = 0; a < high; ++a)
        for (int b = 0; b < wide; ++b) C[size_t(i + a) * size_t(in_C) + size_t(j + b)] = sum[a][b];
    }
    for (; j < columns; ++j)
      for (int a = 0; a < high; ++a) {
        double sum = C[size_t(i + a) * size_t(in_C) + size_t(j)];
        for (int l = 0; l < k; ++l)
          sum -=
              A[size_t(i + a) * size_t(in_A) + size_t(l)] * B[size_t(l) * size_t(in_B) + size_t(j)];
        C[size_t(i + a) * size_t(in_C) + size_t(j)] = sum;
      }
  }
  for (; i < rows; ++i)
    for (int l = 0; l < k; ++l) {
      const double factor = A[size_t(i) * size_t(in_A) + size_t(l)];
      for (int j = 0; j < columns; ++j)
        C[size_t(i) * size_t(in_C) + size_t(j)] -= factor * B[size_t(l) * size_t(in_B) + size_t(j)];
    }
}

class SupernodalFactor {
 public:
  // entries: the number of entries of L by rows, the triangles of the diagonal blocks included.
  static constexpr size_t work_doubles(size_t n_nodes, size_t n_fill, size_t entries) {
    const size_t ints = 5 * n_nodes + 4 + n_fill;
    return (ints + 1) / 2 + 2 * n_nodes + 4 + size_t(5.5 * double(entries));
  }
  SupernodalFactor() = default;
  // The pattern must outlive this. work: [work_doubles()] of the pattern.
  SupernodalFactor(const FillPattern& pattern, double* work) : pattern_(pattern) {
    const auto n = size_t(pattern.n_nodes);
    const auto ints = [&](size_t count) {
      return ::new (static_cast<void*>(std::exchange(work, work + (count + 1) / 2))) int[count + 1];
    };
    panel_ = ::new (static_cast<void*>(std::exchange(work, work + n + 1))) int64_t[n + 1];
    super_ = ints(n), first_ = ints(n + 1), position_ = ints(n);
    below_ = ints(n > 0 ? size_t(pattern.fill_start[n]) : 0);
    find_supernodes();
    values_ = work;
    front_ = work + panel_[n_super_];
  }

  // Sets the matrix to 0.
  void clear() { std::fill_n(values_, panel_[n_super_], 0.0); }

  // A block (i, j) of the matrix: value[k] is its row k, `length` apart.
  struct Block {
    double* value;
    int length;
  };
  // Returns the block of two nodes that the pattern contains.
  Block block(int i, int j) {
    const int s = super_[std::min(i, j)], p = pivots(s), m = p + rest(s);
    double* const panel = values_ + panel_[s];
    const int at_i = offset(s, i), at_j = offset(s, j);
    if (super_[i] != s)
      return {panel + size_t(p) * size_t(m) + size_t(at_i - p) * size_t(p) + at_j, p};
    return {panel + size_t(at_i) * size_t(m) + at_j, m};
  }

  // Returns false if a pivot is too small.
  bool compute() {
    for (int s = 0; s < n_super_; ++s)
      if (!factor_supernode(s)) return false;
    return true;
  }

  // Replaces b [n] by A^-1 b.
  void solve(double* b) const {
    for (int s = 0; s < n_super_; ++s) {
      const int p = pivots(s), m = p + rest(s), row = pattern_.start[first_[s]];
      const double* const top = values_ + panel_[s];
      for (int i = 1; i < p; ++i) {
        double sum = b[row + i];
        for (int k = 0; k < i; ++k) sum -= top[size_t(i) * size_t(m) + size_t(k)] * b[row + k];
        b[row + i] = sum;
      }
      const double* l = top + size_t(p) * size_t(m);
      for_each_below(s, [&](int later) {
        double sum = b[later];
        for (int k = 0; k < p; ++k) sum -= l[k] * b[row + k];
        b[later] = sum, l += p;
      });
    }
    for (int s = n_super_; s-- > 0;) {
      const int p = pivots(s), m = p + rest(s), row = pattern_.start[first_[s]];
      const double* const top = values_ + panel_[s];
      double* const x = front_;
      int count = 0;
      for_each_below(s, [&](int later) { x[count++] = b[later]; });
      for (int i = p; i-- > 0;) {
        const double* const u = top + size_t(i) * size_t(m);
        double sum = b[row + i];
        for (int k = i + 1; k < p; ++k) sum -= u[k] * b[row + k];
        for (int k = 0; k < count; ++k) sum -= u[p + k] * x[k];
        b[row + i] = sum / u[i];
      }
    }
  }

 private:
  // The diagonal of A is at least 1 in the units of its user.
  static constexpr double least_pivot = 1e-14;
  // Nodes are joined if the zeros add at most this part to the entries of their panels.
  static constexpr double most_padding = 1.15;
  static constexpr int chunk = 16;

  int pivots(int s) const { return pattern_.start[first_[s + 1]] - pattern_.start[first_[s]]; }
  int last(int s) const { return first_[s + 1] - 1; }
  // Returns the number of rows of the later nodes.
  int rest(int s) const { return rest_of(last(s)); }
  int rest_of(int node) const {
    const int end = pattern_.fill_start[node + 1];
    return end == pattern_.fill_start[node]
               ? 0
               : below_[end - 1] + pattern_.size(pattern_.fill[end - 1]);
  }
  // Returns the row of a node in the panels of a supernode.
  int offset(int s, int node) const {
    if (super_[node] == s) return pattern_.start[node] - pattern_.start[first_[s]];
    const int32_t* const begin = pattern_.fill + pattern_.fill_start[last(s)];
    const int32_t* const end = pattern_.fill + pattern_.fill_start[last(s) + 1];
    return pivots(s) + below_[std::lower_bound(begin, end, node) - pattern_.fill];
  }
  template <class Visit>
  void for_each_below(int s, Visit visit) const {
    for (int i = pattern_.fill_start[last(s)]; i < pattern_.fill_start[last(s) + 1]; ++i)
      for (int row = pattern_.start[pattern_.fill[i]]; row < pattern_.start[pattern_.fill[i] + 1];
           ++row)
        visit(row);
  }

  // Joins a node with the supernode of the next one if it is the first node after it in its
  // pattern, and few zeros are added.
  void find_supernodes() {
    const int n = pattern_.n_nodes;
    for (int node = 0; node < n; ++node)
      for (int i = pattern_.fill_start[node], sum = 0; i < pattern_.fill_start[node + 1]; ++i) {
        below_[i] = sum;
        sum += pattern_.size(pattern_.fill[i]);
      }
    n_super_ = 0;
    double exact = 0;
    int p = 0;
    for (int node = 0; node < n; ++node) {
      const int size = pattern_.size(node), r = rest_of(node);
      const double own = double(size) * (size + r);
      const bool follows = node > 0 && pattern_.fill_start[node] > pattern_.fill_start[node - 1] &&
                           pattern_.fill[pattern_.fill_start[node - 1]] == node;
      const double joined = double(p + size) * (p + size + r);
      if (follows && joined <= most_padding * (exact + own)) {
        exact += own, p += size;
      } else {
        first_[n_super_++] = node;
        exact = own, p = size;
      }
      super_[node] = n_super_ - 1;
    }
    first_[n_super_] = n;
    panel_[0] = 0;
    for (int s = 0; s < n_super_; ++s)
      panel_[s + 1] = panel_[s] + int64_t(pivots(s)) * (pivots(s) + 2 * int64_t(rest(s)));
  }

  // Copies the panels to the dense front, factorises p of its rows, and copies them back.
  bool factor_supernode(int s) {
    const int p = pivots(s), r = rest(s), m = p + r;
    double* const top = values_ + panel_[s];
    double* const bottom = top + size_t(p) * size_t(m);
    double* const F = front_;
    std::copy_n(top, size_t(p) * size_t(m), F);
    for (int i = 0; i < r; ++i) {
      double* const row = F + size_t(p + i) * size_t(m);
      std::copy_n(bottom + size_t(i) * size_t(p), p, row);
      std::fill_n(row + p, r, 0.0);
    }
    for (int begin = 0; begin < p; begin += chunk) {
      const int end = std::min(begin + chunk, p);
      if (!factor_chunk(m, begin, end)) return false;
      const auto at = [&](int i, int j) { return F + size_t(i) * size_t(m) + size_t(j); };
      subtract_product(at(end, begin), m, at(begin, end), m, at(end, end), m, m - end, m - end,
                       end - begin);
    }
    std::copy_n(F, size_t(p) * size_t(m), top);
    for (int i = 0; i < r; ++i)
      std::copy_n(F + size_t(p + i) * size_t(m), p, bottom + size_t(i) * size_t(p));
    add_update(s, p, m);
    return true;
  }

  // Eliminates the rows begin .. end - 1 of the front, except in the rest of the front.
  bool factor_chunk(int m, int begin, int end) {
    double* const F = front_;
    for (int k = begin; k < end; ++k) {
      const double* const pivot = F + size_t(k) * size_t(m);
      if (!(std::abs(pivot[k]) > least_pivot)) return false;
      const double inverse = 1 / pivot[k];
      for (int i = k + 1; i < end; ++i) {
        double* const row = F + size_t(i) * size_t(m);
        const double factor = row[k] *= inverse;
        for (int j = k + 1; j < m; ++j) row[j] -= factor * pivot[j];
      }
      for (int i = end; i < m; ++i) {
        double* const row = F + size_t(i) * size_t(m);
        const double factor = row[k] *= inverse;
        for (int j = k + 1; j < end; ++j) row[j] -= factor * pivot[j];
      }
    }
    return true;
  }

  // Adds the rest of the front to later supernodes.
  void add_update(int s, int p, int m) {
    const int begin = pattern_.fill_start[last(s)], end = pattern_.fill_start[last(s) + 1];
    const int32_t* const nodes = pattern_.fill;
    for (int a = begin; a < end;) {
      const int t = super_[nodes[a]];
      int next = a;
      while (next < end && super_[nodes[next]] == t) ++next;
      for (int b = a; b < end; ++b) position_[b - begin] = b < next ? offset(t, nodes[b]) : 0;
      for (int b = next, i = pattern_.fill_start[last(t)]; b < end; ++b, ++i) {
        while (nodes[i] != nodes[b]) ++i;
        position_[b - begin] = pivots(t) + below_[i];
      }
      add_to(t, begin, a, next, end, p, m);
      a = next;
    }
  }
  // Adds the rows and columns of the nodes a .. next - 1 of the list, with those of later nodes.
  void add_to(int t, int begin, int a, int next, int end, int p, int m) {
    const int32_t* const nodes = pattern_.fill;
    const int p_t = pivots(t), m_t = p_t + rest(t);
    double* const top = values_ + panel_[t];
    double* const bottom = top + size_t(p_t) * size_t(m_t);
    for (int i = a; i < end; ++i) {
      const int at_i = position_[i - begin], size_i = pattern_.size(nodes[i]);
      for (int k = 0; k < size_i; ++k) {
        const double* const row = front_ + size_t(p + below_[i] + k) * size_t(m) + p;
        double* const to = i < next ? top + size_t(at_i + k) * size_t(m_t)
                                    : bottom + size_t(at_i - p_t + k) * size_t(p_t);
        for (int j = a; j < (i < next ? end : next); ++j) {
          double* const entry = to + position_[j - begin];
          const double* const update = row + below_[j];
          for (int l = 0; l < pattern_.size(nodes[j]); ++l) entry[l] += update[l];
        }
      }
    }
  }

  FillPattern pattern_;
  int n_super_ = 0;
  int64_t* panel_ = nullptr;                    // [supernodes + 1] first entry of the panels
  int *super_ = nullptr, *first_ = nullptr;     // supernode of a node; its first node
  int *position_ = nullptr, *below_ = nullptr;  // scratch; row of each entry of the pattern
  double *values_ = nullptr, *front_ = nullptr;
};

}  // namespace torsor::sdk
