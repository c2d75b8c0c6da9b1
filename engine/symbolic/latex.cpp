#include "torsor/symbolic/latex.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor::symbolic {

namespace {

using Wave = Monomial::Wave;
using Powers = std::map<size_t, int>;

// "vddot2" is \ddot v_{2}, "p2x" is p_{2x}, "XX3" is \mathit{XX}_{3}.
std::string symbol_text(const Symbol& symbol) {
  const std::string& name = symbol.name;
  const size_t digit = name.find_first_of("0123456789");
  std::string letters = name.substr(0, digit), rest = digit == name.npos ? "" : name.substr(digit);
  std::string accent;
  for (const auto& [ending, command] :
       {std::pair{"dddot", "\\dddot"}, {"ddot", "\\ddot"}, {"dot", "\\dot"}})
    if (accent.empty() && letters.size() > 1 && letters.ends_with(ending)) {
      accent = command;
      letters.resize(letters.size() - std::string_view(ending).size());
    }
  std::erase(rest, '_');
  std::string base = letters == "tau"     ? "\\tau"
                     : letters.size() > 1 ? "\\mathit{" + letters + "}"
                                          : letters;
  if (!accent.empty()) base = accent + "{" + base + "}";
  return base + (rest.empty() ? "" : "_{" + rest + "}");
}

std::string powers_text(const Powers& powers, const Graph& graph) {
  std::string out;
  for (const auto& [symbol, power] : powers) {
    if (!out.empty()) out += "\\,";
    out += symbol_text(graph.symbols()[symbol]);
    if (power != 1) out += fmt::format("^{{{}}}", power);
  }
  return out;
}

// s_{12} for sin(q_1 + q_2), if every multiple is 1. s_{1,2} if there may be a q_12.
std::string wave_text(const Monomial& term, const Graph& graph) {
  if (term.wave == Wave::one) return "";
  const bool sine = term.wave == Wave::sine;
  const bool plain = std::all_of(term.angle.begin(), term.angle.end(),
                                 [](const auto& entry) { return entry.second == 1; });
  const bool is_long = std::ranges::count(graph.symbols(), "q", &Symbol::array) >= 10;
  std::string out;
  for (const auto& [symbol, multiple] : term.angle) {
    const Symbol& angle = graph.symbols()[symbol];
    if (plain) {
      out += (out.empty() || !is_long ? "" : ",") + fmt::format("{}", angle.index + 1);
    } else {
      const int size = std::abs(multiple);
      out += multiple < 0 ? "-" : out.empty() ? "" : "+";
      out += (size == 1 ? "" : fmt::format("{}\\,", size)) + symbol_text(angle);
    }
  }
  if (plain) return fmt::format("{}_{{{}}}", sine ? "s" : "c", out);
  return fmt::format("\\{}({})", sine ? "sin" : "cos", out);
}

// A number without sign: an integer, a fraction with a small divisor, or a decimal.
std::string coefficient_text(double c) {
  for (const int divisor : {1, 2, 3, 4, 6, 8, 12, 24}) {
    const double numerator = c * divisor;
    if (std::abs(numerator - std::round(numerator)) < 1e-12 * numerator && numerator < 1e6)
      return divisor == 1 ? fmt::format("{}", std::round(numerator))
                          : fmt::format("\\tfrac{{{}}}{{{}}}", std::round(numerator), divisor);
  }
  std::string text = fmt::format("{:.6g}", c);
  if (const size_t e = text.find('e'); e != text.npos)
    text = fmt::format("{}\\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
  return text;
}

// Adds a signed term to a sum.
void add_term(std::string& sum, bool negative, const std::string& term) {
  if (sum.empty())
    sum = negative ? "-" + term : term;
  else
    sum += (negative ? " - " : " + ") + term;
}

std::string join_factors(std::initializer_list<std::string> factors) {
  std::string out;
  for (const std::string& factor : factors) {
    if (factor.empty()) continue;
    if (!out.empty()) out += "\\,";
    out += factor;
  }
  return out.empty() ? "1" : out;
}

// The text of c x with the coefficient 1 left out before other factors.
std::string scaled(double size, const std::string& powers) {
  return size == 1 && !powers.empty() ? powers : join_factors({coefficient_text(size), powers});
}

// Powers that all terms have.
Powers common_powers(const std::vector<std::pair<Powers, double>>& terms) {
  Powers common = terms.front().first;
  for (const auto& [powers, c] : terms) {
    for (auto& [symbol, power] : common) {
      const auto found = powers.find(symbol);
      power = found == powers.end() ? 0 : std::min(power, found->second);
    }
    std::erase_if(common, [](const auto& entry) { return entry.second == 0; });
  }
  return common;
}

// A number and a sum of products of parameters with a common factor: -2 k (a + b). The first
// coefficient of the sum is positive.
struct Collected {
  double number;
  std::string parameters;  // "" is 1
};
Collected collect(const std::vector<std::pair<Powers, double>>& terms, const Graph& graph) {
  const Powers common = common_powers(terms);
  const double first = terms.front().second;
  bool equal = true;  // whether all coefficients have the same size
  for (const auto& [powers, c] : terms) equal = equal && std::abs(c) == std::abs(first);
  const double number = equal ? first : first < 0 ? -1 : 1;
  const std::string outer = powers_text(common, graph);
  if (terms.size() == 1) return {number, outer};
  std::string inner;
  for (const auto& [powers, c] : terms) {
    Powers rest = powers;
    for (const auto& [symbol, power] : common)
      if ((rest[symbol] -= power) == 0) rest.erase(symbol);
    add_term(inner, c / number < 0, scaled(std::abs(c / number), powers_text(rest, graph)));
  }
  return {number, join_factors({outer, "(" + inner + ")"})};
}

// The number of time derivatives of a symbol: 0 for q, 1 for v, 2 for vdot.
int derivatives_of(const Symbol& symbol) {
  const auto dots = [&](const char* ending) { return symbol.array.ends_with(ending); };
  return dots("dddot") ? 4 : dots("ddot") ? 3 : dots("dot") ? 2 : symbol.array == "v" ? 1 : 0;
}

}  // namespace

// Terms are collected twice: those of the same state, then those with the same wave and the same
// parameters, as in m l (2 v_1 v_2 + v_2^2) s_2.
std::string latex(const Polynomial& x, const Graph& graph) {
  std::map<Monomial, std::vector<std::pair<Powers, double>>> by_state;
  for (const auto& [term, c] : x) {
    Monomial state{{}, term.wave, term.angle};
    Powers parameters;
    for (const auto& [symbol, power] : term.powers)
      (graph.symbols()[symbol].kind == SymbolKind::state ? state.powers : parameters)[symbol] =
          power;
    by_state[state].push_back({parameters, c});
  }
  struct Group {
    int derivatives = 0;  // of the highest derivative among its states
    std::string parameters, wave;
    std::vector<std::pair<double, std::string>> states;
  };
  std::vector<Group> groups;
  for (const auto& [state, terms] : by_state) {
    const Collected factor = collect(terms, graph);
    const std::string wave = wave_text(state, graph);
    int derivatives = 0;
    for (const auto& [symbol, power] : state.powers)
      derivatives = std::max(derivatives, derivatives_of(graph.symbols()[symbol]));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.parameters == factor.parameters && g.wave == wave && g.derivatives == derivatives;
    });
    if (group == groups.end())
      group = groups.insert(groups.end(), {derivatives, factor.parameters, wave, {}});
    group->states.push_back({factor.number, powers_text(state.powers, graph)});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.derivatives > b.derivatives; });
  std::string out;
  for (const Group& group : groups) {
    const double first = group.states.front().first;
    bool equal = true;
    for (const auto& [number, state] : group.states)
      equal = equal && std::abs(number) == std::abs(first);
    const double number = equal ? first : first < 0 ? -1 : 1;
    std::string states = group.states.front().second;
    if (group.states.size() > 1) {
      std::string sum;
      for (const auto& [c, state] : group.states)
        add_term(sum, c / number < 0, scaled(std::abs(c / number), state));
      states = "(" + sum + ")";
    }
    const std::string size = std::abs(number) == 1 ? "" : coefficient_text(std::abs(number));
    add_term(out, number < 0, join_factors({size, group.parameters, states, group.wave}));
  }
  return out.empty() ? "0" : out;
}

