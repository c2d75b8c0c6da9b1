#include "torsor/plugin/trace_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <span>
#include <string_view>

#include "torsor/base/error.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor {

namespace {

constexpr size_t most_passes = 16, most_rows = 64, most_inputs = 32;

bool is_symbol(const char* text) {
  const std::string_view symbol(text);
  return !symbol.empty() && std::all_of(symbol.begin(), symbol.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '\'';
  });
}

// Checks a trace table row by row. Records which quantities the rows so far have computed.
class TraceReader {
 public:
  explicit TraceReader(const torsor_solver_trace& table) : table_(table) {
    for (const char* symbol : {"v", "S", "J", "X", "M", "Fe"}) given_.emplace_back(symbol);
    given_.emplace_back(table.of_forward ? "tau" : "vdot");
  }

  std::string flaw() {
    if (!table_.trace) return "lacks trace";
    if (table_.of_forward != 0 && table_.of_forward != 1) return "is neither inverse nor forward";
    if (!table_.pass || table_.n_pass == 0 || table_.n_pass > most_passes)
      return "has no passes, or too many";
    for (uint32_t k = 0; k < table_.n_pass; ++k)
      if (std::string flaw = pass_flaw(table_.pass[k]); !flaw.empty())
        return fmt::format("has a malformed pass {}: {}", k + 1, flaw);
    if (!has_result_)
      return fmt::format("has no quantity that is the {}", table_.of_forward ? "vdot" : "tau");
    return "";
  }

 private:
  std::string pass_flaw(const torsor_trace_pass& pass) {
    if (!pass.name) return "it has no name";
    if (pass.inward != 0 && pass.inward != 1) return "it goes neither outward nor inward";
    if (!pass.quantity || pass.n_quantity == 0 || pass.n_quantity > most_rows)
      return "it has no quantities, or too many";
    ++number_;
    rows_ = std::span(pass.quantity, pass.n_quantity);
    for (const torsor_trace_quantity& row : rows_) {
      if (std::string flaw = row_flaw(row, pass.inward != 0); !flaw.empty())
        return fmt::format("quantity '{}' {}", row.symbol ? row.symbol : "", flaw);
      computed_[row.symbol] = number_;
    }
    return "";
  }

  std::string row_flaw(const torsor_trace_quantity& row, bool inward) {
    for (const char* text : {row.symbol, row.name, row.equation, row.latex, row.source})
      if (!text) return "lacks a text";
    if (!is_symbol(row.symbol)) return "needs a symbol of letters and digits";
    if (computed_.contains(row.symbol) || is_given(row.symbol)) return "is defined twice";
    if (row.kind < 0 || row.axes < TORSOR_TRACE_IN_BODY || row.axes > TORSOR_TRACE_IN_FIRST)
      return "has an unknown kind or axes";
    if (!std::strchr(row.equation, '=') || !std::strchr(row.latex, '=')) return "has no equation";
    if (!row.inputs) return "has no list of inputs";
    size_t count = 0;
    for (const char* const* input = row.inputs; *input; ++input)
      if (++count > most_inputs || !is_known(*input, row.symbol, inward))
        return fmt::format("has the input '{}', which is neither given nor computed before",
                           *input);
    has_result_ |= row.kind ==
                   (table_.of_forward ? TORSOR_TRACE_JOINT_ACCELERATION : TORSOR_TRACE_JOINT_FORCE);
    return "";
  }

  bool is_given(std::string_view symbol) const {
    return std::find(given_.begin(), given_.end(), symbol) != given_.end();
  }
  // Returns whether an input is given, or is computed before the quantity `own` uses it. In the
  // current pass, all rows have been computed at the bodies visited before: the children in an
  // inward pass, the parent in an outward pass.
  bool is_known(std::string_view input, std::string_view own, bool inward) const {
    if (input.size() < 3 || input[input.size() - 2] != '_') return false;
    const std::string symbol(input.substr(0, input.size() - 2));
    const char index = input.back();
    if (!std::strchr("ipcsa", index)) return false;
    if (is_given(symbol)) return true;
    const bool passed = index == (inward ? 'c' : 'p');
    if (passed)
      for (const torsor_trace_quantity& row : rows_)
        if (row.symbol && symbol == row.symbol) return true;
    const auto found = computed_.find(symbol);
    return found != computed_.end() && symbol != own &&
           (index == 'i' || passed || found->second < number_);
  }

  const torsor_solver_trace& table_;
  std::vector<std::string> given_;
  std::map<std::string, int, std::less<>> computed_;  // number of the pass that computes a symbol
  std::span<const torsor_trace_quantity> rows_;       // rows of the current pass
  int number_ = 0;
  bool has_result_ = false;
};

}  // namespace

std::string trace_flaw(const torsor_solver_trace& table) {
  return TraceReader(table).flaw();
}

TraceTable::TraceTable(const torsor_solver_trace& table, const torsor_model& model) : size(0) {
  for (const torsor_trace_pass& pass : std::span(table.pass, table.n_pass)) {
    passes.push_back({pass.name, pass.inward != 0, int(quantities.size()), int(pass.n_quantity)});
    for (const torsor_trace_quantity& row : std::span(pass.quantity, pass.n_quantity)) {
      if (!sdk::is_trace_kind(row.kind))
        throw Error(
            fmt::format("'{}' of its {} has the kind {}, which this version of Torsor does not "
                        "know; it was built for a newer one",
                        row.symbol, TORSOR_SOLVER_TRACE, row.kind));
      TracedQuantity& out = quantities.emplace_back(TracedQuantity{
          row.kind, row.axes, row.symbol, row.name, row.equation, row.latex, row.source, {}, size});
      for (const char* const* input = row.inputs; *input; ++input) {
        const std::string_view text(*input);
        out.inputs.push_back({std::string(text.substr(0, text.size() - 2)), text.back()});
      }
      size += sdk::trace_size(row.kind, model);
    }
  }
}

std::optional<int> TraceTable::find(std::string_view symbol) const {
  for (size_t k = 0; k < quantities.size(); ++k)
    if (quantities[k].symbol == symbol) return int(k);
  return std::nullopt;
}

int TraceTable::pass_of(int quantity) const {
  int k = 0;
  while (quantity >= passes[size_t(k)].first + passes[size_t(k)].count) ++k;
  return k;
}

}  // namespace torsor
