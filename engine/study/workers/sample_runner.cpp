#include "torsor/study/workers/sample_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/plugin/host_state.hpp"
#include "torsor/plugin/plugin_call.hpp"

namespace torsor {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Tells a simulation to stop, when the sample's time is over or the study is interrupted. Reads the
// clock at every 64th call, because it is called at every evaluation of the motion.
class StopCheck {
 public:
  StopCheck(const SampleLimits& limits, double end) : stop_(limits.stop), end_(end) {}
  bool operator()() {
    if (stop_ && stop_->load(std::memory_order_relaxed)) return true;
    if (end_ < std::numeric_limits<double>::infinity() && ++calls_ % 64 == 0)
      is_over_ = is_over_ || seconds_now() > end_;
    return is_over_;
  }

 private:
  const std::atomic<bool>* stop_;
  double end_;
  unsigned calls_ = 0;
  bool is_over_ = false;
};

// Simulates a run to its end. Returns why it is not complete, or "". Throws Stopped.
std::string simulate(Run& run, SignalRows& rows) {
  const auto write = [&](std::span<const double> row) { rows.add(row); };
  const HostState state;
  try {
    run.begin(write);
    while (!run.is_over()) {
      activity.time = run.simulation().time();
      activity.step = run.simulation().steps();
      run.advance(write);
    }
    if (const torsor_status status = state.check(); status != TORSOR_OK)
      return fmt::format("a plugin of this run {}", host_state_text(status));
    return "";
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
}

// Returns why the result of a complete run is doubtful, or "".
std::string doubt_of(Run& run, const Experiment& experiment) {
  if (run.energy().is_exceeded())
    return fmt::format("the energy error is above the bound of {:g}: do not trust this result",
                       experiment.energy_tolerance);
  const std::vector<std::string> warnings = run.resolution().warnings(run.simulation());
  return warnings.empty() ? "" : warnings[0];
}

}  // namespace

std::string over_limit_message(double seconds) {
  return fmt::format("the sample took more than its limit of {} s", seconds);
}

SampleResult SampleRunner::run_scene(const StudySettings& settings, double end) const {
  StudyScene scene = scene_(settings);
  const OutcomeFunction outcome = scene.outcome ? scene.outcome : default_outcomes;
  if (!scene.outcome) prepare_default_outcomes(scene.experiment);
  Run run(scene.experiment);
  run.simulation().set_stop(StopCheck(limits_, end));
  SignalRows rows(run.columns());
  SampleResult out;
  out.message = simulate(run, rows);
  out.state_hash = run.simulation().state_hash();
  out.status = out.message.empty() ? SampleStatus::done : SampleStatus::failed;
  const std::string failure = out.message;
  if (failure.empty()) out.message = doubt_of(run, scene.experiment);
  try {
    out.outcomes = outcome({rows, run, failure});
  } catch (const Error& error) {
    // An outcome that needs the whole run fails as well if the run has failed.
    if (failure.empty()) out.message = error.what();
    out.status = SampleStatus::failed;
  }
  return out;
}

std::optional<SampleResult> SampleRunner::run(const StudySettings& settings) const {
  const double start = seconds_now(), end = start + limits_.seconds;
  const auto is_stopped = [&] { return limits_.stop && limits_.stop->load(); };
  SampleResult out;
  try {
    out = run_scene(settings, end);
  } catch (const Stopped&) {
    out.status = SampleStatus::over_limit;
  } catch (const Error& error) {
    out.message = error.what();
  } catch (const std::bad_alloc&) {
    out.message = "not enough memory for this sample";
  }
  if (is_stopped()) return std::nullopt;
  out.wall_time = seconds_now() - start;
  if (out.status != SampleStatus::done && out.wall_time > limits_.seconds)
    out.status = SampleStatus::over_limit;
  if (out.status == SampleStatus::over_limit) out.message = over_limit_message(limits_.seconds);
  return out;
}

std::vector<double> arranged_outcomes(const std::vector<StudyColumn>& columns,
                                      SampleResult& result) {
  std::vector<double> out(columns.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<bool> may_be_undefined(columns.size());
  for (const Outcome& outcome : result.outcomes) {
    const auto column = std::ranges::find(columns, outcome.name, &StudyColumn::name);
    if (column == columns.end()) {
      const std::vector<std::string> names = column_names(columns);
      if (result.status == SampleStatus::done)
        result.message = fmt::format(
            "the nominal run has no outcome '{}'; it has: {}{}; return the same outcomes in every "
            "run",
            outcome.name, fmt::join(names, ", "), did_you_mean(outcome.name, names));
      result.status = SampleStatus::failed;
      return out;
    }
    out[size_t(column - columns.begin())] = outcome.value;
    may_be_undefined[size_t(column - columns.begin())] = outcome.may_be_undefined;
  }
  if (result.status != SampleStatus::done) return out;
  for (size_t k = 0; k < columns.size(); ++k) {
    if (!std::isnan(out[k]) || may_be_undefined[k]) continue;
    result.status = SampleStatus::undefined;
    result.message = fmt::format("the outcome '{}' is undefined (NaN or nil)", columns[k].name);
    break;
  }
  return out;
}

}  // namespace torsor
