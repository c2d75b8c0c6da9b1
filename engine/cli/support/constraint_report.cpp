#include "torsor/cli/support/constraint_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

ConstraintReport::ConstraintReport(Kind kind, std::string file)
    : kind_(kind), file_(std::move(file)) {}

void ConstraintReport::add_solver(const PluginInfo& plugin,
                                  std::unique_ptr<ConstraintSolver> solver) {
  plugins_.push_back(plugin);
  comparison_.add(std::move(solver));
}

void ConstraintReport::reject(const PluginInfo& plugin, std::string reason) {
  rejected_.emplace_back(plugin, std::move(reason));
}

std::string ConstraintReport::pair_name(const ConstraintComparison::Pair& pair) const {
  return fmt::format("{} and {}", without_kind(plugins_[size_t(pair.a)].id),
                     without_kind(plugins_[size_t(pair.b)].id));
}

// Contacts may have several w that satisfy their laws.
bool ConstraintReport::is_broken(const ConstraintComparison::Pair& pair) const {
  return kind_ == Kind::constraints && pair.differ();
}

std::string ConstraintReport::solver_table() const {
  size_t width = 8;
  for (const PluginInfo& plugin : plugins_)
    width = std::max(width, without_kind(plugin.id).size() + 2);
  std::string out = fmt::format("{:<{}}{:>10}{:>7}", "solver", width, "residual", "state");
  if (kind_ == Kind::contacts)
    out += fmt::format("{:>11}{:>11}{:>11}", "compl. J", "appr. m/s", "cone N s");
  else
    out += fmt::format("{:>11}", "at bounds");
  out += fmt::format("{:>12}{:>8}{:>13}\n", "iterations", "most", "ns per call");
  for (size_t k = 0; k < plugins_.size(); ++k) {
    const ConstraintComparison::Result& result = comparison_.results()[k];
    const ContactLawErrors& laws = result.laws;
    const double states = std::max(comparison_.problems(), 1);
    out += fmt::format("{:<{}}{:>10.1e}{:>7}", without_kind(plugins_[k].id), width, laws.residual,
                       result.problem);
    if (kind_ == Kind::contacts)
      out += fmt::format("{:>11.1e}{:>11.1e}{:>11.1e}", laws.complementarity, laws.approach,
                         laws.cone);
    else
      out += fmt::format("{:>11.1f}", result.at_bounds / states);
    out += fmt::format("{:>12.1f}{:>8}{:>13.0f}{}\n", double(result.iterations) / states,
                       result.most_iterations, result.ns, result.failure.empty() ? "" : "  BROKEN");
  }
  return out;
}

std::string ConstraintReport::pair_table() const {
  const std::vector<ConstraintComparison::Pair>& pairs = comparison_.pairs();
  if (pairs.empty()) return "";
  size_t width = 8;
  for (const auto& pair : pairs) width = std::max(width, pair_name(pair).size() + 2);
  std::string out = fmt::format("\n{:<{}}{:>10}{:>14}{:>7}\n", "difference", width, "of lambda",
                                "of G lambda", "state");
  for (const auto& pair : pairs)
    out += fmt::format("{:<{}}{:>10.1e}{:>14.1e}{:>7}{}\n", pair_name(pair), width, pair.lambda,
                       pair.w, pair.problem,
                       is_broken(pair) ? "  BROKEN"
                       : pair.differ() ? "  several motions"
                                       : "");
  return out;
}

std::string ConstraintReport::text(const std::string& about) const {
  std::string out = about;
  for (const PluginInfo& plugin : plugins_)
    out += fmt::format("{:<13}{} {}\n", "solver", plugin.id, plugin.version);
  for (const auto& [plugin, reason] : rejected_)
    out += fmt::format("{:<13}{}: not applicable: {}\n", "solver", plugin.id, reason);
  out += "\n" + solver_table() + pair_table();
  if (kind_ == Kind::constraints)
    return out +
           "The residual is 0 if all multipliers are within their bounds and all rates satisfy "
           "their conditions.\nRows at bounds and iterations are means over the states.\nThe "
           "multipliers of redundant rows are not unique; G lambda is.\n";
  return out +
         "The residual is 0 if all impulses satisfy Signorini's law and Coulomb's law. The largest "
         "errors of the laws are max |lambda_n w_n|, max -w_n and max |lambda_t| - mu "
         "lambda_n.\nIterations are means over the states, from the impulses of the step "
         "before.\nThe impulses of redundant contacts are not unique. G lambda, the change of the "
         "velocities, is unique unless such contacts slide.\n";
}

Json ConstraintReport::json() const {
  Json out;
  out["solvers"] = Json::array();
  for (size_t k = 0; k < plugins_.size(); ++k) {
    const PluginInfo& plugin = plugins_[k];
    const ConstraintComparison::Result& result = comparison_.results()[k];
    Json entry{{"id", plugin.id},
               {"version", plugin.version},
               {"sha256", plugin.sha256},
               {"residual", finite_or_null(result.laws.residual)},
               {"state", result.problem}};
    if (kind_ == Kind::contacts) {
      entry["complementarity"] = finite_or_null(result.laws.complementarity);
      entry["approach"] = finite_or_null(result.laws.approach);
      entry["cone_violation"] = finite_or_null(result.laws.cone);
    } else {
      entry["rows_at_bounds"] = result.at_bounds;
    }
    entry["iterations"] = result.iterations;
    entry["most_iterations"] = result.most_iterations;
    entry["ns"] = finite_or_null(result.ns);
    if (!result.failure.empty()) entry["failure"] = failure_text(result);
    out["solvers"].push_back(entry);
  }
  if (!rejected_.empty()) out["not_applicable"] = Json::array();
  for (const auto& [plugin, reason] : rejected_)
    out["not_applicable"].push_back({{"id", plugin.id}, {"reason", reason}});
  out["differences"] = Json::array();
  for (const ConstraintComparison::Pair& pair : comparison_.pairs())
    out["differences"].push_back(
        {{"solvers", {plugins_[size_t(pair.a)].id, plugins_[size_t(pair.b)].id}},
         {"lambda", finite_or_null(pair.lambda)},
         {"G_lambda", finite_or_null(pair.w)},
         {"state", pair.problem},
         {"broken", is_broken(pair)}});
  return out;
}

std::string ConstraintReport::broken_line() const {
  for (const ConstraintComparison::Result& result : comparison_.results())
    if (!result.failure.empty())
      return fmt::format("{}: {}{}", file_, kind_ == Kind::contacts ? "contacts: " : "",
                         failure_text(result));
  for (const ConstraintComparison::Pair& pair : comparison_.pairs())
    if (is_broken(pair))
      return fmt::format("{}: in state {} {} disagree in G lambda by {:.1e}; {:.1e} is allowed",
                         file_, pair.problem, pair_name(pair), pair.w,
                         ConstraintComparison::agreement);
  return "";
}

}  // namespace torsor::cli
