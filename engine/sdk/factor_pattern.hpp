#pragma once
// The factorisation M = L^T D L along the tree, and the solution of systems with many right-hand
// sides. Leaves are eliminated first, so that L is as sparse as M: it has entries only between a
// dof and the dof of its ancestors (Featherstone, Rigid Body Dynamics Algorithms, 6.5). L has a
// unit diagonal. D_k is the inertia that dof k moves if the dof further outwards are free, the H_j
// of KHALIL 7.71.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "torsor/sdk/torsor_model.h"
#include "torsor/spatial/lanes.hpp"

namespace torsor::sdk {

// The pivots are the dof, ordered by the lengths of their paths to the world. Pivots of different
// branches then follow each other, and a processor can work on several of them at the same time.
// Row k of L has an entry for each pivot on the path from the world to k, and the row of an
// ancestor begins with the same pivots. Construct it in prepare().
class FactorPattern {
 public:
  FactorPattern() = default;
  // `lanes` is the number of columns that are processed together.
  explicit FactorPattern(const torsor_model& model, int lanes = torsor::lanes<double>)
      : pivot_(size_t(model.n_v)) {
    std::vector<int> last(size_t(model.n_body), -1);  // last dof on the path of a body
    std::vector<int> length(size_t(model.n_v)), before(size_t(model.n_v)), body(size_t(model.n_v));
    for (int i = 1; i < model.n_body; ++i) {
      last[i] = last[model.parent[i]];
      for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
        before[k] = last[i];
        length[k] = last[i] < 0 ? 1 : length[last[i]] + 1;
        body[k] = i;
        last[i] = k;
        column_.push_back(k);
      }
    }
    std::ranges::stable_sort(column_, {}, [&](int k) { return length[k]; });
    for (const int k : column_) {
      const int own = pivot_[k] = int(body_.size());
      body_.push_back(body[k]);
      if (before[k] >= 0) {
        const int parent = pivot_[before[k]];
        for (int a = start_[parent]; a < start_[parent + 1]; ++a) path_.push_back(path_[a]);
      }
      path_.push_back(own);
      start_.push_back(int(path_.size()));
      row_.push_back(row_.back() + (length[k] + row_step - 1) / row_step * row_step);
    }
    add_groups(lanes);
  }

  int size() const { return int(column_.size()); }
  // The dof and the body of a pivot, and the pivot of a dof.
  int column(int k) const { return column_[k]; }
  int body(int k) const { return body_[k]; }
  int pivot(int dof) const { return pivot_[dof]; }
  // The pivots on the path to pivot k. The last one is k.
  std::span<const int> path(int k) const {
    return {path_.data() + start_[k], path_.data() + start_[k + 1]};
  }
  int path_length(int k) const { return start_[k + 1] - start_[k]; }
  // The number of entries of L: one for each dof, and one for each pair of a dof and a dof of an
  // ancestor.
  size_t entries() const { return path_.size(); }

  // Row k of L is stored at [row(k), row(k) + path_length(k)) in an array [row_doubles()]. Rows
  // begin at multiples of row_step, and are padded to a multiple of it.
  static constexpr int row_step = 8;
  int row(int k) const { return row_[k]; }
  size_t row_doubles() const { return size_t(row_.back()); }

  // The columns of a matrix are processed in groups [first_column(g), first_column(g) + lanes). The
  // last group overlaps the group before it, if n_v is not a multiple of the number of lanes.
  int n_groups() const { return int(first_column_.size()); }
  int first_column(int group) const { return first_column_[group]; }
  // A descendant of a pivot, and the place in L of the entry for both. Lists are in descending
  // order, so that a recursion from the leaves needs its latest result last.
  struct Descendant {
    int pivot, entry;
  };
  // A pivot on the path to a dof of a group of columns, or a descendant of such a dof. Its
  // descendants of the same kind are descendants(row).
  struct Row {
    int pivot, first, last;
  };
  // Returns the rows of a group in descending order.
  std::span<const Row> rows(int group) const {
    return {rows_.data() + first_row_[group], rows_.data() + first_row_[group + 1]};
  }
  // Returns a row for each pivot, with all descendants, in descending order.
  std::span<const Row> rows() const { return std::span(rows_).last(column_.size()); }
  std::span<const Descendant> descendants(const Row& row) const {
    return {descendant_.data() + row.first, descendant_.data() + row.last};
  }

 private:
  // No list of descendants is added when the lists have more entries than this multiple of those of
  // L. Trees of up to 100 bodies have fewer.
  static constexpr size_t most_lists = 8;

