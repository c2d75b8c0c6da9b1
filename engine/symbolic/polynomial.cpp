#include "torsor/symbolic/polynomial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"

namespace torsor::symbolic {

namespace {

using Angle = std::map<size_t, int>;
using Wave = Monomial::Wave;

void add(Polynomial& out, const Monomial& term, double coefficient) {
  if (coefficient == 0) return;
  const auto [at, is_new] = out.try_emplace(term, coefficient);
  if (is_new) return;
  at->second += coefficient;
  if (at->second == 0) out.erase(at);
}

// Adds coefficient powers wave(angle) in normal form.
void add_wave(Polynomial& out, const std::map<size_t, int>& powers, Wave wave, Angle angle,
              double coefficient) {
  std::erase_if(angle, [](const auto& entry) { return entry.second == 0; });
  if (wave != Wave::one && angle.empty()) {
    if (wave == Wave::sine) return;
    wave = Wave::one;
  }
  if (wave != Wave::one && angle.begin()->second < 0) {
    for (auto& [symbol, multiple] : angle) multiple = -multiple;
    if (wave == Wave::sine) coefficient = -coefficient;
  }
  add(out, {powers, wave, std::move(angle)}, coefficient);
}

Angle sum(const Angle& a, const Angle& b, int sign) {
  Angle out = a;
  for (const auto& [symbol, multiple] : b) out[symbol] += sign * multiple;
  return out;
}

void add_product(Polynomial& out, const Monomial& a, const Monomial& b, double c) {
  std::map<size_t, int> powers = a.powers;
  for (const auto& [symbol, power] : b.powers) powers[symbol] += power;
  if (a.wave == Wave::one) return add_wave(out, powers, b.wave, b.angle, c);
  if (b.wave == Wave::one) return add_wave(out, powers, a.wave, a.angle, c);
  const Angle plus = sum(a.angle, b.angle, 1), minus = sum(a.angle, b.angle, -1);
  if (a.wave == b.wave) {
    add_wave(out, powers, Wave::cosine, minus, c / 2);
    add_wave(out, powers, Wave::cosine, plus, a.wave == Wave::cosine ? c / 2 : -c / 2);
  } else {
    add_wave(out, powers, Wave::sine, plus, c / 2);
    add_wave(out, powers, Wave::sine, minus, a.wave == Wave::sine ? c / 2 : -c / 2);
  }
}

// Returns the angle if it is a sum of integer multiples of symbols.
std::optional<Angle> as_angle(const Polynomial& x) {
  Angle out;
  for (const auto& [term, c] : x) {
    const bool is_symbol =
        term.wave == Wave::one && term.powers.size() == 1 && term.powers.begin()->second == 1;
    if (!is_symbol || c != std::round(c)) return std::nullopt;
    out[term.powers.begin()->first] = int(c);
  }
  return out;
}

double largest_coefficient(const Polynomial& x) {
  double largest = 0;
  for (const auto& [term, c] : x) largest = std::max(largest, std::abs(c));
  return largest;
}

// Removes the terms that are rounding errors of terms of this size.
void drop_rounding(Polynomial& x, double size) {
  const double limit = 64 * std::numeric_limits<double>::epsilon() * size;
  std::erase_if(x, [&](const auto& entry) { return std::abs(entry.second) <= limit; });
}

}  // namespace

std::optional<std::vector<Polynomial>> polynomials(const Program& program, size_t max_terms) {
  const std::vector<Node>& nodes = program.graph->nodes();
  std::vector<std::optional<Polynomial>> values(nodes.size());
  const auto add_scaled = [&](Polynomial& out, Ref ref, double sign) {
    for (const auto& [term, c] : *values[ref.node()])
      add(out, term, ref.is_negative() ? -sign * c : sign * c);
  };
  for (size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    if (program.uses[k] == 0) continue;
    const int n = operands(node.op);
    if ((n > 0 && !values[node.a.node()]) || (n > 1 && !values[node.b.node()])) continue;
    const auto size_of = [&](Ref ref) { return largest_coefficient(*values[ref.node()]); };
    Polynomial value;
    double size = 0;  // of the terms that are added
    switch (node.op) {
      case Op::constant:
        add(value, {}, node.value);
        break;
      case Op::symbol:
        add(value, {{{size_t(node.value), 1}}, Wave::one, {}}, 1);
        break;
      case Op::add:
        add_scaled(value, node.a, 1);
        add_scaled(value, node.b, 1);
        size = std::max(size_of(node.a), size_of(node.b));
        break;
      case Op::multiply:
        for (const auto& [a, c] : *values[node.a.node()])
          for (const auto& [b, d] : *values[node.b.node()]) add_product(value, a, b, c * d);
        size = size_of(node.a) * size_of(node.b);
        break;
      case Op::reciprocal:
        continue;
      case Op::sine:
      case Op::cosine: {
        const std::optional<Angle> angle = as_angle(*values[node.a.node()]);
        if (!angle) continue;
        const bool negative = node.op == Op::sine && node.a.is_negative();
        add_wave(value, {}, node.op == Op::sine ? Wave::sine : Wave::cosine, *angle,
                 negative ? -1 : 1);
        break;
      }
    }
    drop_rounding(value, size);
    if (value.size() > max_terms)
      throw Error(fmt::format(
          "a formula has more than {} terms; print formulae of a smaller robot, or generate code",
          max_terms));
    values[k] = std::move(value);
  }
  std::vector<Polynomial> out;
  for (const Expression& x : program.results) {
    Polynomial result;
    if (x.is_constant()) {
      add(result, {}, x.constant());
    } else {
      if (!values[x.ref().node()]) return std::nullopt;
      add_scaled(result, x.ref(), 1);
    }
    out.push_back(std::move(result));
  }
  return out;
}

}  // namespace torsor::symbolic
