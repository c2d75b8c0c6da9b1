#include "torsor/plugin/plugin_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/plugin/trace_table.hpp"
#include "torsor/sdk/ext/constraint_solver.hpp"
#include "torsor/sdk/ext/controller.hpp"
#include "torsor/sdk/ext/force.hpp"
#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_batch.hpp"
#include "torsor/sdk/ext/solver_partials.hpp"
#include "torsor/sdk/ext/solver_rates.hpp"
#include "torsor/sdk/ext/solver_trace.hpp"
#include "torsor/sdk/ext/trajectory.hpp"

namespace torsor {

namespace {

// Returns the defect of a plugin's interface table as a clause: of its size, or the result of
// check(table). Returns "" if there is no defect, or if the plugin does not offer the interface.
template <class Table, class Check>
std::string flaw_of(const Plugin& plugin, const char* id, Check check) {
  const auto* table = static_cast<const Table*>(plugin.interface(id));
  if (!table) return "";
  if (const std::string defect = sdk::size_defect(*table); !defect.empty())
    return fmt::format("its {} table {}", id, defect);
  return check(sdk::known_members(*table));
}

std::string rates_flaw(const torsor_solver_rates& table) {
  if (!table.rates) return fmt::format("its {} table lacks rates", TORSOR_SOLVER_RATES);
  if (table.max_order < 2 || table.max_order > TORSOR_MAX_ORDER)
    return fmt::format("its {} table has the order {}; it must be 2 to {}", TORSOR_SOLVER_RATES,
                       table.max_order, int(TORSOR_MAX_ORDER));
  return "";
}

std::string partials_flaw(const torsor_solver_partials& table) {
  return table.inverse_partials
             ? ""
             : fmt::format("its {} table lacks inverse_partials", TORSOR_SOLVER_PARTIALS);
}

// Returns the defect of a table within the table of blocks as a clause, or "".
template <class Table, class Check>
std::string block_flaw(const char* name, const Table* table, Check check) {
  if (!table) return "";
  std::string defect = sdk::size_defect(*table);
  if (defect.empty()) defect = check(sdk::known_members(*table));
  return defect.empty() ? ""
                        : fmt::format("its {} table, {}: {}", TORSOR_SOLVER_BATCH, name, defect);
}
std::string batch_flaw(const torsor_solver_batch& table) {
  if (table.lanes != 2 && table.lanes != 4 && table.lanes != 8)
    return fmt::format("its {} table has {} lanes; there must be 2, 4 or 8", TORSOR_SOLVER_BATCH,
                       table.lanes);
  if (!table.solver) return fmt::format("its {} table lacks solver", TORSOR_SOLVER_BATCH);
  std::string flaw = block_flaw("solver", table.solver, [](const torsor_solver&) { return ""; });
  if (flaw.empty()) flaw = block_flaw("partials", table.partials, partials_flaw);
  if (flaw.empty()) flaw = block_flaw("rates", table.rates, rates_flaw);
  return flaw;
}

std::string trace_clause(const torsor_solver_trace& table) {
  const std::string flaw = trace_flaw(table);
  return flaw.empty() ? "" : fmt::format("its {} table {}", TORSOR_SOLVER_TRACE, flaw);
}

std::string solver_flaw(const Plugin& plugin) {
  std::string flaw =
      flaw_of<torsor_solver>(plugin, TORSOR_SOLVER, [](const torsor_solver& table) -> std::string {
        return table.inverse || table.forward ? ""
                                              : "it offers neither inverse nor forward dynamics";
      });
  if (flaw.empty()) flaw = flaw_of<torsor_solver_rates>(plugin, TORSOR_SOLVER_RATES, rates_flaw);
  if (flaw.empty())
    flaw = flaw_of<torsor_solver_partials>(plugin, TORSOR_SOLVER_PARTIALS, partials_flaw);
  if (flaw.empty()) flaw = flaw_of<torsor_solver_batch>(plugin, TORSOR_SOLVER_BATCH, batch_flaw);
  if (flaw.empty()) flaw = flaw_of<torsor_solver_trace>(plugin, TORSOR_SOLVER_TRACE, trace_clause);
  return flaw;
}

std::string force_flaw(const Plugin& plugin) {
  return flaw_of<torsor_force>(plugin, TORSOR_FORCE, [](const torsor_force& table) {
    return table.evaluate ? "" : "its evaluate is NULL";
  });
}

std::string trajectory_flaw(const Plugin& plugin) {
  return flaw_of<torsor_trajectory>(plugin, TORSOR_TRAJECTORY, [](const torsor_trajectory& table) {
    return table.describe && table.evaluate ? "" : "its describe or evaluate is NULL";
  });
}

std::string signals_flaw(const torsor_controller& table) {
  constexpr uint32_t most = 1000;
  if (table.n_signal > most || (table.n_signal > 0 && !table.signal))
    return "its signals are too many or NULL";
  if (table.n_signal == 0) return "";
  if (const std::string defect = sdk::size_defect(*table.signal); !defect.empty())
    return "its torsor_signal " + defect;
  uint32_t k = 0;
  for (const torsor_signal& signal : sdk::known_rows(table.signal, table.n_signal)) {
    if (signal.struct_size != table.signal->struct_size || !signal.name || !signal.unit ||
        signal.count > most || (signal.is_acceleration && signal.count != 0))
      return fmt::format("its signal {} is malformed", k);
    ++k;
  }
  return "";
}

std::string controller_flaw(const Plugin& plugin) {
  return flaw_of<torsor_controller>(
      plugin, TORSOR_CONTROLLER, [](const torsor_controller& table) -> std::string {
        if (!table.evaluate) return "its evaluate is NULL";
        if (table.reference < TORSOR_REFERENCE_NONE || table.reference > TORSOR_REFERENCE_FRAME)
          return fmt::format("it follows references of the unknown kind {}", table.reference);
        return signals_flaw(table);
      });
}

std::string constraint_solver_flaw(const Plugin& plugin) {
  return flaw_of<torsor_constraint_solver>(
      plugin, TORSOR_CONSTRAINT_SOLVER,
      [](const torsor_constraint_solver& table) { return table.solve ? "" : "its solve is NULL"; });
}

constexpr PluginKind kinds[] = {
    {"solver", TORSOR_SOLVER, solver_flaw},
    {"force", TORSOR_FORCE, force_flaw},
    {"trajectory", TORSOR_TRAJECTORY, trajectory_flaw},
    {"controller", TORSOR_CONTROLLER, controller_flaw},
    {"constraint_solver", TORSOR_CONSTRAINT_SOLVER, constraint_solver_flaw}};

}  // namespace

std::vector<std::string> plugin_kind_names() {
  std::vector<std::string> names;
  for (const PluginKind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

const PluginKind* kind_of(std::string_view id) {
  const std::string_view name = id.substr(0, id.find('.'));
  const auto found = std::ranges::find(kinds, name, &PluginKind::name);
  return found == std::end(kinds) ? nullptr : found;
}

std::string interface_flaw(const Plugin& plugin) {
  const PluginKind& kind = *kind_of(plugin.descriptor().id);
  if (!plugin.interface(kind.interface)) return fmt::format("it offers no {}", kind.interface);
  return kind.flaw(plugin);
}

}  // namespace torsor