  void add_groups(int lanes) {
    const int n = size();
    const std::vector<Row> all = add_descendants();
    for (int at = 0; at < n; at += lanes) {
      const int first = first_column_.emplace_back(std::clamp(n - lanes, 0, at));
      if (lanes == 1) continue;  // such columns are processed with all rows
      // A pivot has a row if it is on the path to a column or below one.
      std::vector<bool> is_row(column_.size()), is_below(column_.size());
      std::vector<int> kept(column_.size());  // descendants with a row
      for (int k = 0; k < n; ++k) {
        const bool is_column = column_[k] >= first && column_[k] < first + lanes;
        is_below[k] = is_column || (path_length(k) > 1 && is_below[parent(k)]);
        if (is_below[k]) is_row[k] = true;
        if (is_column)
          for (const int ancestor : path(k)) is_row[ancestor] = true;
      }
      for (int k = n - 1; k >= 0; --k) {
        if (path_length(k) > 1) kept[parent(k)] += kept[k] + is_row[k];
        if (!is_row[k]) continue;
        const bool keeps_all = kept[k] == all[k].last - all[k].first;
        rows_.push_back(keeps_all ? all[k] : restricted(all[k], is_row));
      }
      first_row_.push_back(int(rows_.size()));
    }
    rows_.insert(rows_.end(), all.rbegin(), all.rend());
  }
  // Returns the last pivot on the path before pivot k, which is not the first one.
  int parent(int k) const { return path_[start_[k + 1] - 2]; }
  // Adds the lists of all descendants. Returns a row for each pivot.
  std::vector<Row> add_descendants() {
    std::vector<std::vector<Descendant>> lists(column_.size());
    for (int k = size() - 1; k >= 0; --k)
      for (int a = 0; a + 1 < path_length(k); ++a) lists[path(k)[a]].push_back({k, row(k) + a});
    std::vector<Row> out;
    for (int k = 0; k < size(); ++k) {
      const int first = int(descendant_.size());
      descendant_.insert(descendant_.end(), lists[k].begin(), lists[k].end());
      out.push_back({k, first, int(descendant_.size())});
    }
    return out;
  }
  // Returns a row with some of its descendants, in a new list. The lists of large trees could take
  // O(n^3) memory. Beyond the limit, a row keeps all descendants: those outside the group are zero.
  Row restricted(const Row& row, const std::vector<bool>& is_row) {
    if (descendant_.size() > most_lists * path_.size()) return row;
    const int first = int(descendant_.size());
    for (int at = row.first; at < row.last; ++at)
      if (const Descendant d = descendant_[at]; is_row[d.pivot]) descendant_.push_back(d);
    return {row.pivot, first, int(descendant_.size())};
  }

  std::vector<int> column_, body_, pivot_;
  std::vector<int> start_{0};  // start of each path in path_, [n + 1]
  std::vector<int> path_;
  std::vector<int> row_{0};  // [n + 1]
  std::vector<int> first_column_;
  std::vector<int> first_row_{0};  // start of each list in rows_, [n_groups + 1]
  std::vector<Row> rows_;
  std::vector<Descendant> descendant_;
};

// One product X = scale M^-1 B. B and X are [n_v][n_v] by rows and must not overlap. B has entries
// only where M has them: for a dof of the row and a dof of the column on the path of one of them. B
// is the identity if it is null; scale is then 1.
template <class T>
struct InverseProduct {
  const T* B;
  T scale;
  T* X;
};

