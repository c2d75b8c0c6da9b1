#include "torsor/cli/support/constraint_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

std::string failure_text(const ConstraintComparison::Result& result) {
  return fmt::format("in state {}, {}", result.failed_problem, result.failure);
}

}  // namespace

ConstraintReport::ConstraintReport(std::string file, std::string subject, uint64_t seed)
    : file_(std::move(file)), subject_(std::move(subject)), seed_(seed) {}

void ConstraintReport::add_solver(const PluginInfo& plugin,
                                  std::unique_ptr<ConstraintSolver> solver) {
  plugins_.push_back(plugin);
  comparison_.add(std::move(solver));
}

void ConstraintReport::compare(const ConstraintRowsAt& rows) {
  counts_ = rows.counts();
  comparison_.compare(rows.problem());
}

void ConstraintReport::measure(const ConstraintRowsAt& rows) {
  comparison_.measure(rows.problem(), 5e6);
}

std::string ConstraintReport::pair_name(const ConstraintComparison::Pair& pair) const {
  return fmt::format("{} and {}", without_kind(plugins_[size_t(pair.a)].id),
                     without_kind(plugins_[size_t(pair.b)].id));
}

std::string ConstraintReport::text() const {
  std::string out = fmt::format(
      "{:<13}{}\n{:<13}{}, seed {}{}\n{:<13}{} of closures, {} of mimic joints, {} of dry "
      "friction, "
      "{} of stops\n",
      subject_, file_, "states", comparison_.problems(), seed_,
      subject_ == "scene" ? "; the first is the scene's start" : "", "rows", counts_.closures,
      counts_.mimics, counts_.frictions, counts_.stops);
  size_t width = 8;
  for (const PluginInfo& plugin : plugins_) {
    out += fmt::format("{:<13}{} {}\n", "solver", plugin.id, plugin.version);
    width = std::max(width, without_kind(plugin.id).size() + 2);
  }
  out += fmt::format("\n{:<{}}{:>10}{:>7}{:>11}{:>12}{:>8}{:>13}\n", "solver", width, "residual",
                     "state", "at bounds", "iterations", "most", "ns per call");
  for (size_t k = 0; k < plugins_.size(); ++k) {
    const ConstraintComparison::Result& result = comparison_.results()[k];
    const double states = std::max(comparison_.problems(), 1);
    out += fmt::format("{:<{}}{:>10.1e}{:>7}{:>11.1f}{:>12.1f}{:>8}{:>13.0f}{}\n",
                       without_kind(plugins_[k].id), width, result.residual, result.problem,
                       result.at_bounds / states, double(result.iterations) / states,
                       result.most_iterations, result.ns, result.failure.empty() ? "" : "  BROKEN");
  }
  size_t pair_width = 8;
  const std::vector<ConstraintComparison::Pair>& pairs = comparison_.pairs();
  for (const auto& pair : pairs) pair_width = std::max(pair_width, pair_name(pair).size() + 2);
  if (!pairs.empty())
    out += fmt::format("\n{:<{}}{:>10}{:>14}{:>7}\n", "difference", pair_width, "of lambda",
                       "of G lambda", "state");
  for (const auto& pair : pairs)
    out += fmt::format("{:<{}}{:>10.1e}{:>14.1e}{:>7}{}\n", pair_name(pair), pair_width,
                       pair.lambda, pair.w, pair.problem, pair.broken() ? "  BROKEN" : "");
  return out +
         "The residual is 0 if all multipliers are within their bounds and all rates satisfy their "
         "conditions.\nRows at bounds and iterations are means over the states.\nThe multipliers "
         "of redundant rows are not unique; G lambda is.\n";
}

Json ConstraintReport::json() const {
  Json out{{"torsor", TORSOR_VERSION},
           {subject_, file_},
           {"states", comparison_.problems()},
           {"seed", seed_},
           {"agree", broken_line().empty()}};
  out["rows"] = {{"closures", counts_.closures},
                 {"mimics", counts_.mimics},
                 {"frictions", counts_.frictions},
                 {"stops", counts_.stops}};
  out["solvers"] = Json::array();
  for (size_t k = 0; k < plugins_.size(); ++k) {
    const PluginInfo& plugin = plugins_[k];
    const ConstraintComparison::Result& result = comparison_.results()[k];
    Json entry{{"id", plugin.id},
               {"version", plugin.version},
               {"sha256", plugin.sha256},
               {"residual", finite_or_null(result.residual)},
               {"state", result.problem},
               {"rows_at_bounds", result.at_bounds},
               {"iterations", result.iterations},
               {"most_iterations", result.most_iterations},
               {"ns", finite_or_null(result.ns)}};
    if (!result.failure.empty()) entry["failure"] = failure_text(result);
    out["solvers"].push_back(entry);
  }
  out["differences"] = Json::array();
  for (const ConstraintComparison::Pair& pair : comparison_.pairs())
    out["differences"].push_back(
        {{"solvers", {plugins_[size_t(pair.a)].id, plugins_[size_t(pair.b)].id}},
         {"lambda", finite_or_null(pair.lambda)},
         {"G_lambda", finite_or_null(pair.w)},
         {"state", pair.problem},
         {"broken", pair.broken()}});
  return out;
}

std::string ConstraintReport::broken_line() const {
  for (const ConstraintComparison::Result& result : comparison_.results())
    if (!result.failure.empty()) return fmt::format("{}: {}", file_, failure_text(result));
  for (const ConstraintComparison::Pair& pair : comparison_.pairs())
    if (pair.broken())
      return fmt::format("{}: in state {} {} disagree in G lambda by {:.1e}; {:.1e} is allowed",
                         file_, pair.problem, pair_name(pair), pair.w,
                         ConstraintComparison::agreement);
  return "";
}

}  // namespace torsor::cli
