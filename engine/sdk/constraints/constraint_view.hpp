#pragma once
// Tools for constraint solvers: the entries of G, the bounds and rates of a row, the cones of
// contacts, and the residual of a result.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>

#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor::sdk {

// A bound of lambda beyond this size is no bound. Plugins may be compiled for finite numbers only,
// so that a comparison with infinity is not reliable.
inline constexpr double unbounded = 1e300;

// The host rejects results with a larger residual.
inline constexpr double largest_residual = 1e-6;

// Returns the size of problems of n rows with a dense G.
inline torsor_constraint_size dense_size(int n) {
  return {sizeof(torsor_constraint_size), n, int64_t(n) * (n + 1) / 2, 0, 0, 0, 0};
}

// Calls function(column, G_ij) for the stored entries of a row of G, in ascending order of columns.
template <class Function>
void for_each_entry(const torsor_constraint_problem& problem, int row, Function function) {
  if (problem.G) {
    const double* const G = problem.G + size_t(problem.n) * size_t(row);
    const int n = problem.n;
    for (int j = 0; j < n; ++j) function(j, G[j]);
  } else {
    const int end = problem.row_start[row + 1];
    const int32_t* const column = problem.column;
    const double* const value = problem.value;
    for (int k = problem.row_start[row]; k < end; ++k) function(column[k], value[k]);
  }
}

// Returns G_ij, which is 0 if it is not stored.
inline double entry(const torsor_constraint_problem& problem, int i, int j) {
  if (problem.G) return problem.G[size_t(problem.n) * size_t(i) + size_t(j)];
  const int32_t* const end = problem.column + problem.row_start[i + 1];
  const int32_t* const at = std::lower_bound(problem.column + problem.row_start[i], end, j);
  return at != end && *at == j ? problem.value[at - problem.column] : 0;
}

// Returns the column of the first stored entry of a row, which is at or before the diagonal.
inline int first_column(const torsor_constraint_problem& problem, int row) {
  return problem.G ? 0 : problem.column[problem.row_start[row]];
}

// The rate w of a row, and the size of the terms whose sum it is.
struct RowRate {
  double w, terms;
};
// Adds the terms of n entries to a rate. Compilers do not change the order of sums, so that several
// independent sums are faster than one.
template <class Term>
void add_terms(int n, RowRate& rate, Term term) {
  constexpr int width = 8;
  double sums[width] = {}, sizes[width] = {};
  int k = 0;
  for (; k + width <= n; k += width)
    for (int i = 0; i < width; ++i) {
      const double each = term(k + i);
      sums[i] += each;
      sizes[i] += std::abs(each);
    }
  for (; k < n; ++k) rate.w += term(k), rate.terms += std::abs(term(k));
  for (int i = 0; i < width; ++i) rate.w += sums[i], rate.terms += sizes[i];
}
inline RowRate row_rate(const torsor_constraint_problem& problem, int row, const double* lambda) {
  RowRate out{problem.c[row], problem.c_terms[row]};
  if (problem.G) {
    const double* const G = problem.G + size_t(problem.n) * size_t(row);
    add_terms(problem.n, out, [G, lambda](int j) { return G[j] * lambda[j]; });
  } else {
    const int first = problem.row_start[row];
    const int32_t* const column = problem.column + first;
    const double* const value = problem.value + first;
    add_terms(problem.row_start[row + 1] - first, out,
              [column, value, lambda](int k) { return value[k] * lambda[column[k]]; });
  }
  return out;
}

inline double clamped(const torsor_constraint_problem& problem, int row, double lambda) {
  return std::min(std::max(lambda, problem.lower[row]), problem.upper[row]);
}

// Returns the multiplier of a row that no multiplier moves (G_ii = 0): the bound that satisfies the
// conditions, or the value within the bounds that is nearest to 0 if this bound is infinite.
inline double unmoved_multiplier(const torsor_constraint_problem& problem, int row) {
  const double bound = problem.c[row] > 0   ? problem.lower[row]
                       : problem.c[row] < 0 ? problem.upper[row]
                                            : 0;
  return clamped(problem, row, std::abs(bound) < unbounded ? bound : 0);
}

// A contact: a normal row 0 and the rows of its friction groups, in units with d = 1:
//   x = d lambda,   y = w / d,   m = mu d_t / d_normal
// d_normal = sqrt(G_nn), and d_t = sqrt(mean of G_tt) for all rows of a group. A friction group
// that no multiplier moves has d_t = 0 and is left out: its x and y are 0. If no multiplier moves
// the normal row, x_normal is fixed and d_normal = 1.
class Contact {
 public:
  static constexpr int most_groups = 3, most_rows = 1 + 2 * most_groups;
  struct Group {
    int begin, end;  // rows of the contact
    double m;
    bool is_moved;
  };

