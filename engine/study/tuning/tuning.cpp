#include "torsor/study/tuning/tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"

namespace torsor {

namespace {

// Limit of the calls of the objective: a search may return to points that it knows, above all if
// parameters are integers.
uint64_t most_calls(const TuningRequest& request) {
  return 10 * request.evaluations + 100;
}

}  // namespace

size_t tuned_outcome(const TuningRequest& request, const std::vector<StudyColumn>& outcomes) {
  const std::vector<std::string> names = column_names(outcomes);
  const auto found = std::ranges::find(names, request.outcome);
  if (found != names.end()) return size_t(found - names.begin());
  throw Error(fmt::format("the scene has no outcome '{}' to {}; its outcomes are: {}{}",
                          quotable(request.outcome), request.maximise ? "maximise" : "minimise",
                          fmt::join(names, ", "), did_you_mean(request.outcome, names)));
}

Tuning::Tuning(const TuningSpace& space, StudyTable& table, const StudyReader& rows)
    : space_(space),
      table_(table),
      outcome_(tuned_outcome(space.request(), table.layout().outcomes)),
      statistic_(objective_statistic(space.request().statistic, space.request().maximise)) {
  rows.each([&](uint64_t sample, const SampleRow& row) {
    if (has_result(row.status)) stored_[sample] = {row.parameters, outcome_of(row, outcome_)};
  });
}

void Tuning::values(uint64_t sample, std::span<double> out) const {
  const TuningRequest& request = space_.request();
  const uint64_t point = sample / request.samples, search = point / request.evaluations,
                 k = point % request.evaluations;
  space_.values(search, result_.searches[search].points[k].u, sample % request.samples, out);
}

bool Tuning::is_better(double objective, double other) const {
  return space_.request().maximise ? objective > other : objective < other;
}

// Returns the outcome of a sample that is in the table, or nullopt.
std::optional<double> Tuning::stored_outcome(uint64_t sample) const {
  const auto found = stored_.find(sample);
  if (found == stored_.end()) return std::nullopt;
  std::vector<double> expected(space_.columns().size());
  values(sample, expected);
  if (expected != found->second.parameters)
    throw Error(fmt::format(
        "sample {} of the table is not a point of these searches; the table was written by another "
        "build or on another machine: write to another file",
        sample));
  return found->second.outcome;
}

// Runs the next point of a search, and stores it in the result. Returns its objective.
std::optional<double> Tuning::evaluate(uint64_t index, std::span<const double> u,
                                       std::vector<double> values) {
  std::vector<TuningPoint>& points = result_.searches[index].points;
  const uint64_t n = space_.request().samples, first = space_.point(index, points.size()) * n;
  // Workers read the coordinates of the point, but not while this thread adds points.
  TuningPoint& point = points.emplace_back(
      TuningPoint{.sample = first, .u = {u.begin(), u.end()}, .values = std::move(values)});
  std::vector<std::optional<double>> known;
  for (uint64_t m = 0; m < n; ++m) known.push_back(stored_outcome(first + m));
  auto outcomes = queue_->run(first, known);
  if (!outcomes) return std::nullopt;
  point.outcomes = std::move(*outcomes);
  const bool is_valid =
      std::ranges::none_of(point.outcomes, [](double value) { return std::isnan(value); });
  point.objective = is_valid ? statistic_(point.outcomes) : std::nan("");
  const std::lock_guard lock(mutex_);
  ++n_points_;
  if (is_valid && (!best_ || is_better(point.objective, *best_))) best_ = point.objective;
  return point.objective;
}

void Tuning::run_search(uint64_t index) {
  TuningSearch& out = result_.searches[index];
  std::map<std::vector<double>, double> costs;  // by the values of the parameters
  bool is_at_limit = false;
  const auto cost = [&](std::span<const double> u) -> std::optional<double> {
    std::vector<double> values(space_.columns().size());
    space_.values(index, u, 0, values);
    if (const auto known = costs.find(values); known != costs.end()) return known->second;
    is_at_limit = out.points.size() == space_.request().evaluations;
    if (is_at_limit) return std::nullopt;
    const std::optional<double> objective = evaluate(index, u, values);
    if (!objective) return std::nullopt;
    const double sign = space_.request().maximise ? -1 : 1,
                 result = std::isnan(*objective) ? std::numeric_limits<double>::infinity()
                                                 : sign * *objective;
    costs[values] = result;
    return result;
  };
  if (space_.dimensions() == 0) {
    out.end = cost({}) ? TuningEnd::converged : TuningEnd::interrupted;
    return;
  }
  SearchRequest request = space_.search(index);
  request.evaluations = most_calls(space_.request());
  out.end = search_minimum(request, cost);
  if (is_at_limit) out.end = TuningEnd::evaluations;
}

// Removes points that have not been run, and selects the best points.
void Tuning::finish_result() {
  for (size_t s = 0; s < result_.searches.size(); ++s) {
    TuningSearch& search = result_.searches[s];
    if (!search.points.empty() && search.points.back().outcomes.empty()) search.points.pop_back();
    for (size_t k = 0; k < search.points.size(); ++k) {
      const double objective = search.points[k].objective;
      const TuningPoint* best = search.best_point();
      if (!std::isnan(objective) && (!best || is_better(objective, best->objective)))
        search.best = k;
    }
    const TuningPoint *found = search.best_point(), *best = result_.best_point();
    if (found && (!best || is_better(found->objective, best->objective))) result_.best = s;
  }
}

TuningResult Tuning::run(const StudySamples& samples, const WorkersRequest& request) {
  queue_ = std::make_unique<PointQueue>(table_, outcome_, *request.stop);
  result_ = {};
  result_.searches.resize(space_.searches());
  std::atomic<uint64_t> active = space_.searches();
  {
    std::vector<std::jthread> threads;
    try {
      for (uint64_t k = 0; k < space_.searches(); ++k)
        threads.emplace_back([&, k] {
          try {
            run_search(k);
          } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            *request.stop = true;
          }
          if (--active == 0) queue_->close();
        });
      run_samples(*queue_, samples, request);
    } catch (...) {
      *request.stop = true;  // ends the threads of the searches
      throw;
    }
  }
  if (failure_) std::rethrow_exception(failure_);
  result_.was_interrupted = std::ranges::any_of(
      result_.searches, [](const auto& each) { return each.end == TuningEnd::interrupted; });
  finish_result();
  return std::move(result_);
}

TuningProgress Tuning::progress() const {
  TuningProgress out;
  if (queue_) {
    const StatusCounts counts = queue_->counts();
    for (const uint64_t count : counts) out.samples += count;
    out.failed = out.samples - counts[size_t(SampleStatus::done)];
  }
  const std::lock_guard lock(mutex_);
  out.points = n_points_;
  out.best = best_;
  return out;
}

}  // namespace torsor
