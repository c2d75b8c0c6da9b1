#include "bench/contact/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/growth.hpp"
#include "bench/json.hpp"
#include "bench/table.hpp"
#include "torsor/model/collider.hpp"

namespace torsor::bench {

namespace {

using Json = nlohmann::ordered_json;
using Line = std::vector<std::string>;

constexpr PileFamily families[] = {PileFamily::stacks, PileFamily::wall};

const char* family_name(PileFamily family) {
  return family == PileFamily::stacks ? "stacks" : "walls";
}
std::string subject(const ContactResult& result) {
  return fmt::format("{} {}", result.name, result.method);
}
std::string number_text(const char* format, double value) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

std::string contact_text(const SceneReport& report) {
  std::vector<Line> lines = {{"", "method", "ns a step", "steps per s", "points", "largest", "last",
                              "creep", "energy gain", "energy error"},
                             {"", "", "", "", "", "overlap, m", "overlap, m", "m/s", "J", "J"}};
  std::string notes;
  for (const ContactResult& result : report.contacts) {
    if (!result.reason.empty()) {
      notes += fmt::format("  not measured: {}: {}\n", subject(result), result.reason);
      continue;
    }
    Line& line =
        lines.emplace_back(Line{result.name, result.method, fmt::format("{:.0f}", result.ns),
                                fmt::format("{:.0f}", 1e9 / result.ns)});
    if (!result.is_complete) {
      line.insert(line.end(), 6, "-");
      notes += fmt::format("  not measured: errors of {}: too slow\n", subject(result));
      continue;
    }
    line.push_back(fmt::format("{}", result.points));
    for (const double error : {result.largest_penetration, result.last_penetration, result.creep,
                               result.energy_gain, result.energy_error})
      line.push_back(number_text("{:.1e}", error));
  }
  return fmt::format("{}: {} dof, {} shapes; {} steps of {} s\n{}{}", report.name,
                     report.model->n_v, report.model->colliders.size(), report.n, report.dt,
                     aligned(lines), notes);
}

Json contact_json(const ContactResult& result) {
  Json out{{"name", result.name}, {"method", result.method}};
  if (!result.reason.empty()) {
    out["reason"] = result.reason;
    return out;
  }
  out["ns"] = result.ns;
  if (!result.is_complete) {
    out["reason"] = "too slow";
    return out;
  }
  out["contact_points"] = result.points;
  out["largest_overlap_m"] = result.largest_penetration;
  out["last_overlap_m"] = result.last_penetration;
  out["creep_m_per_s"] = result.creep;
  out["energy_gain_J"] = result.energy_gain;
  out["energy_error_J"] = result.energy_error;
  out["q"] = result.q;
  return out;
}

Json loop_json(const StepResult& result) {
  Json out{{"name", result.name}, {"integrator", result.integrator}};
  if (!result.reason.empty())
    out["reason"] = result.reason;
  else
    out["ns"] = result.ns, out["loop_error_m"] = result.loop_error;
  return out;
}

// Returns the times of one subject for each number of boxes.
std::map<int, double> times(const std::vector<SceneReport>& reports, PileFamily family,
                            const std::string& name) {
  std::map<int, double> out;
  for (const SceneReport& report : reports)
    for (const ContactResult& result : report.contacts)
      if (report.family == family && subject(result) == name && result.ns > 0)
        out[report.boxes] = result.ns;
  return out;
}

std::vector<std::string> subjects(const std::vector<SceneReport>& reports) {
  std::vector<std::string> out;
  for (const SceneReport& report : reports)
    for (const ContactResult& result : report.contacts)
      if (report.family != PileFamily::none &&
          std::find(out.begin(), out.end(), subject(result)) == out.end())
        out.push_back(subject(result));
  return out;
}

// Returns the exponent for the piles of at least 25 boxes, or nullopt if there are fewer than
// three.
std::optional<double> exponent(std::map<int, double> times) {
  times.erase(times.begin(), times.lower_bound(25));
  return times.size() < 3 ? std::nullopt : std::optional(growth_exponent(times));
}

}  // namespace

SceneReport measure_scene(const Scene& scene, long long n, int repetitions) {
  const Experiment& experiment = scene.experiment;
  SceneReport out{scene.name, scene.family, scene.boxes, experiment.model, experiment.dt,
                  n,          {},           {}};
  if (has_contacts(*experiment.model))
    out.contacts = measure_contacts(experiment, n, repetitions);
  else
    out.loops = measure_steps(experiment, n, repetitions);
  return out;
}

std::string text(const SceneReport& report) {
  if (!report.contacts.empty()) return contact_text(report);
  std::string out = fmt::format(
      "{}: {} dof, {} closures, without controls; {} steps of {} s\n  {:<20} {:<20} {:>10} {:>12} "
      "{:>14}",
      report.name, report.model->n_v, report.model->closures.size(), report.n, report.dt, "",
      "integrator", "ns a step", "steps per s", "loop error, m");
  for (const StepResult& result : report.loops)
    out += result.reason.empty()
               ? fmt::format("\n  {:<20} {:<20} {:>10.0f} {:>12.0f} {:>14.1e}", result.name,
                             result.integrator, result.ns, 1e9 / result.ns, result.loop_error)
               : fmt::format("\n  {:<20} {:<20} {}", result.name, result.integrator, result.reason);
  return out;
}

std::string pile_table(const std::vector<SceneReport>& reports) {
  std::string out;
  const std::vector<std::string> names = subjects(reports);
  for (const PileFamily family : families) {
    std::vector<Line> lines = {{"boxes", "points"}};
    for (const std::string& name : names) lines[0].push_back(name);
    for (const SceneReport& report : reports) {
      if (report.family != family || report.contacts.empty()) continue;
      Line& line = lines.emplace_back(Line{fmt::format("{}", report.boxes)});
      // The points of the first subject whose errors were measured.
      const auto measured = std::find_if(
          report.contacts.begin(), report.contacts.end(),
          [](const auto& result) { return result.is_complete && result.reason.empty(); });
      line.push_back(measured == report.contacts.end() ? "-" : fmt::format("{}", measured->points));
      for (const std::string& name : names) {
        const auto all = times(reports, family, name);
        const auto found = all.find(report.boxes);
        line.push_back(found == all.end() ? "-" : fmt::format("{:.0f}", found->second));
      }
    }
    if (lines.size() < 3) continue;
    Line& last = lines.emplace_back(Line{"exponent", ""});
    for (const std::string& name : names) {
      const auto p = exponent(times(reports, family, name));
      last.push_back(p ? fmt::format("{:.2f}", *p) : "-");
    }
    out += fmt::format("{}: ns a step, and p of time ~ boxes^p from 25 boxes on\n{}",
                       family_name(family), aligned(lines));
  }
  return out;
}

Json steps_json(const std::vector<SceneReport>& reports, int repetitions) {
  Json out = facts();
  out["repetitions"] = repetitions;
  out["scenes"] = Json::array();
  out["growth"] = Json::array();
  for (const SceneReport& report : reports) {
    Json results = Json::array();
    for (const ContactResult& result : report.contacts) results.push_back(contact_json(result));
    for (const StepResult& result : report.loops) results.push_back(loop_json(result));
    out["scenes"].push_back({{"name", report.name},
                             {"columns", report.model->n_v},
                             {"shapes", report.model->colliders.size()},
                             {"closures", report.model->closures.size()},
                             {"dt_s", report.dt},
                             {"steps", report.n},
                             {"results", results}});
  }
  for (const PileFamily family : families)
    for (const std::string& name : subjects(reports))
      if (const auto p = exponent(times(reports, family, name)))
        out["growth"].push_back(
            {{"family", family_name(family)}, {"name", name}, {"exponent", *p}});
  return out;
}

}  // namespace torsor::bench
