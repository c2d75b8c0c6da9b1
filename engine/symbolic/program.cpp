#include "torsor/symbolic/program.hpp"

#include <algorithm>
#include <map>

namespace torsor::symbolic {

Program::Program(const Graph& graph, std::vector<Expression> results)
    : graph(&graph),
      results(std::move(results)),
      uses(graph.nodes().size(), 0),
      offline_(graph.nodes().size(), 0),
      used_symbols_(graph.symbols().size(), 0) {
  const std::vector<Node>& nodes = graph.nodes();
  for (size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    const int n = operands(node.op);
    if (n == 0)
      offline_[k] = node.op == Op::constant || graph.symbol(node).kind == SymbolKind::parameter;
    else
      offline_[k] = offline_[node.a.node()] && (n == 1 || offline_[node.b.node()]);
  }
  for (const Expression& x : this->results)
    if (!x.is_constant()) ++uses[x.ref().node()];
  for (size_t k = nodes.size(); k-- > 0;) {
    const int n = operands(nodes[k].op);
    if (uses[k] == 0) continue;
    if (nodes[k].op == Op::symbol) used_symbols_[size_t(nodes[k].value)] = 1;
    if (n == 0) continue;
    (offline_[k] ? offline : steps).push_back(uint32_t(k));
    ++uses[nodes[k].a.node()];
    if (n == 2) ++uses[nodes[k].b.node()];
  }
  std::reverse(steps.begin(), steps.end());
  std::reverse(offline.begin(), offline.end());
}

OperationCount Program::count() const {
  OperationCount count;
  for (const uint32_t k : steps) switch (graph->nodes()[k].op) {
      case Op::add:
        ++count.additions;
        break;
      case Op::multiply:
        ++count.multiplications;
        break;
      case Op::reciprocal:
        ++count.divisions;
        break;
      case Op::sine:
      case Op::cosine:
        ++count.sines_cosines;
        break;
      case Op::constant:
      case Op::symbol:
        break;
    }
  return count;
}

namespace {

// Rebuilds the formulae of a program, operands first.
class Regrouping {
 public:
  Regrouping(Graph& graph, const Program& program)
      : graph_(graph), program_(program), old_(graph.nodes()), built_(old_.size()) {}

  std::vector<Expression> operator()() {
    find_roots();
    for (uint32_t k = 0; k < old_.size(); ++k)
      if (program_.uses[k] > 0 && !inner_[k]) built_[k] = rebuild(k);
    std::vector<Expression> out;
    for (const Expression& x : program_.results)
      out.push_back(x.is_constant() ? x : signed_(built_[x.ref().node()], x.ref()));
    return out;
  }

  NodeNames renamed(const NodeNames& names) const {
    NodeNames out;
    for (const auto& [node, name] : names) {
      const Expression& x = node < built_.size() ? built_[node] : Expression();
      if (!x.is_constant() && !x.ref().is_negative()) out.emplace(x.ref().node(), name);
    }
    return out;
  }

 private:
  struct Product {
    Expression scale{1.0};     // sign, constants and parameters
    std::vector<Ref> factors;  // old nodes, ascending
  };

  static Expression signed_(const Expression& x, Ref ref) { return ref.is_negative() ? -x : x; }

  // Marks sums and products that are written into the only node that uses them: a sum in a sum, a
  // product in a product or in a sum.
  void find_roots() {
    inner_.assign(old_.size(), 0);
    for (size_t k = 0; k < old_.size(); ++k) {
      if (program_.uses[k] == 0 || program_.is_offline(uint32_t(k))) continue;
      const Node& node = old_[k];
      if (node.op != Op::add && node.op != Op::multiply) continue;
      for (const Ref operand : {node.a, node.b}) {
        const uint32_t i = operand.node();
        const bool same = old_[i].op == node.op,
                   product_of_sum = node.op == Op::add && old_[i].op == Op::multiply;
        if (program_.uses[i] == 1 && !program_.is_offline(i) && (same || product_of_sum))
          inner_[i] = 1;
      }
    }
  }

