#include "torsor/symbolic/listing.hpp"

#include <fmt/format.h>

namespace torsor::symbolic {

namespace {

constexpr Language rows[] = {
    {"c", "C11", ".c", "// ", "const double {} = {};", "{} = {};", "{}", "{}[{}]", 0, "sin", "cos"},
    {"lua", "Lua 5.4", ".lua", "-- ", "{} = {}", "{} = {}", "t.{}", "{}[{}]", 1, "sin", "cos"},
    {"numpy", "NumPy", ".py", "# ", "{} = {}", "{} = {}", "{}", "{}[{}]", 0, "np.sin", "np.cos"},
    {"cuda", "CUDA C++", ".cu", "// ", "const double {} = {};", "{} = {};", "{}", "{}[{}]", 0,
     "sin", "cos"},
};
// The longest text of an operation that is written into another statement.
constexpr size_t longest_operand = 48;

}  // namespace

std::span<const Language> languages() {
  return rows;
}

std::string number_text(double x) {
  std::string text = fmt::format("{}", x);
  // Without a point or an exponent, the generated code would contain an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

Listing::Listing(const Program& program, const NodeNames& names, const Language& language)
    : program_(program), names_(names), language_(language) {
  list(program.offline, offline_);
  list(program.steps, steps_);
}

void Listing::list(const std::vector<uint32_t>& nodes, std::string& out) {
  for (const uint32_t k : nodes) {
    Text text = node_text(k);
    const Op op = program_.graph->nodes()[k].op;
    const bool is_part = program_.uses[k] == 1 && !names_.contains(k) &&
                         (op == Op::add || op == Op::multiply) &&
                         text.text.size() <= longest_operand && !program_.is_offline(k);
    if (!is_part) {
      const std::string name = name_of(k);
      out += fmt::format(fmt::runtime(language_.declare), name, text.text) + "\n";
      text = {name, 2};
    }
    texts_[k] = std::move(text);
  }
}

std::string Listing::name_of(uint32_t node) {
  const auto found = names_.find(node);
  return fmt::format(fmt::runtime(language_.variable),
                     found != names_.end() ? found->second : fmt::format("t{}", ++unnamed_));
}

Listing::Text Listing::operand(Ref ref) const {
  const Node& node = program_.graph->nodes()[ref.node()];
  if (node.op == Op::constant) return {number_text(node.value), 2};
  if (node.op == Op::symbol) {
    const Symbol& symbol = program_.graph->symbol(node);
    return {symbol.array.empty() ? fmt::format(fmt::runtime(language_.variable), symbol.name)
                                 : fmt::format(fmt::runtime(language_.element), symbol.array,
                                               symbol.index + language_.first_index),
            2};
  }
  return texts_.at(ref.node());
}

Listing::Text Listing::node_text(uint32_t k) const {
  const Node& node = program_.graph->nodes()[k];
  const auto in_product = [](const Text& x) {
    return x.binding == 0 ? "(" + x.text + ")" : x.text;
  };
  switch (node.op) {
    case Op::add: {
      const Text a = operand(node.a), b = operand(node.b);
      const bool minus = node.b.is_negative();
      return {a.text + (minus ? " - " : " + ") + (minus ? in_product(b) : b.text), 0};
    }
    case Op::multiply:
      return {in_product(operand(node.a)) + " * " + in_product(operand(node.b)), 1};
    case Op::reciprocal: {
      const Text a = operand(node.a);
      return {"1.0 / " + (a.binding == 2 ? a.text : "(" + a.text + ")"), 1};
    }
    case Op::sine:
    case Op::cosine: {
      const std::string sign = node.a.is_negative() ? "-" : "";
      return {fmt::format("{}({}{})", node.op == Op::sine ? language_.sine : language_.cosine, sign,
                          operand(node.a).text),
              2};
    }
    case Op::constant:
    case Op::symbol:
      break;
  }
  return operand(Ref::of(k, false));
}

std::string Listing::text(const Expression& x) const {
  if (x.is_constant()) return number_text(x.constant());
  const Text value = operand(x.ref());
  if (!x.ref().is_negative()) return value.text;
  return "-" + (value.binding == 0 ? "(" + value.text + ")" : value.text);
}

std::string Listing::steps() const {
  return steps_;
}
std::string Listing::offline() const {
  return offline_;
}

}  // namespace torsor::symbolic
