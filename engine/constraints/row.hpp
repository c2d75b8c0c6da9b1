#pragma once
// A row: a direction in the space of the rates u, along which a constraint, a spring or friction
// acts.

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
inline void push(const Row& row, double force, double* f) {
  for (const auto& [index, factor] : row) f[index] += factor * force;
}

}  // namespace torsor
