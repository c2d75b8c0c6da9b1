#include "torsor/cli/support/constraint_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "torsor/sdk/constraint_view.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

// Largest difference of w of two solvers that agree.
constexpr double constraint_agreement = 1e-6;

Json finite_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

// Returns the best time per call over a few batches.
double time_of(ConstraintSolver& solver, const ConstraintProblem& problem) {
  using Clock = std::chrono::steady_clock;
  constexpr double batch_ns = 5e5, enough_ns = 5e6;
  std::vector<double> lambda(size_t(problem.n()));
  double best = std::numeric_limits<double>::infinity(), total = 0;
  for (long calls = 1; total < enough_ns;) {
    const auto start = Clock::now();
    for (long k = 0; k < calls; ++k) (void)solver.solve(problem, lambda);
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    total += ns;
    best = std::min(best, ns / double(calls));
    if (ns < batch_ns) calls *= 2;
  }
  return best;
}

}  // namespace

ConstraintReport::ConstraintReport(std::string file, std::string subject, uint64_t seed)
    : file_(std::move(file)), subject_(std::move(subject)), seed_(seed) {}

void ConstraintReport::add_solver(const PluginInfo& plugin,
                                  std::unique_ptr<ConstraintSolver> solver) {
  for (int a = 0; a < int(solvers_.size()); ++a) pairs_.push_back({a, int(solvers_.size())});
  results_.emplace_back().plugin = plugin;
  solvers_.push_back(std::move(solver));
}

void ConstraintReport::compare(const ConstraintRowsAt& rows) {
  ++states_;
  counts_ = rows.counts();
  const ConstraintProblem problem = rows.problem();
  const torsor_constraint_problem view = problem.view();
  const auto n = size_t(problem.n());
  std::vector<std::vector<double>> lambdas;
  for (size_t k = 0; k < solvers_.size(); ++k) {
    std::vector<double>& lambda = lambdas.emplace_back(n);
    Result& result = results_[k];
    const Status status = solvers_[k]->solve(problem, lambda);
    if (!status && result.failure.empty())
      result.failure = fmt::format("in state {}, {}", states_, solvers_[k]->explain(status));
    if (const double now = sdk::residual_of(view, lambda.data()); now > result.residual)
      result.residual = now, result.state = states_;
    for (size_t i = 0; i < n; ++i)
      result.at_bounds += lambda[i] == problem.lower[i] || lambda[i] == problem.upper[i];
    result.iterations += solvers_[k]->iterations();
    result.most_iterations = std::max<long long>(result.most_iterations, solvers_[k]->iterations());
  }
  for (Pair& pair : pairs_) {
    const double *of_a = lambdas[size_t(pair.a)].data(), *of_b = lambdas[size_t(pair.b)].data();
    const double size = std::max(sdk::evaluate_residual(view, of_a).size(),
                                 sdk::evaluate_residual(view, of_b).size());
    double lambda = 0, w = 0;
    for (size_t i = 0; i < n; ++i) {
      const double root = std::sqrt(problem.G[(n + 1) * i]);
      if (!(root > 0)) continue;
      lambda = std::max(lambda, root * std::abs(of_a[i] - of_b[i]));
      w = std::max(
          w, std::abs(sdk::row_rate(view, int(i), of_a).w - sdk::row_rate(view, int(i), of_b).w) /
                 root);
    }
    if (size == 0) continue;
    pair.lambda = std::max(pair.lambda, lambda / size);
    if (w / size > pair.w) pair.w = w / size, pair.state = states_;
  }
}

void ConstraintReport::measure(const ConstraintRowsAt& rows) {
  for (size_t k = 0; k < solvers_.size(); ++k)
    results_[k].ns = time_of(*solvers_[k], rows.problem());
}

std::string ConstraintReport::pair_name(const Pair& pair) const {
  return fmt::format("{} and {}", without_kind(results_[size_t(pair.a)].plugin.id),
                     without_kind(results_[size_t(pair.b)].plugin.id));
}

