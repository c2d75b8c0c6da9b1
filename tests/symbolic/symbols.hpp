#pragma once
// Symbols of expressions, and values for them.

#include <string>
#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/symbolic/expression.hpp"

namespace torsor::test {

using symbolic::Expression, symbolic::Graph, symbolic::SymbolKind;

// The symbols of the tests: angles, other variables, and parameters.
constexpr int n_angle = 3, n_variable = 4, n_parameter = 3;

template <class T>
struct Symbols {
  std::vector<T> angle, variable, parameter;
  T a, b, x, y, z, p, r;
  T operator()(double constant) const { return T(constant); }
  void name() {
    a = angle[0], b = angle[1];
    x = variable[0], y = variable[1], z = variable[2];
    p = parameter[0], r = parameter[1];
  }
  // All symbols in the order in which they are added to the graph.
  std::vector<T> all() const {
    std::vector<T> out = angle;
    out.insert(out.end(), variable.begin(), variable.end());
    out.insert(out.end(), parameter.begin(), parameter.end());
    return out;
  }
};

template <class T, class Angle, class Other>
Symbols<T> make_symbols(const Angle& angle, const Other& other) {
  Symbols<T> out;
  for (int k = 0; k < n_angle; ++k) out.angle.push_back(angle(k));
  for (int k = 0; k < n_variable; ++k) out.variable.push_back(other(k, SymbolKind::state));
  for (int k = 0; k < n_parameter; ++k) out.parameter.push_back(other(k, SymbolKind::parameter));
  out.name();
  return out;
}
inline Symbols<Expression> symbols_of(Graph& graph) {
  const auto add = [&](const char* array, int k, SymbolKind kind) {
    return graph.symbol({array + std::to_string(k), kind, array, k});
  };
  return make_symbols<Expression>(
      [&](int k) { return add("q", k, SymbolKind::state); },
      [&](int k, SymbolKind kind) { return add(kind == SymbolKind::state ? "v" : "m", k, kind); });
}
inline Symbols<double> random_doubles(Random& random) {
  return make_symbols<double>([&](int) { return random.uniform(-3, 3); },
                              [&](int, SymbolKind) { return random.uniform(-2, 2); });
}

}  // namespace torsor::test