namespace factor {

// A group of columns of a product: [first, first + lanes).
template <class T>
struct Group {
  const T* B;
  T scale;
  T* X;
  int first;
};

// Returns row `lane` of the identity.
template <class T>
[[gnu::always_inline]] inline LanesOf<T> unit_lanes(int lane) {
  constexpr int count = lanes<T>;
  if constexpr (count == 1) {
    return T(lane == 0 ? 1 : 0);
  } else {
    static constexpr auto unit = [] {
      std::array<T, 3 * count> out{};
      out[count] = 1;
      return out;
    }();
    return load_lanes(unit.data() + (lane >= 0 && lane < count ? count - lane : 2 * count));
  }
}

// Loads one row of a group. If n_v < lanes, the unused lanes contain numbers of the next rows, or 0
// where these numbers would be beyond the end of the matrix.
template <class T>
[[gnu::always_inline]] inline LanesOf<T> load_row(const Group<T>& group, int dof, int n) {
  if (!group.B) return unit_lanes<T>(dof - group.first);
  const T* from = group.B + size_t(dof) * size_t(n) + size_t(group.first);
  if (n * n < dof * n + group.first + lanes<T>) [[unlikely]]
    return LanesOf<T>(group.scale) * load_lanes(from, n);
  return LanesOf<T>(group.scale) * load_lanes(from);
}
// Stores the rows of n_v < lanes columns. A row overwrites the beginning of the next rows, unless
// it would be beyond the end of the matrix. Therefore the rows are stored in ascending order.
template <int count, class T>
void store_short_rows(const FactorPattern& pattern, const Group<T>* group, const LanesOf<T>* y) {
  const int n = pattern.size();
  for (int b = 0; b < count; ++b)
    for (int dof = 0; dof < n; ++dof) {
      T* to = group[b].X + dof * n;
      const LanesOf<T>& x = y[pattern.pivot(dof) * count + b];
      if (n * n < dof * n + lanes<T>)
        store_lanes(to, x, n);
      else
        store_lanes(to, x);
    }
}

// Loads one group of columns of `count` matrices, and solves L^T y = b: y_k = b_k - sum over
// descendants c of L_ck y_c. The other rows are 0. y is [n_v][count].
template <int count, class T>
void solve_inward(const FactorPattern& pattern, const T* L,
                  std::span<const FactorPattern::Row> rows, const Group<T>* group, LanesOf<T>* y) {
  using X = LanesOf<T>;
  const int n = pattern.size();
  if (int(rows.size()) < n)
    for (int k = 0; k < n; ++k)
      for (int b = 0; b < count; ++b) y[k * count + b] = X(0);
  for (const FactorPattern::Row& row : rows) {
    X at[count];
    for (int b = 0; b < count; ++b) at[b] = load_row(group[b], pattern.column(row.pivot), n);
    for (const auto [c, place] : pattern.descendants(row)) {
      const X entry(L[place]);
      for (int b = 0; b < count; ++b) at[b] = at[b] - entry * y[c * count + b];
    }
    for (int b = 0; b < count; ++b) y[row.pivot * count + b] = at[b];
  }
}

// Solves D L x = y for `count` groups, and stores x: x_k = y_k / D_k - sum over ancestors a of L_ka
// x_a. y is [n_v][count].
template <int count, class T>
void solve_outward(const FactorPattern& pattern, const T* L, const T* D_inverse,
                   const Group<T>* group, LanesOf<T>* y) {
  using X = LanesOf<T>;
  const int n = pattern.size();
  const bool is_short = n < lanes<T>;
  for (int k = 0; k < n; ++k) {
    const T* l = L + pattern.row(k);
    const std::span<const int> path = pattern.path(k);
    X at[count];
    for (int b = 0; b < count; ++b) at[b] = X(D_inverse[k]) * y[k * count + b];
    for (const int a : path.first(path.size() - 1)) {
      const X entry(*l++);
      for (int b = 0; b < count; ++b) at[b] = at[b] - entry * y[a * count + b];
    }
    for (int b = 0; b < count; ++b) y[k * count + b] = at[b];
    if (is_short) continue;
    const size_t row = size_t(pattern.column(k)) * size_t(n);
    for (int b = 0; b < count; ++b) store_lanes(group[b].X + row + group[b].first, at[b]);
  }
  if (is_short) store_short_rows<count>(pattern, group, y);
}

// Computes the columns of one group in `count` products.
template <int count, class T>
void solve_together(const FactorPattern& pattern, const T* L, const T* D_inverse,
                    const InverseProduct<T>* products, LanesOf<T>* y) {
  for (int g = 0; g < pattern.n_groups(); ++g) {
    Group<T> group[count];
    for (int b = 0; b < count; ++b)
      group[b] = {products[b].B, products[b].scale, products[b].X, pattern.first_column(g)};
    solve_inward<count>(pattern, L, pattern.rows(g), group, y);
    solve_outward<count>(pattern, L, D_inverse, group, y);
  }
}

// Computes `count` groups of columns of one product, from group g.
template <int count, class T>
void solve_groups(const FactorPattern& pattern, const T* L, const T* D_inverse,
                  const InverseProduct<T>& product, int g, LanesOf<T>* y) {
  Group<T> group[count];
  for (int b = 0; b < count; ++b)
    group[b] = {product.B, product.scale, product.X, pattern.first_column(g + b)};
  solve_inward<count>(pattern, L, pattern.rows(), group, y);
  solve_outward<count>(pattern, L, D_inverse, group, y);
}

}  // namespace factor

// The number of groups of columns that are processed together, at most.
inline constexpr int groups_at_once = 4;

// Computes products with M^-1 from the rows of L, in an array [row_doubles()], and 1/D [n_v]. Work:
// y [n_v * groups_at_once].
template <class T>
void inverse_product(const FactorPattern& pattern, const T* L, const T* D_inverse,
                     const InverseProduct<T>& product, LanesOf<T>* y) {
  const int n = pattern.n_groups();
  int g = 0;
  for (; g + 4 <= n; g += 4) factor::solve_groups<4>(pattern, L, D_inverse, product, g, y);
  if (g + 3 == n) return factor::solve_groups<3>(pattern, L, D_inverse, product, g, y);
  if (g + 2 == n) return factor::solve_groups<2>(pattern, L, D_inverse, product, g, y);
  if (g + 1 == n) factor::solve_groups<1>(pattern, L, D_inverse, product, g, y);
}
template <class T>
void inverse_products(const FactorPattern& pattern, const T* L, const T* D_inverse,
                      const InverseProduct<T> (&products)[3], LanesOf<T>* y) {
  factor::solve_together<3>(pattern, L, D_inverse, products, y);
}

}  // namespace torsor::sdk