  Expression rebuild(uint32_t k) {
    const Node node = old_[k];
    switch (node.op) {
      case Op::constant:
      case Op::symbol:
        return {graph_, Ref::of(k, false)};
      case Op::reciprocal:
        return Expression(1.0) / operand(node.a);
      case Op::sine:
        return sin(operand(node.a));
      case Op::cosine:
        return cos(operand(node.a));
      case Op::multiply: {
        if (program_.is_offline(k)) return {graph_, Ref::of(k, false)};
        Product product;
        expand(k, product);
        return value(product);
      }
      case Op::add: {
        if (program_.is_offline(k)) return {graph_, Ref::of(k, false)};
        std::vector<Product> terms;
        collect_terms(Ref::of(k, false), terms);
        return sum(std::move(terms));
      }
    }
    return {};
  }
  Expression operand(Ref ref) { return signed_(built_[ref.node()], ref); }

  void expand(uint32_t k, Product& out) {
    for (const Ref ref : {old_[k].a, old_[k].b}) {
      const uint32_t i = ref.node();
      if (program_.is_offline(i))
        out.scale = out.scale * graph_.expression(ref);
      else if (old_[i].op == Op::multiply && inner_[i])
        expand(i, out);
      else
        out.factors.push_back(ref.abs());
    }
  }
  void collect_terms(Ref ref, std::vector<Product>& terms) {
    const uint32_t k = ref.node();
    for (Ref term : {old_[k].a, old_[k].b}) {
      if (ref.is_negative()) term = -term;
      const uint32_t i = term.node();
      if (old_[i].op == Op::add && inner_[i]) {
        collect_terms(term, terms);
        continue;
      }
      Product product;
      if (term.is_negative()) product.scale = Expression(-1.0);
      if (program_.is_offline(i))
        product.scale = product.scale * graph_.expression(term.abs());
      else if (old_[i].op == Op::multiply && inner_[i])
        expand(i, product);
      else
        product.factors.push_back(term.abs());
      std::sort(product.factors.begin(), product.factors.end());
      terms.push_back(std::move(product));
    }
  }

  Expression value(const Product& product) {
    Expression out = product.scale;
    // The parameters are multiplied last, so that products of other factors stay common.
    Expression rest(1.0);
    for (const Ref factor : product.factors) rest = rest * built_[factor.node()];
    return out * rest;
  }

  // Takes the factor of most terms out of them, as long as two terms have one.
  Expression sum(std::vector<Product> terms) {
    std::map<Ref, int> frequency;
    for (const Product& term : terms)
      for (size_t i = 0; i < term.factors.size(); ++i)
        if (i == 0 || term.factors[i] != term.factors[i - 1]) ++frequency[term.factors[i]];
    Ref best;
    int most = 1;
    for (const auto& [factor, count] : frequency)
      if (count > most) best = factor, most = count;
    if (most == 1) {
      Expression out;
      for (const Product& term : terms) out = out + value(term);
      return out;
    }
    std::vector<Product> with, without;
    for (Product& term : terms) {
      const auto found = std::find(term.factors.begin(), term.factors.end(), best);
      if (found == term.factors.end()) {
        without.push_back(std::move(term));
      } else {
        term.factors.erase(found);
        with.push_back(std::move(term));
      }
    }
    const Expression product = built_[best.node()] * sum(std::move(with));
    return without.empty() ? product : sum(std::move(without)) + product;
  }

  Graph& graph_;
  const Program& program_;
  const std::vector<Node> old_;  // a copy: the graph grows
  std::vector<Expression> built_;
  std::vector<char> inner_;
};

}  // namespace

std::vector<Expression> regroup(Graph& graph, std::vector<Expression> results, NodeNames& names) {
  long flops = Program(graph, results).count().flops();
  while (true) {
    const Program program(graph, results);
    Regrouping regrouping(graph, program);
    std::vector<Expression> next = regrouping();
    const long fewer = Program(graph, next).count().flops();
    if (fewer >= flops) return results;
    results = std::move(next);
    names = regrouping.renamed(names);
    flops = fewer;
  }
}

}  // namespace torsor::symbolic
