#include "torsor/cli/eval/eval_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "torsor/base/memory.hpp"
#include "torsor/base/text.hpp"

namespace torsor::cli {

namespace {

// Maximum count of numbers per state, about 2 MB of JSON.
constexpr size_t most_numbers = 100'000;

// Returns whether a quantity is computed if no quantities are named: all that the solver provides,
// except those computed only on request. Those of closed mechanisms are computed for robots with
// closures; a robot with mimic joints alone may be given positions that violate them.
bool is_default(const EvalRow& row, const Solver& solver) {
  return row.is_offered(solver) && !row.on_request_only &&
         (!row.of_closed_mechanism || !solver.model().closures.empty());
}

// Returns the names of the solvers that provide a quantity for this model.
std::vector<std::string> offering(const EvalRow& row, const Registry& registry,
                                  const std::shared_ptr<const Model>& model) {
  std::vector<std::string> out;
  for (const PluginInfo& plugin : registry.plugins()) {
    if (plugin.kind() != Solver::kind) continue;
    try {
      if (row.is_offered(registry.solver(plugin.id, model)))
        out.emplace_back(without_kind(plugin.id));
    } catch (const Error&) {  // the solver does not support this model
    }
  }
  return out;
}

}  // namespace

std::vector<const EvalRow*> chosen_rows(const std::vector<std::string>& names,
                                        const Solver& solver) {
  std::vector<const EvalRow*> chosen;
  std::vector<std::string> all;
  for (const EvalRow& row : eval_rows()) all.push_back(row.name);
  for (const EvalRow& row : eval_rows())
    if (names.empty() ? is_default(row, solver)
                      : std::find(names.begin(), names.end(), row.name) != names.end())
      chosen.push_back(&row);
  for (const std::string& name : names)
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw Error(fmt::format("--quantity: there is no quantity '{}'; there are {}{}", name,
                              fmt::join(all, ", "), did_you_mean(name, all)));
  return chosen;
}

void require_offered(const std::vector<const EvalRow*>& chosen, const Solver& solver,
                     const Registry& registry, const std::shared_ptr<const Model>& model,
                     const StatesFile& file, const std::string& name) {
  for (const EvalRow* row : chosen) {
    if (row->of_closed_mechanism && !has_constraints(*model))
      throw Error(fmt::format(
          "--quantity {}: the robot has neither closures nor mimic joints; close a loop with "
          "arm:close",
          row->name));
    if (!row->is_offered(solver)) {
      const std::vector<std::string> others = offering(*row, registry, model);
      throw Error(
          fmt::format("--quantity {}: solver '{}' does not offer it; {}", row->name, solver.id(),
                      others.empty() ? "no solver for this robot does"
                                     : fmt::format("these do: {}", fmt::join(others, ", "))));
    }
    if (!row->needs_rates) continue;
    for (size_t k = 0; k < file.states.size(); ++k) {
      const int order = int(file.states[k].vdot_rates.size());
      if (order < 2)
        throw Error(
            fmt::format("{}: states[{}]: {} needs 'vdot', 'jerk' and 'snap', the derivatives of v",
                        name, k, row->name));
      if (row->name == rates_name && order > solver.max_rate_order())
        throw Error(fmt::format(
            "{}: states[{}]: solver '{}' computes derivatives of torques up to order {}; the "
            "derivatives given here need order {}",
            name, k, solver.id(), solver.max_rate_order(), order));
    }
  }
}

void require_moderate_size(const std::vector<const EvalRow*>& chosen, const Model& model,
                           const std::string& file) {
  const EvalSizes sizes = sizes_of(model);
  std::vector<std::pair<size_t, const char*>> largest;
  size_t sum = 0, small = 0;
  for (const EvalRow* row : chosen) {
    const size_t size = row->size(sizes);
    sum += size;
    if (size * 100 > most_numbers)
      largest.emplace_back(size, row->name);
    else
      small += size;
  }
  if (sum <= most_numbers) return;
  std::ranges::stable_sort(largest, std::greater(), [](const auto& one) { return one.first; });
  std::string list;
  for (const auto& [size, name] : largest) list += fmt::format("{} {}, ", name, size);
  throw Error(
      fmt::format("{}: all quantities of this robot are about {} numbers for each state, more than "
                  "{}; choose with --quantity NAME,...: {}the others together {}",
                  file, sum, most_numbers, list, small));
}

void require_memory(const std::vector<const EvalRow*>& chosen, const Model& model, size_t states,
                    const std::string& file) {
  const EvalSizes sizes = sizes_of(model);
  double numbers = 0;
  for (const EvalRow* row : chosen) numbers += double(row->size(sizes));
  // Estimated memory in bytes per number: a JSON value and about twenty digits of text. The factor
  // 2 for growing lists and strings is included.
  constexpr double bytes_per_number = 100;
  reserve_memory(
      fmt::format("{}: {:.3g} numbers for each of {}", file, numbers, counted(states, "state")),
      bytes_per_number * numbers * double(states));
}

nlohmann::ordered_json names_of_tree_quantities(const std::vector<const EvalRow*>& chosen) {
  auto out = nlohmann::ordered_json::array();
  for (const EvalRow* row : chosen)
    if (!row->knows_closures) out.push_back(row->name);
  return out;
}

}  // namespace torsor::cli