namespace {

// Returns the left side of the equation of an entry: M_{12}.
std::string entry_name(const Result& result, size_t k) {
  std::string index;
  const bool is_short = std::ranges::all_of(result.shape, [](int size) { return size < 10; });
  for (size_t d = result.shape.size(), rest = k; d-- > 0;) {
    const char* separator = index.empty() || is_short ? "" : ",";
    index = fmt::format("{}{}{}", rest % size_t(result.shape[d]) + 1, separator, index);
    rest /= size_t(result.shape[d]);
  }
  const std::string name = symbol_text({result.name, SymbolKind::state, "", -1});
  return index.empty() ? name : name + "_{" + index + "}";
}

// Returns a formula of latex() as plain text: "m_{2}\\,r_{2x}^{2}" is "m2 r2x^2".
std::string plain_text(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"\\,", " "},     {"\\tfrac{", "{"}, {"}{", "/"},      {"\\cdot 10^{", "e{"},
      {"\\tau", "tau"}, {"\\dddot", "d3"}, {"\\ddot", "d2"}, {"\\dot", "d"},
      {"\\mathit", ""}, {"\\sin", "sin"},  {"\\cos", "cos"}, {"_{", "{"}};
  for (const auto& [from, to] : words) text = replaced(std::move(text), from, to);
  std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
  return text;
}

class Document {
 public:
  Document(const std::shared_ptr<const Model>& model, const CodeOptions& options)
      : model_(model), options_(options) {}