std::string ConstraintReport::text() const {
  std::string out = fmt::format(
      "{:<13}{}\n{:<13}{}, seed {}{}\n{:<13}{} of closures, {} of mimic joints, {} of dry "
      "friction, "
      "{} of stops\n",
      subject_, file_, "states", states_, seed_,
      subject_ == "scene" ? "; the first is the scene's start" : "", "rows", counts_.closures,
      counts_.mimics, counts_.frictions, counts_.stops);
  size_t width = 8;
  for (const Result& result : results_) {
    out += fmt::format("{:<13}{} {}\n", "solver", result.plugin.id, result.plugin.version);
    width = std::max(width, without_kind(result.plugin.id).size() + 2);
  }
  out += fmt::format("\n{:<{}}{:>10}{:>7}{:>11}{:>12}{:>8}{:>13}\n", "solver", width, "residual",
                     "state", "at bounds", "iterations", "most", "ns per call");
  for (const Result& result : results_) {
    const double states = std::max(states_, 1);
    out += fmt::format("{:<{}}{:>10.1e}{:>7}{:>11.1f}{:>12.1f}{:>8}{:>13.0f}{}\n",
                       without_kind(result.plugin.id), width, result.residual, result.state,
                       result.at_bounds / states, double(result.iterations) / states,
                       result.most_iterations, result.ns, result.failure.empty() ? "" : "  BROKEN");
  }
  size_t pair_width = 8;
  for (const Pair& pair : pairs_) pair_width = std::max(pair_width, pair_name(pair).size() + 2);
  if (!pairs_.empty())
    out += fmt::format("\n{:<{}}{:>10}{:>14}{:>7}\n", "difference", pair_width, "of lambda",
                       "of G lambda", "state");
  for (const Pair& pair : pairs_)
    out +=
        fmt::format("{:<{}}{:>10.1e}{:>14.1e}{:>7}{}\n", pair_name(pair), pair_width, pair.lambda,
                    pair.w, pair.state, pair.w <= constraint_agreement ? "" : "  BROKEN");
  return out +
         "The residual is 0 if all multipliers are within their bounds and all rates satisfy their "
         "conditions.\nRows at bounds and iterations are means over the states.\nThe multipliers "
         "of redundant rows are not unique; G lambda is.\n";
}

Json ConstraintReport::json() const {
  Json out{{"torsor", TORSOR_VERSION},
           {subject_, file_},
           {"states", states_},
           {"seed", seed_},
           {"agree", broken_line().empty()}};
  out["rows"] = {{"closures", counts_.closures},
                 {"mimics", counts_.mimics},
                 {"frictions", counts_.frictions},
                 {"stops", counts_.stops}};
  out["solvers"] = Json::array();
  for (const Result& result : results_) {
    Json entry{{"id", result.plugin.id},          {"version", result.plugin.version},
               {"sha256", result.plugin.sha256},  {"residual", finite_or_null(result.residual)},
               {"state", result.state},           {"rows_at_bounds", result.at_bounds},
               {"iterations", result.iterations}, {"most_iterations", result.most_iterations},
               {"ns", finite_or_null(result.ns)}};
    if (!result.failure.empty()) entry["failure"] = result.failure;
    out["solvers"].push_back(entry);
  }
  out["differences"] = Json::array();
  for (const Pair& pair : pairs_)
    out["differences"].push_back(
        {{"solvers", {results_[size_t(pair.a)].plugin.id, results_[size_t(pair.b)].plugin.id}},
         {"lambda", finite_or_null(pair.lambda)},
         {"G_lambda", finite_or_null(pair.w)},
         {"state", pair.state},
         {"broken", !(pair.w <= constraint_agreement)}});
  return out;
}

std::string ConstraintReport::broken_line() const {
  for (const Result& result : results_)
    if (!result.failure.empty()) return fmt::format("{}: {}", file_, result.failure);
  for (const Pair& pair : pairs_)
    if (!(pair.w <= constraint_agreement))
      return fmt::format("{}: in state {} {} disagree in G lambda by {:.1e}; {:.1e} is allowed",
                         file_, pair.state, pair_name(pair), pair.w, constraint_agreement);
  return "";
}

}  // namespace torsor::cli