  // group: the first group of the contact.
  Contact(const torsor_constraint_problem& problem, int group)
      : frictions_(problem.frictions + group), first_(frictions_->normal) {
    const double g = entry(problem, first_, first_);
    scale_[0] = g > 0 ? std::sqrt(g) : 1;
    lower_ = upper_ = g > 0 ? 0 : unmoved_multiplier(problem, first_);
    if (g > 0)
      lower_ = scale_[0] * problem.lower[first_], upper_ = scale_[0] * problem.upper[first_];
    for (; group < problem.n_frictions && problem.frictions[group].normal == first_; ++group) {
      const torsor_friction& friction = problem.frictions[group];
      double trace = 0;
      for (int k = 0; k < friction.count; ++k)
        trace += entry(problem, friction.first + k, friction.first + k);
      const double d = trace > 0 ? std::sqrt(trace / friction.count) : 0;
      groups_[n_groups_++] = {n_rows_, n_rows_ + friction.count, friction.mu * d / scale_[0],
                              d > 0};
      for (int k = 0; k < friction.count; ++k) scale_[n_rows_++] = d;
    }
  }

  // Rows first() to before end() of the problem.
  int first() const { return first_; }
  int n_rows() const { return n_rows_; }
  int end() const { return first_ + n_rows_; }
  int n_groups() const { return n_groups_; }
  const Group& group(int k) const { return groups_[k]; }
  // Returns d of a row.
  double scale(int row) const { return scale_[row]; }
  double lower() const { return lower_; }
  double upper() const { return upper_; }

  // Returns |x_t| of a group.
  static double norm(const Group& group, const double* x) {
    return group.end - group.begin == 1
               ? std::abs(x[group.begin])
               : std::sqrt(x[group.begin] * x[group.begin] + x[group.end - 1] * x[group.end - 1]);
  }
  // Returns De Saxce's shift of the normal rate: the sum of m |y_t|.
  double shift(const double* y) const {
    double sum = 0;
    for (int k = 0; k < n_groups_; ++k) sum += groups_[k].m * norm(groups_[k], y);
    return sum;
  }

  // Replaces x [n_rows] by the nearest point of the set  lower <= x_n <= upper, |x_t| <= m x_n.
  // Without the bounds, x_n is the root of the increasing function
  //   f(z) = z - x_n - sum over the groups of m max(|x_t| - m z, 0)
  // A group with m z < |x_t| at the root is at its cone. Groups with a larger |x_t| / m reach their
  // cones first. Returns the groups at their cones, as a bit mask.
  unsigned project(double* x) const {
    double size[most_groups], sum = x[0], weight = 1;
    unsigned at_cone = 0;
    for (int k = 0; k < n_groups_; ++k) size[k] = norm(groups_[k], x);
    for (;;) {
      int next = -1;
      for (int k = 0; k < n_groups_; ++k)
        if (!(at_cone >> k & 1u) && size[k] * weight > groups_[k].m * sum &&
            (next < 0 || size[k] * groups_[next].m > size[next] * groups_[k].m))
          next = k;
      if (next < 0) break;
      at_cone |= 1u << next;
      sum += groups_[next].m * size[next];
      weight += groups_[next].m * groups_[next].m;
    }
    return limit(x, sum / weight);
  }
  // Sets x_n to a value within its bounds, and shortens the x_t that are then outside of the cones.
  // Returns the groups that are shortened.
  unsigned limit(double* x, double normal) const {
    unsigned at_cone = 0;
    x[0] = std::min(std::max(normal, lower_), upper_);
    for (int k = 0; k < n_groups_; ++k) {
      const double most = groups_[k].m * std::max(x[0], 0.0), size = norm(groups_[k], x);
      if (!(size > most)) continue;
      at_cone |= 1u << k;
      for (int i = groups_[k].begin; i < groups_[k].end; ++i) x[i] *= most / size;
    }
    return at_cone;
  }

  // Writes lambda of the rows of the contact. x: [n_rows]. Groups that no multiplier moves oppose
  // their constant rates.
  void write(const torsor_constraint_problem& problem, const double* x, double* lambda) const {
    for (int i = 0; i < n_rows_; ++i) lambda[first_ + i] = scale_[i] > 0 ? x[i] / scale_[i] : 0;
    for (int k = 0; k < n_groups_; ++k) {
      const double size = norm(groups_[k], problem.c + first_);
      if (groups_[k].is_moved || !(size > 0)) continue;
      for (int i = groups_[k].begin; i < groups_[k].end; ++i)
        lambda[first_ + i] = -frictions_[k].mu * lambda[first_] * (problem.c[first_ + i] / size);
    }
  }

 private:
  const torsor_friction* frictions_;
  int first_, n_rows_ = 1, n_groups_ = 0;
  double scale_[most_rows], lower_, upper_;
  Group groups_[most_groups];
};

// Calls on_row(row) for each row that is in no contact, and on_contact(contact) for each contact,
// in ascending order of rows.
template <class OnRow, class OnContact>
void for_each_block(const torsor_constraint_problem& problem, OnRow on_row, OnContact on_contact) {
  for (int row = 0, group = 0; row < problem.n;) {
    if (group < problem.n_frictions && problem.frictions[group].normal == row) {
      const Contact contact(problem, group);
      on_contact(contact);
      row = contact.end(), group += contact.n_groups();
    } else {
      on_row(row++);
    }
  }
}