  std::string operator()() {
    text_ =
        "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}\n"
        "\\allowdisplaybreaks\n\\begin{document}\n";
    text_ += fmt::format("\\section*{{Equations of motion of \\texttt{{{}}}}}\n",
                         escaped(options_.name));
    for (const std::string& name : options_.quantities) section(formula_row(name));
    symbols();
    return text_ + "\\end{document}\n";
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '_' ? "\\_" : std::string(1, c);
    return out;
  }

  void section(const FormulaRow& quantity) {
    const Formulae made = formulae(model_, quantity, options_.symbols, options_.gravity_W);
    const auto forms = polynomials(made.program());
    if (!forms)
      throw Error(fmt::format(
          "{} of this robot has quotients and cannot be printed as a polynomial; generate code "
          "for it, or print mass_matrix, coriolis_matrix and gravity",
          quantity.name));
    std::string title = quantity.name;
    std::replace(title.begin(), title.end(), '_', ' ');
    title[0] = char(std::toupper(static_cast<unsigned char>(title[0])));
    title = replaced(std::move(title), "christoffel", "Christoffel");
    text_ += fmt::format("\\subsection*{{{}}}\n\\begin{{align*}}\n", title);
    std::string equations;
    size_t form = 0;
    for (const Result& result : made.results)
      for (size_t k = 0; k < result.entries.size(); ++k, ++form) {
        if (result.is_pivots || is_repeated(result, k)) continue;
        if (result.shape.size() == 3 && (*forms)[form].empty()) continue;
        equations +=
            fmt::format("{}{} &= {}", equations.empty() ? "" : " \\\\\n", entry_name(result, k),
                        breakable(latex((*forms)[form], *made.graph)));
      }
    text_ += (equations.empty() ? "& 0" : equations) + "\n\\end{align*}\n";
    for (const Parameter& parameter : made.model->parameters())
      if (used_.insert(parameter.name).second) parameters_.push_back(parameter);
  }

  // Returns true if an entry is below the diagonal of a symmetric matrix.
  static bool is_repeated(const Result& result, size_t k) {
    if (result.shape.size() != 2 || result.shape[0] != result.shape[1]) return false;
    const size_t n = size_t(result.shape[0]), row = k / n, column = k % n;
    if (row <= column) return false;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < i; ++j)
        if (!(result.entries[i * n + j] == result.entries[j * n + i])) return false;
    return true;
  }

  // Breaks a long sum into lines.
  static std::string breakable(const std::string& sum) {
    std::string out;
    size_t column = 0;
    for (size_t at = 0; at < sum.size(); ++at) {
      const bool operation =
          sum[at] == ' ' && at + 2 < sum.size() && sum[at + 2] == ' ' && depth(out) == 0;
      if (operation && column > 120) {
        out += " \\\\\n&\\quad";
        column = 0;
      }
      out += sum[at];
      ++column;
    }
    return out;
  }
  static int depth(const std::string& text) {
    int open = 0;
    for (const char c : text) open += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    return open;
  }

  void symbols() {
    text_ +=
        "\\subsection*{Symbols}\n$s_{ij..} = \\sin(q_i + q_j + ..)$, "
        "$c_{ij..} = \\cos(q_i + q_j + ..)$.\n";
    if (parameters_.empty()) return;
    text_ += "\n\\begin{tabular}{lll}\nsymbol & value & unit \\\\\n\\hline\n";
    for (const Parameter& p : parameters_)
      text_ +=
          fmt::format("${}$ & {} & {} \\\\\n", symbol_text({p.name, SymbolKind::parameter, "", -1}),
                      p.value, p.unit == "1" ? "" : "$\\mathrm{" + unit(p.unit) + "}$");
    text_ += "\\end{tabular}\n";
  }
  static std::string unit(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == ' ' ? "\\,\\," : std::string(1, c);
    return out;
  }

  const std::shared_ptr<const Model>& model_;
  const CodeOptions& options_;
  std::string text_;
  std::set<std::string> used_;
  std::vector<Parameter> parameters_;
};

}  // namespace

std::vector<EntryFormula> entry_formulae(const std::shared_ptr<const Model>& model,
                                         const FormulaRow& quantity, const SymbolChoice& symbols,
                                         const Vec3<double>& gravity_W, size_t max_terms) {
  const Formulae made = formulae(model, quantity, symbols, gravity_W);
  const auto forms = polynomials(made.program(), max_terms);
  if (!forms) throw Error(fmt::format("{} has quotients", quantity.name));
  std::vector<EntryFormula> out;
  for (const Result& result : made.results)
    for (size_t k = 0; k < result.entries.size(); ++k) {
      const std::string equation =
          fmt::format("{} = {}", entry_name(result, k), latex((*forms)[out.size()], *made.graph));
      out.push_back({plain_text(equation), equation});
    }
  return out;
}

std::string latex_document(const std::shared_ptr<const Model>& model, const CodeOptions& options) {
  require_identifier(options.name);
  return Document(model, options)();
}

}  // namespace torsor::symbolic
