#include "torsor/symbolic/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace torsor::symbolic {

namespace {

constexpr Language rows[] = {
    {"c", "C11", ".c", "// ", "const double {} = {};", "{} = {};", "{}", "{}[{}]", 0, "sin", "cos"},
    {"lua", "Lua 5.4", ".lua", "-- ", "{} = {}", "{} = {}", "t.{}", "{}[{}]", 1, "sin", "cos"},
    {"numpy", "NumPy", ".py", "# ", "{} = {}", "{} = {}", "{}", "{}[{}]", 0, "np.sin", "np.cos"},
    {"cuda", "CUDA C++", ".cu", "// ", "const double {} = {};", "{} = {};", "{}", "{}[{}]", 0,
     "sin", "cos"},
};
constexpr Language block_row{"c",
                             "C11 with vectors",
                             ".c",
                             "// ",
                             "const numbers {} = {};",
                             "{} = {};",
                             "{}",
                             "{}[{}]",
                             0,
                             "sin",
                             "cos",
                             "numbers",
                             "all({})"};
// The longest text of an operation that is written into another statement.
constexpr size_t longest_operand = 48;

}  // namespace

std::span<const Language> languages() {
  return rows;
}
const Language& block_language() {
  return block_row;
}

std::string number_text(double x) {
  std::string text = fmt::format("{}", x);
  // Without a point or an exponent, the generated code would contain an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

Listing::Listing(const Program& program, const NodeNames& names, const Language& language)
    : program_(program), names_(names), language_(language) {
  list(program.offline);
  list(program.steps);
}

void Listing::list(const std::vector<uint32_t>& nodes) {
  for (const uint32_t k : nodes) {
    Text text = node_text(k);
    const Op op = program_.graph->nodes()[k].op;
    const bool is_part = program_.uses[k] == 1 && !names_.contains(k) &&
                         (op == Op::add || op == Op::multiply) &&
                         text.text.size() <= longest_operand && !program_.is_offline(k);
    if (!is_part) {
      const std::string name = name_of(k);
      statements_.push_back({fmt::format(fmt::runtime(language_.declare), name, text.text), k,
                             std::move(text.reads)});
      text = {name, 2, {k}};
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
  if (node.op == Op::constant) return {number_text(node.value), 2, {}};
  if (node.op == Op::symbol) {
    const Symbol& symbol = program_.graph->symbol(node);
    if (!symbol.array.empty()) return {element(symbol.array, size_t(symbol.index)), 2, {}};
    return {fmt::format(fmt::runtime(language_.variable), symbol.name), 2, {ref.node()}};
  }
  return texts_.at(ref.node());
}

Listing::Text Listing::node_text(uint32_t k) const {
  const Node& node = program_.graph->nodes()[k];
  const auto in_product = [](const Text& x) {
    return x.binding == 0 ? "(" + x.text + ")" : x.text;
  };
  const auto reads_of_both = [](const Text& a, const Text& b) {
    std::vector<uint32_t> reads = a.reads;
    reads.insert(reads.end(), b.reads.begin(), b.reads.end());
    return reads;
  };
  switch (node.op) {
    case Op::add: {
      const Text a = operand(node.a), b = operand(node.b);
      const bool minus = node.b.is_negative();
      return {a.text + (minus ? " - " : " + ") + (minus ? in_product(b) : b.text), 0,
              reads_of_both(a, b)};
    }
    case Op::multiply: {
      const Text a = operand(node.a), b = operand(node.b);
      return {in_product(a) + " * " + in_product(b), 1, reads_of_both(a, b)};
    }
    case Op::reciprocal: {
      const Text a = operand(node.a);
      return {"1.0 / " + (a.binding == 2 ? a.text : "(" + a.text + ")"), 1, a.reads};
    }
    case Op::sine:
    case Op::cosine: {
      const Text a = operand(node.a);
      const std::string sign = node.a.is_negative() ? "-" : "";
      return {fmt::format("{}({}{})", node.op == Op::sine ? language_.sine : language_.cosine, sign,
                          a.text),
              2, a.reads};
    }
    case Op::constant:
    case Op::symbol:
      break;
  }
  return operand(Ref::of(k, false));
}

Statement Listing::declare(uint32_t node, const std::string& value) const {
  return {fmt::format(fmt::runtime(language_.declare), variable(node), value), node, {}};
}

std::string Listing::variable(uint32_t node) const {
  return operand(Ref::of(node, false)).text;
}

Statement Listing::assign(const std::string& array, size_t index, const Expression& x) const {
  Text value =
      x.is_constant()
          ? Text{fmt::format(fmt::runtime(language_.constant), number_text(x.constant())), 2, {}}
          : operand(x.ref());
  if (!x.is_constant() && x.ref().is_negative())
    value.text = "-" + (value.binding == 0 ? "(" + value.text + ")" : value.text);
  return {fmt::format(fmt::runtime(language_.assign), element(array, index), value.text),
          {},
          std::move(value.reads)};
}

std::string Listing::element(const std::string& array, size_t index) const {
  return fmt::format(fmt::runtime(language_.element), array, index + size_t(language_.first_index));
}

namespace {

constexpr size_t longest_part = 1000;  // statements

constexpr const char* heading = R"(
/* A long function calls its parts, because the time of a compiler grows with the square of the
   length of a function. A compiler must not put the parts together again. */
#ifndef TORSOR_PART
#ifdef __GNUC__
#define TORSOR_PART static __attribute__((noinline)) void
#else
#define TORSOR_PART static void
#endif
#endif
)";

class Parts {
 public:
  Parts(const Listing& listing, std::span<const Statement> statements, const std::string& name,
        std::span<const Array> arrays)
      : listing_(listing), statements_(statements), name_(name), arrays_(arrays) {
    const size_t count = (statements.size() + longest_part - 1) / longest_part;
    length_ = (statements.size() + count - 1) / count;
  }

  FunctionText operator()() {
    find_carried();
    FunctionText out{heading,
                     fmt::format("  {} carried[{}];\n", listing_.number(), carried_.size() + 1)};
    std::string names;
    for (const Array& array : arrays_) names += array.name + ", ";
    for (size_t first = 0; first < statements_.size(); first += length_) {
      const size_t number = first / length_ + 1;
      out.parts +=
          part(number, statements_.subspan(first, std::min(length_, statements_.size() - first)));
      out.body += fmt::format("  {}_part{}({}carried);\n", name_, number, names);
    }
    return out;
  }

 private:
  // Gives a place to each variable that another part reads than the one that declares it.
  void find_carried() {
    std::map<uint32_t, size_t> part_of;
    for (size_t k = 0; k < statements_.size(); ++k) {
      for (const uint32_t node : statements_[k].reads)
        if (part_of.at(node) != k / length_) carried_.emplace(node, carried_.size());
      if (statements_[k].node) part_of[*statements_[k].node] = k / length_;
    }
  }

  std::string part(size_t number, std::span<const Statement> statements) const {
    std::string out = fmt::format("\nTORSOR_PART {}_part{}(", name_, number), unused;
    for (const Array& array : arrays_) {
      out += fmt::format("{}{} *restrict {}, ", array.is_result ? "" : "const ", listing_.number(),
                         array.name);
      unused += fmt::format("(void){}, ", array.name);
    }
    out += fmt::format("{} *restrict carried) {{\n  {}(void)carried;\n", listing_.number(), unused);
    std::set<uint32_t> declared;
    for (const Statement& statement : statements) {
      for (const uint32_t node : statement.reads)
        if (declared.insert(node).second) line(out, listing_.declare(node, place(node)).text);
      line(out, statement.text);
      if (!statement.node) continue;
      declared.insert(*statement.node);
      if (carried_.contains(*statement.node))
        line(out,
             fmt::format("{} = {};", place(*statement.node), listing_.variable(*statement.node)));
    }
    return out + "}\n";
  }
  static void line(std::string& out, const std::string& text) { out += "  " + text + "\n"; }
  std::string place(uint32_t node) const { return fmt::format("carried[{}]", carried_.at(node)); }

  const Listing& listing_;
  std::span<const Statement> statements_;
  const std::string& name_;
  std::span<const Array> arrays_;
  size_t length_;                       // of a part
  std::map<uint32_t, size_t> carried_;  // nodes of variables
};

}  // namespace

FunctionText in_parts(const Listing& listing, const std::vector<Statement>& statements,
                      const std::string& name, std::span<const Array> arrays) {
  if (statements.size() > longest_part) return Parts(listing, statements, name, arrays)();
  FunctionText out;
  for (const Statement& statement : statements) out.body += "  " + statement.text + "\n";
  return out;
}

}  // namespace torsor::symbolic
