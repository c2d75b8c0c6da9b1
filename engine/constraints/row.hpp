#pragma once
// A row: a direction in the space of the rates u, along which a constraint, a spring or friction
// acts. A constraint is a set of rows with their required rates and the bounds of their forces.

#include <cmath>
#include <limits>
#include <vector>

namespace torsor {

// A term factor * u[index] of a row. The rate of the row is the sum of its terms. A force f along
// the row adds factor * f to the force at each index.
struct Term {
  int index;
  double factor;
};
using Row = std::vector<Term>;

inline double along(const Row& row, const double* u) {
  double sum = 0;
  for (const auto& [index, factor] : row) sum += factor * u[index];
  return sum;
}
// Returns the sum of the sizes of the terms of along(). Its rounding errors are a few eps of it.
inline double terms_along(const Row& row, const double* u) {
  double sum = 0;
  for (const auto& [index, factor] : row) sum += std::abs(factor * u[index]);
  return sum;
}
inline void push(const Row& row, double force, double* f) {
  for (const auto& [index, factor] : row) f[index] += factor * force;
}

// Bounds of the multiplier lambda of a row: free (closures, prescribed motion), one-sided (stops),
// or boxed (static friction).
struct Bounds {
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();
};

// A row J of a constraint, in the form that all kinds of constraints provide. The kinds differ in
// nothing else.
//   J u = rate,  J udot = acceleration,  lower <= lambda <= upper
// The pointers refer to values of the kind, which it updates at each state.
struct ConstraintRow {
  static constexpr double zero = 0, one = 1;

  const Row* row;
  const double* rate = &zero;
  const double* acceleration = &zero;
  const double* error = &zero;    // position error phi, m or rad
  const double* rounding = &one;  // bound of the rounding errors of phi
  Bounds bounds = {};
  bool varies = false;  // true: the factors of the row depend on q
};

// The work of impulses lambda along rows whose rates change from w to w+, J:
//   sum of lambda (w + w+) / 2
struct ImpulseWork {
  double work = 0, terms = 0;  // terms: bounds the sizes of the terms of the sum
  void add(double lambda, double before, double after) {
    work += lambda * (before + after) / 2;
    terms += std::abs(lambda) * (std::abs(before) + std::abs(after));
  }
  // Returns whether the work is positive beyond the errors of rounding and of constraint solvers.
  bool adds_energy() const { return work > 1e-9 * terms; }
};

}  // namespace torsor