// The blocks of a problem, for solvers that visit them many times.
class Blocks {
 public:
  // A contact has two rows or more.
  static constexpr size_t work_doubles(size_t n) {
    return n / 2 * ((sizeof(Contact) + sizeof(double) - 1) / sizeof(double));
  }
  // work: [work_doubles(n)] for the rows of the problem.
  Blocks(const torsor_constraint_problem& problem, double* work)
      : n_rows_(problem.n), contacts_(reinterpret_cast<Contact*>(work)) {
    for_each_block(
        problem, [](int) {},
        [this](const Contact& contact) {
          ::new (static_cast<void*>(contacts_ + n_contacts_++)) Contact(contact);
        });
  }
  // Calls the functions like for_each_block().
  template <class OnRow, class OnContact>
  void for_each(OnRow on_row, OnContact on_contact) const {
    int row = 0;
    for (const Contact* contact = contacts_; contact != contacts_ + n_contacts_; ++contact) {
      while (row < contact->first()) on_row(row++);
      on_contact(*contact);
      row = contact->end();
    }
    while (row < n_rows_) on_row(row++);
  }

 private:
  int n_rows_, n_contacts_ = 0;
  Contact* contacts_;
};

// Accumulates the residual of torsor_constraint_result block by block.
class Residual {
 public:
  // g: G_ii of a row that is in no contact.
  void add(const torsor_constraint_problem& problem, int row, double g, double lambda,
           const RowRate& rate) {
    if (!(g > 0)) return;
    const double d = std::sqrt(g), off = lambda - clamped(problem, row, lambda - rate.w / g);
    violation_ = std::max(violation_, d * std::abs(off));
    add_size(problem, row, d, rate);
  }
  // x, rates: [n_rows] of the contact.
  void add(const torsor_constraint_problem& problem, const Contact& contact, const double* x,
           const RowRate* rates) {
    double y[Contact::most_rows], point[Contact::most_rows];
    for (int i = 0; i < contact.n_rows(); ++i) {
      const double d = contact.scale(i);
      y[i] = d > 0 ? rates[i].w / d : 0;
      point[i] = x[i] - y[i];
      if (d > 0) add_size(problem, contact.first() + i, d, rates[i]);
    }
    point[0] -= contact.shift(y);
    contact.project(point);
    for (int i = 0; i < contact.n_rows(); ++i) point[i] -= x[i];
    violation_ = std::max(violation_, std::abs(point[0]));
    for (int k = 0; k < contact.n_groups(); ++k)
      violation_ = std::max(violation_, Contact::norm(contact.group(k), point));
  }
  double value() const { return size_ > 0 ? violation_ / size_ : 0; }
  // The denominator of the residual.
  double size() const { return size_; }
  // Returns a bound of the rounding error of the residual. The terms of w cancel if nearly
  // redundant rows have large multipliers.
  double rounding() const { return size_ > 0 ? 16 * eps * n_ * terms_ / size_ : 0; }

 private:
  static constexpr double eps = std::numeric_limits<double>::epsilon();
  void add_size(const torsor_constraint_problem& problem, int row, double d, const RowRate& rate) {
    size_ = std::max(size_, (std::abs(rate.w - problem.c[row]) + problem.c_terms[row]) / d);
    terms_ = std::max(terms_, rate.terms / d);
    n_ = problem.n;
  }
  double violation_ = 0, size_ = 0, terms_ = 0;
  int n_ = 0;
};

// Evaluates the residual of multipliers lambda [n]. for_each: for_each_block() of the problem.
template <class ForEach>
Residual evaluate_residual(const torsor_constraint_problem& problem, const double* lambda,
                           ForEach for_each) {
  Residual out;
  for_each(
      [&](int row) {
        out.add(problem, row, entry(problem, row, row), lambda[row],
                row_rate(problem, row, lambda));
      },
      [&](const Contact& contact) {
        double x[Contact::most_rows];
        RowRate rates[Contact::most_rows];
        for (int i = 0; i < contact.n_rows(); ++i) {
          const int row = contact.first() + i;
          x[i] = contact.scale(i) * lambda[row];
          rates[i] = row_rate(problem, row, lambda);
        }
        out.add(problem, contact, x, rates);
      });
  return out;
}
inline Residual evaluate_residual(const torsor_constraint_problem& problem, const double* lambda) {
  return evaluate_residual(problem, lambda, [&](auto on_row, auto on_contact) {
    for_each_block(problem, on_row, on_contact);
  });
}
inline Residual evaluate_residual(const torsor_constraint_problem& problem, const Blocks& blocks,
                                  const double* lambda) {
  return evaluate_residual(
      problem, lambda, [&](auto on_row, auto on_contact) { blocks.for_each(on_row, on_contact); });
}
inline double residual_of(const torsor_constraint_problem& problem, const double* lambda) {
  return evaluate_residual(problem, lambda).value();
}

}  // namespace torsor::sdk
