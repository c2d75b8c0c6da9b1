#include "torsor/cli/pages/compare_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const PairResult& pair) {
  return std::visit([](auto quantity) { return std::string(name(quantity)); }, pair.quantity);
}
std::string description_of(const PairResult& pair) {
  return std::visit([](auto quantity) { return std::string(description(quantity)); },
                    pair.quantity);
}

const std::string& solver_id(const CompareReport& report, int solver) {
  return report.solvers[solver].id;
}

std::string heading(const CompareReport& report) {
  std::string out = fmt::format(
      "{:<13}{}, {} degree{} of freedom\n{:<13}{}, seed {}{}\n", report.subject, report.file,
      report.columns, report.columns > 1 ? "s" : "", "states", report.states, report.seed,
      report.subject == "scene" ? "; the first is the scene's start" : "");
  for (const PluginInfo& solver : report.solvers)
    out += fmt::format("{:<13}{} {}\n", "solver", solver.id, solver.version);
  for (const auto& [id, reason] : report.not_applicable)
    out += fmt::format("{:<13}{}: not applicable: {}\n", "solver", id, reason);
  return out;
}

// Returns a remark about two compared solvers. It contains "BROKEN" if the disagreement is above
// the tolerance, and the number of states at which M is singular.
std::string remark(const PairResult& pair) {
  std::string out = pair.worst.broken() ? "BROKEN" : "";
  if (pair.singular_states > 0)
    out += fmt::format("{}M is singular for both in {} state{}", out.empty() ? "" : "; ",
                       pair.singular_states, pair.singular_states > 1 ? "s" : "");
  return out;
}

size_t name_width(const CompareReport& report) {
  size_t width = 8;
  for (const PluginInfo& solver : report.solvers)
    width = std::max(width, without_kind(solver.id).size());
  return width + 2;
}

std::string disagreements(const CompareReport& report) {
  const size_t width = name_width(report);
  std::string out = fmt::format("\n{:<18}{:<{}}{:<{}}{:>13}{:>12}{:>7}\n", "quantity", "solver",
                                width, "and", width, "disagreement", "of limit", "state");
  for (const PairResult& pair : report.pairs) {
    std::string line = fmt::format(
        "{:<18}{:<{}}{:<{}}{:>13.1e}{:>12.1e}{:>7}  {}", description_of(pair),
        without_kind(solver_id(report, pair.a)), width, without_kind(solver_id(report, pair.b)),
        width, pair.worst.value, pair.worst.fraction(), pair.state, remark(pair));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out + "The entries of C are not unique, so C v and C + C^T are compared.\n";
}

std::string speeds(const CompareReport& report) {
  const size_t width = std::max<size_t>(name_width(report), 12);
  std::string out = fmt::format("\n{:<21}", "ns per call");
  for (const PluginInfo& solver : report.solvers)
    out += fmt::format("{:>{}} ", without_kind(solver.id), width);
  out.back() = '\n';
  for (size_t q = 0; q < report.timed.size(); ++q) {
    out += fmt::format("{:<21}", name(report.timed[q]));
    for (const auto& timings : report.timings) {
      const Timing& t = timings[q];
      const bool derived = t.capability == Capability::derived;
      out += std::isnan(t.ns) ? fmt::format("{:>{}}{}", "fails", width, derived ? '*' : ' ')
                              : fmt::format("{:>{}.0f}{}", t.ns, width, derived ? '*' : ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  for (const Quantity quantity : all_quantities)
    if (std::ranges::find(report.timed, quantity) == report.timed.end())
      out += fmt::format("{} are not timed: they are n^{} numbers, here with n = {}.\n",
                         name(quantity), indices(quantity), report.columns);
  return out +
         "* derived by the host. The times do not include the poses of the bodies, which are "
         "computed once per state.\n";
}

Json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

Json describe(const PairResult& pair, const CompareReport& report) {
  Json out{{"quantity", name_of(pair)},
           {"solvers", {solver_id(report, pair.a), solver_id(report, pair.b)}},
           {"disagreement", number(pair.worst.value)},
           {"allowed", pair.worst.allowed},
           {"of_allowed", number(pair.worst.fraction())},
           {"state", pair.state},
           {"broken", pair.worst.broken()},
           {"singular_states", pair.singular_states}};
  if (!pair.failure.empty()) out["failure"] = pair.failure;
  return out;
}

}  // namespace

std::string as_text(const CompareReport& report) {
  return heading(report) + disagreements(report) + speeds(report);
}

Json as_json(const CompareReport& report) {
  Json out{{"torsor", TORSOR_VERSION},  {report.subject, report.file},
           {"columns", report.columns}, {"states", report.states},
           {"seed", report.seed},       {"agree", broken_line(report).empty()}};
  out["solvers"] = Json::array();
  for (const PluginInfo& solver : report.solvers)
    out["solvers"].push_back(
        {{"id", solver.id}, {"version", solver.version}, {"sha256", solver.sha256}});
  out["not_applicable"] = Json::array();
  for (const auto& [id, reason] : report.not_applicable)
    out["not_applicable"].push_back({{"id", id}, {"reason", reason}});
  out["disagreements"] = Json::array();
  for (const PairResult& pair : report.pairs)
    out["disagreements"].push_back(describe(pair, report));
  out["ns_per_call"] = Json::array();
  for (size_t k = 0; k < report.solvers.size(); ++k)
    for (size_t q = 0; q < report.timed.size(); ++q) {
      const Timing& timing = report.timings[k][q];
      out["ns_per_call"].push_back({{"solver", report.solvers[k].id},
                                    {"quantity", name(report.timed[q])},
                                    {"ns", number(timing.ns)},
                                    {"derived", timing.capability == Capability::derived}});
    }
  return out;
}

std::string broken_line(const CompareReport& report) {
  std::vector<const PairResult*> broken;
  for (const PairResult& pair : report.pairs)
    if (pair.worst.broken()) broken.push_back(&pair);
  if (broken.empty()) return "";
  const PairResult& first = *broken.front();
  std::string line =
      fmt::format("{}: in state {} {} of {} and {} {}", report.file, first.state,
                  description_of(first), without_kind(solver_id(report, first.a)),
                  without_kind(solver_id(report, first.b)), explain(first.worst, first.failure));
  const size_t more = broken.size() - 1;
  if (more > 0)
    line += fmt::format("; {} more result{} above {} tolerance", more, more > 1 ? "s are" : " is",
                        more > 1 ? "their" : "its");
  return line;
}

}  // namespace torsor::cli
