#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/symbolic/expression.hpp"

namespace torsor::symbolic {

namespace {

uint64_t mix(uint64_t h) {  // the finaliser of splitmix64
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return h ^ h >> 31;
}
uint64_t hash_of(const Node& node) {
  uint64_t h = mix(uint64_t(node.op) + 0x9e3779b97f4a7c15u);
  h = mix(h ^ node.a.bits);
  h = mix(h ^ node.b.bits);
  return mix(h ^ std::bit_cast<uint64_t>(node.value));
}

Graph& common_graph(const Expression& a, const Expression& b) {
  Graph* graph = a.is_constant() ? b.graph() : a.graph();
  assert(graph && (a.is_constant() || b.is_constant() || a.graph() == b.graph()));
  return *graph;
}

}  // namespace

Graph::Graph(size_t max_nodes) : max_nodes_(max_nodes), table_(1024, 0) {}

Expression Graph::symbol(const Symbol& symbol) {
  const auto [at, is_new] = symbol_index_.emplace(symbol.name, symbols_.size());
  if (is_new) symbols_.push_back(symbol);
  return {*this, insert({Op::symbol, {}, {}, double(at->second)})};
}

Ref Graph::insert(const Node& node) {
  if (2 * (nodes_.size() + 1) > table_.size()) {
    table_.assign(2 * table_.size(), 0);
    for (uint32_t k = 0; k < nodes_.size(); ++k) *find(nodes_[k]) = k + 1;
  }
  uint32_t* place = find(node);
  if (*place == 0) {
    if (nodes_.size() >= max_nodes_)
      throw Error(fmt::format(
          "the formulae have more than {} operations; generate fewer quantities, or a smaller "
          "robot",
          max_nodes_));
    nodes_.push_back(node);
    *place = uint32_t(nodes_.size());
  }
  return Ref::of(*place - 1, false);
}

uint32_t* Graph::find(const Node& node) {
  const size_t mask = table_.size() - 1;
  size_t k = hash_of(node) & mask;
  while (table_[k] != 0 && nodes_[table_[k] - 1] != node) k = (k + 1) & mask;
  return &table_[k];
}

Expression Graph::expression(Ref ref) {
  const Node& node = nodes_[ref.node()];
  if (node.op != Op::constant) return {*this, ref};
  return Expression(ref.is_negative() ? -node.value : node.value);
}
Ref Graph::ref(const Expression& x) {
  if (!x.is_constant()) return x.ref();
  const double value = x.constant();
  return Ref::of(insert({Op::constant, {}, {}, std::abs(value)}).node(), std::signbit(value));
}

namespace {

// c x, where x is not a constant multiple of another node.
struct Term {
  double c;
  Ref x;
};
Term term(const std::vector<Node>& nodes, Ref ref) {
  const double sign = ref.is_negative() ? -1 : 1;
  const Node& node = nodes[ref.node()];
  if (node.op == Op::multiply && nodes[node.a.node()].op == Op::constant)
    return {sign * nodes[node.a.node()].value, node.b};
  return {sign, ref.abs()};
}

// The factors of a product.
struct Factors {
  static constexpr size_t most = 8;
  std::array<Ref, most> at;
  size_t size = 0;
  // Returns false if there are more than `most` factors.
  bool collect(const std::vector<Node>& nodes, Ref ref) {
    const Node& node = nodes[ref.node()];
    if (node.op == Op::multiply) return collect(nodes, node.a) && collect(nodes, node.b);
    if (size == most) return false;
    at[size++] = ref;
    return true;
  }
};

// Removes the factors that both lists have.
void remove_common(Factors& a, Factors& b, Factors& common) {
  size_t i = 0, j = 0, rest_a = 0, rest_b = 0;
  Factors keep_a = a, keep_b = b;
  while (i < a.size || j < b.size) {
    if (i < a.size && j < b.size && a.at[i] == b.at[j]) {
      common.at[common.size++] = a.at[i];
      ++i, ++j;
    } else if (j == b.size || (i < a.size && a.at[i] < b.at[j])) {
      keep_a.at[rest_a++] = a.at[i++];
    } else {
      keep_b.at[rest_b++] = b.at[j++];
    }
  }
  a = keep_a, b = keep_b;
  a.size = rest_a, b.size = rest_b;
}

}  // namespace

// Returns a + b if both are products with the factors sin or cos of two angles x and y, and their
// sum is one sine or cosine:
//   k cos x cos y -+ k sin x sin y = k cos(x +- y)
//   k sin x cos y +- k cos x sin y = k sin(x +- y)
// The first equation with x = y is k (cos^2 x + sin^2 x) = k.
std::optional<Expression> Graph::add_angles(Ref a, Ref b) {
  const auto is_product = [&](Ref x) { return nodes_[x.node()].op == Op::multiply; };
  if (!is_product(a) || !is_product(b)) return std::nullopt;
  Factors f, g, common;
  if (!f.collect(nodes_, a.abs()) || !g.collect(nodes_, b.abs())) return std::nullopt;
  std::sort(f.at.begin(), f.at.begin() + f.size);
  std::sort(g.at.begin(), g.at.begin() + g.size);
  remove_common(f, g, common);
  if (f.size != 2 || g.size != 2) return std::nullopt;
  const auto op = [&](Ref x) { return nodes_[x.node()].op; };
  const auto angle = [&](Ref x) { return nodes_[x.node()].a; };
  for (const Factors* list : {&f, &g})
    for (size_t k = 0; k < 2; ++k)
      if (op(list->at[k]) != Op::sine && op(list->at[k]) != Op::cosine) return std::nullopt;
  const bool f_same = op(f.at[0]) == op(f.at[1]), g_same = op(g.at[0]) == op(g.at[1]);
  const bool opposite = a.is_negative() != b.is_negative();
  const auto same_angles = [&] {
    return (angle(f.at[0]) == angle(g.at[0]) && angle(f.at[1]) == angle(g.at[1])) ||
           (angle(f.at[0]) == angle(g.at[1]) && angle(f.at[1]) == angle(g.at[0]));
  };
  if (f_same != g_same || !same_angles()) return std::nullopt;
  Expression sum, scale(1.0);
  bool negative;
  if (f_same) {
    if (op(f.at[0]) == op(g.at[0])) return std::nullopt;
    const bool f_is_cosines = op(f.at[0]) == Op::cosine;
    const Expression x(*this, angle(f.at[0])), y(*this, angle(f.at[1]));
    // cos^2 x - sin^2 x costs less than cos 2x
    if (opposite && x == y) return std::nullopt;
    sum = cos(opposite ? x + y : x - y);
    negative = f_is_cosines ? a.is_negative() : b.is_negative();
  } else {
    // f = sin x cos y, g = cos x sin y
    const size_t s = op(f.at[0]) == Op::sine ? 0 : 1;
    const Expression x(*this, angle(f.at[s])), y(*this, angle(f.at[1 - s]));
    const Ref g_sine = op(g.at[0]) == Op::sine ? g.at[0] : g.at[1];
    if (x.ref() == y.ref() || angle(g_sine) != y.ref()) return std::nullopt;
    sum = sin(opposite ? x - y : x + y);
    negative = a.is_negative();
  }
  for (size_t k = 0; k < common.size; ++k) scale = scale * expression(common.at[k]);
  return negative ? -(scale * sum) : scale * sum;
}

Expression Graph::add(Ref a, Ref b) {
  const Term s = term(nodes_, a), t = term(nodes_, b);
  if (s.x == t.x) return Expression(s.c + t.c) * expression(s.x);
  if (const auto sum = add_angles(a, b)) return *sum;
  // (x + c) + d = x + (c + d)
  const auto constant = [&](Ref x) { return nodes_[x.node()].op == Op::constant; };
  const auto sign = [](Ref x, Ref of) { return x.is_negative() ? -of : of; };
  for (const auto& [sum, other] : {std::pair{a, b}, std::pair{b, a}}) {
    const Node node = nodes_[sum.node()];
    if (node.op != Op::add || !constant(other) || !(constant(node.a) || constant(node.b))) continue;
    const auto [c, x] = constant(node.a) ? std::pair{node.a, node.b} : std::pair{node.b, node.a};
    const double folded = expression(sign(sum, c)).constant() + expression(other).constant();
    return expression(sign(sum, x)) + Expression(folded);
  }
  if (b.abs() < a.abs()) std::swap(a, b);
  const bool negative = a.is_negative();
  if (negative) a = -a, b = -b;
  const Ref sum = insert({Op::add, a, b});
  return {*this, negative ? -sum : sum};
}

Expression Graph::multiply(Ref a, Ref b) {
  const bool negative = a.is_negative() != b.is_negative();
  a = a.abs(), b = b.abs();
  const auto op = [&](Ref x) { return nodes_[x.node()].op; };
  if ((op(a) == Op::reciprocal && nodes_[a.node()].a == b) ||
      (op(b) == Op::reciprocal && nodes_[b.node()].a == a))
    return Expression(negative ? -1.0 : 1.0);
  // A constant is the first operand.
  if (op(b) == Op::constant || (op(a) != Op::constant && b < a)) std::swap(a, b);
  if (op(a) == Op::constant)
    if (const Term t = term(nodes_, b); t.c != 1) {
      const Expression product = Expression(nodes_[a.node()].value * t.c) * expression(t.x);
      return negative ? -product : product;
    }
  const Ref product = insert({Op::multiply, a, b});
  return {*this, negative ? -product : product};
}

Expression Expression::operator-() const {
  if (is_constant()) return Expression(-constant_);
  return {*graph_, -ref_};
}
Expression operator+(const Expression& a, const Expression& b) {
  if (a.is_constant() && b.is_constant()) return Expression(a.constant() + b.constant());
  if (a.is_constant() && a.constant() == 0) return b;
  if (b.is_constant() && b.constant() == 0) return a;
  Graph& graph = common_graph(a, b);
  const Ref ref_a = graph.ref(a), ref_b = graph.ref(b);
  return graph.add(ref_a, ref_b);
}
Expression operator*(const Expression& a, const Expression& b) {
  if (a.is_constant() && b.is_constant()) return Expression(a.constant() * b.constant());
  for (const auto& [factor, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!factor.is_constant()) continue;
    if (factor.constant() == 0) return Expression();
    if (factor.constant() == 1) return other;
    if (factor.constant() == -1) return -other;
  }
  Graph& graph = common_graph(a, b);
  const Ref ref_a = graph.ref(a), ref_b = graph.ref(b);
  return graph.multiply(ref_a, ref_b);
}
Expression operator/(const Expression& a, const Expression& b) {
  if (b.is_constant())
    return a.is_constant() ? Expression(a.constant() / b.constant())
                           : a * Expression(1 / b.constant());
  if (a == b) return Expression(1.0);
  Graph& graph = *b.graph();
  // 1 / (c x) = (1/c) (1/x)
  const Term t = term(graph.nodes_, b.ref());
  const Node& node = graph.nodes_[t.x.node()];
  const Expression inverse = node.op == Op::reciprocal
                                 ? graph.expression(node.a)
                                 : Expression(graph, graph.insert({Op::reciprocal, t.x, {}}));
  return a * (Expression(1 / t.c) * inverse);
}
Expression sin(const Expression& x) {
  if (x.is_constant()) return Expression(std::sin(x.constant()));
  const Expression sine(*x.graph(), x.graph()->insert({Op::sine, x.ref().abs(), {}}));
  return x.ref().is_negative() ? -sine : sine;
}
Expression cos(const Expression& x) {
  if (x.is_constant()) return Expression(std::cos(x.constant()));
  return {*x.graph(), x.graph()->insert({Op::cosine, x.ref().abs(), {}})};
}
bool operator==(const Expression& a, const Expression& b) {
  if (a.is_constant() != b.is_constant()) return false;
  return a.is_constant() ? a.constant() == b.constant()
                         : a.graph() == b.graph() && a.ref() == b.ref();
}

}  // namespace torsor::symbolic
