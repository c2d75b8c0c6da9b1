#pragma once
// Expressions over named symbols, as a scalar of the kernels: run a kernel with Expression instead
// of double, and its results are formulae.
//
// The formulae of one computation share a Graph. Its nodes are unique: equal operations on equal
// operands are one node (hash consing), so common subexpressions are found while the kernel runs.
// The graph is in a normal form, in which most trivial differences between formulae disappear:
//
//   constants are folded:  0 + x = x, 1 x = x, 0 x = 0, 2 (3 x) = 6 x, 2 x + 3 x = 5 x
//   signs are at the operands, never a node: x - y = x + (-y), (-x) y = -(x y), cos(-x) = cos x
//   x + y and y + x are one node; the first operand of a sum has a positive sign
//   sin x sin x + cos x cos x = 1, also with a common factor
//   sums of products of sines and cosines of two angles are those of the sum of the angles:
//     cos x cos y - sin x sin y = cos(x + y)
//
// A division by the constant 0 gives an infinite constant, as for doubles.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::symbolic {

class Graph;

// The index of a node and a sign. The negative of a node is not a node of its own.
struct Ref {
  uint32_t bits = 0;
  static constexpr Ref of(uint32_t node, bool negative) { return {node << 1 | uint32_t(negative)}; }
  constexpr uint32_t node() const { return bits >> 1; }
  constexpr bool is_negative() const { return bits & 1; }
  constexpr Ref operator-() const { return {bits ^ 1}; }
  constexpr Ref abs() const { return {bits & ~1u}; }
  friend constexpr auto operator<=>(Ref, Ref) = default;
};

// A constant, or a node of a graph with a sign.
class Expression {
 public:
  constexpr Expression() = default;  // 0
  explicit constexpr Expression(double constant) : constant_(constant) {}
  Expression(Graph& graph, Ref ref) : graph_(&graph), ref_(ref) {}

  constexpr bool is_constant() const { return graph_ == nullptr; }
  constexpr double constant() const { return constant_; }  // only if is_constant()
  Ref ref() const { return ref_; }                         // only if not is_constant()
  Graph* graph() const { return graph_; }

  friend Expression operator+(const Expression& a, const Expression& b);
  friend Expression operator*(const Expression& a, const Expression& b);
  friend Expression operator/(const Expression& a, const Expression& b);
  Expression operator-() const;
  friend Expression operator-(const Expression& a, const Expression& b) { return a + -b; }
  friend Expression sin(const Expression& x);
  friend Expression cos(const Expression& x);
  friend bool operator==(const Expression&, const Expression&);
  friend bool operator==(const Expression& a, double b) {
    return a.is_constant() && a.constant_ == b;
  }

 private:
  Graph* graph_ = nullptr;
  double constant_ = 0;
  Ref ref_;
};

enum class Op : uint8_t {
  constant,    // value > 0
  symbol,      // a symbol; value is its index
  add,         // a + b
  multiply,    // a b, both positive
  reciprocal,  // 1 / a, positive
  sine,        // sin a, positive
  cosine       // cos a, positive
};
constexpr int operands(Op op) {
  return op == Op::constant || op == Op::symbol ? 0 : op == Op::add || op == Op::multiply ? 2 : 1;
}

struct Node {
  Op op;
  Ref a, b;
  double value = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

// Parameters do not change during a motion: formulae of parameters alone are computed once.
enum class SymbolKind : uint8_t { state, parameter };
struct Symbol {
  std::string name;
  SymbolKind kind;
  // The entry of an array that the symbol stands for: v[2]. A parameter is in no array.
  std::string array;
  int index = -1;
};

// The nodes of formulae, operands before the nodes that use them.
class Graph {
 public:
  // Throws Error if a computation makes more than this number of nodes.
  explicit Graph(size_t max_nodes = 4'000'000);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Returns the symbol with this name. Adds it if no symbol has this name.
  Expression symbol(const Symbol& symbol);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  const Symbol& symbol(const Node& node) const { return symbols_[size_t(node.value)]; }

  // Returns the expression of a reference; constants lose their node.
  Expression expression(Ref ref);
  // Returns the reference of an expression; constants get a node.
  Ref ref(const Expression& x);

 private:
  friend Expression operator+(const Expression&, const Expression&);
  friend Expression operator*(const Expression&, const Expression&);
  friend Expression operator/(const Expression&, const Expression&);
  friend Expression sin(const Expression&);
  friend Expression cos(const Expression&);

  Ref insert(const Node& node);
  uint32_t* find(const Node& node);  // its place in table_
  Expression add(Ref a, Ref b);
  Expression multiply(Ref a, Ref b);
  std::optional<Expression> add_angles(Ref a, Ref b);

  size_t max_nodes_;
  std::vector<Node> nodes_;
  std::vector<Symbol> symbols_;
  std::map<std::string, size_t, std::less<>> symbol_index_;
  std::vector<uint32_t> table_;  // open addressing; node + 1, or 0 if free
};

}  // namespace torsor::symbolic
