#pragma once
// The values of formulae, for any scalar.

#include <span>
#include <vector>

#include "torsor/symbolic/program.hpp"

namespace torsor::symbolic {

// Returns the values of the results of a program for these values of the symbols, which are in the
// order of Graph::symbols(). T has +, *, /, and sin and cos.
template <class T>
std::vector<T> evaluate(const Program& program, std::span<const T> symbols) {
  using std::cos, std::sin;
  const std::vector<Node>& nodes = program.graph->nodes();
  std::vector<T> values(nodes.size());
  const auto at = [&](Ref ref) {
    return ref.is_negative() ? -values[ref.node()] : values[ref.node()];
  };
  for (size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    if (program.uses[k] == 0) continue;
    switch (node.op) {
      case Op::constant:
        values[k] = T(node.value);
        break;
      case Op::symbol:
        values[k] = symbols[size_t(node.value)];
        break;
      case Op::add:
        values[k] = at(node.a) + at(node.b);
        break;
      case Op::multiply:
        values[k] = at(node.a) * at(node.b);
        break;
      case Op::reciprocal:
        values[k] = T(1) / at(node.a);
        break;
      case Op::sine:
        values[k] = sin(at(node.a));
        break;
      case Op::cosine:
        values[k] = cos(at(node.a));
        break;
    }
  }
  std::vector<T> out;
  for (const Expression& x : program.results)
    out.push_back(x.is_constant() ? T(x.constant()) : at(x.ref()));
  return out;
}

}  // namespace torsor::symbolic
