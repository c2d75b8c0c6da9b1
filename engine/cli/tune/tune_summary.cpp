#include "torsor/cli/tune/tune_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/text.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/study/statistics/summary.hpp"

namespace torsor::cli {

namespace {

// Searches agree if their best points differ by less than this part of each range. A parameter that
// is nearer to the end of its range is at the end.
constexpr double agreement_distance = 0.01, end_distance = 1e-3;

std::string with_unit(double value, const StudyColumn& column) {
  if (!column.labels.empty()) return column.text(value);
  return fmt::format("{:.6g}{}{}", value, column.unit.empty() ? "" : " ", column.unit);
}

// Returns a value as a word of a command line.
std::string shell_word(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_=.+-").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

void print_searches(const TunedScene& tuned) {
  std::vector<Cells> rows{{"search", "points", tuned.outcome().head()}};
  for (const StudyColumn* column : tuned.tuned()) rows[0].push_back(column->head());
  rows[0].emplace_back("end");
  for (size_t k = 0; k < tuned.result.searches.size(); ++k) {
    const TuningSearch& search = tuned.result.searches[k];
    Cells& cells =
        rows.emplace_back(Cells{std::to_string(k), std::to_string(search.points.size())});
    const TuningPoint* best = search.best_point();
    cells.push_back(best ? fmt::format("{:.6g}", best->objective) : "-");
    for (const size_t column : tuned.space.tuned()) {
      const StudyColumn& parameter = tuned.layout.parameters[column];
      const bool is_number = parameter.labels.empty();
      cells.push_back(!best       ? "-"
                      : is_number ? fmt::format("{:.6g}", best->values[column])
                                  : parameter.text(best->values[column]));
    }
    cells.emplace_back(text(search.end));
  }
  fmt::print("\n");
  print_table(rows, 0, "");
  fmt::print("\n");
}

// Returns whether two points have nearly the same values of the parameters that are tuned.
bool is_near(const TunedScene& tuned, const TuningPoint& a, const TuningPoint& b) {
  for (size_t d = 0; d < a.u.size(); ++d)
    if (std::abs(a.u[d] - b.u[d]) > agreement_distance) return false;
  return std::ranges::all_of(tuned.space.tuned(), [&](size_t column) {
    return tuned.layout.parameters[column].labels.empty() || a.values[column] == b.values[column];
  });
}

void print_agreement(const TunedScene& tuned, const TuningPoint& best) {
  std::vector<double> objectives;
  size_t near = 0;
  for (const TuningSearch& search : tuned.result.searches) {
    if (!search.best_point()) continue;
    objectives.push_back(search.best_point()->objective);
    near += is_near(tuned, *search.best_point(), best);
  }
  if (tuned.result.searches.size() < 2 || tuned.space.dimensions() == 0) return;
  const auto [least, largest] = std::ranges::minmax(objectives);
  fmt::print(
      "agreement    {} of {} searches end within {:g} % of each range from it; all ends are "
      "{:.6g} to {}\n",
      near, tuned.result.searches.size(), 100 * agreement_distance, least,
      with_unit(largest, tuned.outcome()));
}

// Returns the objective of the first point of the first search.
std::string nominal_text(const TunedScene& tuned) {
  const std::vector<TuningPoint>& points = tuned.result.searches[0].points;
  if (points.empty()) return "";
  return fmt::format("; at the nominal values, {}",
                     std::isnan(points[0].objective)
                         ? "a sample failed"
                         : with_unit(points[0].objective, tuned.outcome()));
}

// Returns the index of the worst sample of a point.
size_t worst_sample(const TunedScene& tuned, const TuningPoint& point) {
  const auto& outcomes = point.outcomes;
  const auto worst = tuned.space.request().maximise ? std::ranges::min_element(outcomes)
                                                    : std::ranges::max_element(outcomes);
  return size_t(worst - outcomes.begin());
}

void print_best(const TunedScene& tuned, const TuningPoint& best) {
  const TuningRequest& request = tuned.space.request();
  fmt::print("best         {} {}{}\n", tuned.outcome().name,
             with_unit(best.objective, tuned.outcome()), nominal_text(tuned));
  if (request.samples > 1) {
    const auto [least, largest] = std::ranges::minmax(best.outcomes);
    fmt::print("             the {} of {} samples from {:.6g} to {}\n", request.statistic,
               request.samples, least, with_unit(largest, tuned.outcome()));
  }
  for (const size_t column : tuned.space.tuned())
    fmt::print("  {:<10} {}\n", tuned.layout.parameters[column].name,
               with_unit(best.values[column], tuned.layout.parameters[column]));
  print_agreement(tuned, best);
  for (const std::string& note : tuned.space.ends_of_ranges(best.u, end_distance))
    fmt::print("note         {}\n", note);
  std::string set;
  for (const size_t column : tuned.space.tuned()) {
    const StudyColumn& parameter = tuned.layout.parameters[column];
    set += " --set " + shell_word(parameter.name + "=" + parameter.text(best.values[column]));
  }
  fmt::print("options     {}\n", set);
  fmt::print("repeat       torsor run {} --sample {}:{}\n", tuned.scene, tuned.table,
             best.sample + worst_sample(tuned, best));
}

}  // namespace

std::vector<const StudyColumn*> TunedScene::tuned() const {
  std::vector<const StudyColumn*> out;
  for (const size_t column : space.tuned()) out.push_back(&layout.parameters[column]);
  return out;
}

void print_tuning(const TunedScene& tuned) {
  print_searches(tuned);
  if (const TuningPoint* best = tuned.result.best_point()) print_best(tuned, *best);
}

}  // namespace torsor::cli
