#include "torsor/run/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "torsor/plugin/host_state.hpp"

#include "torsor/plugin/plugin_call.hpp"
#include "torsor/recording/columns_json.hpp"

namespace torsor {

namespace {

void require_different_files(const std::filesystem::path& scene,
                             const std::filesystem::path& recording) {
  std::error_code ignored;
  for (const std::filesystem::path& file : recording_files(recording))
    if (std::filesystem::equivalent(file, scene, ignored))
      throw Error(fmt::format(
          "the recording would replace the scene '{}'; give another folder with --folder",
          scene.string()));
}

// Makes a run. Adds the scene to the messages of errors that occur while the run is prepared.
std::unique_ptr<Run> start(const Experiment& experiment, const std::filesystem::path& scene) {
  try {
    return std::make_unique<Run>(experiment);
  } catch (const Error& error) {
    throw Error(at_scene(scene, error.what()));
  }
}

}  // namespace

std::string at_scene(const std::filesystem::path& scene, const std::string& message) {
  const std::string place = scene.string() + ":";
  return message.starts_with(place) ? message : place + " " + message;
}

RecordedRun::RecordedRun(Experiment experiment, SolverIdentifier identify,
                         const std::filesystem::path& scene, const std::filesystem::path& recording,
                         std::vector<RebuiltPlugin> rebuilt)
    : experiment_(std::move(experiment)),
      identify_(std::move(identify)),
      scene_(scene.string()),
      rebuilt_(std::move(rebuilt)),
      run_(start(experiment_, scene)),
      path_(recording) {
  require_different_files(scene, recording);
  file_ = create_recording(path_, run_->columns(), experiment_.record,
                           description("the program ended before the run did"));
}

void RecordedRun::continue_with(Experiment experiment, SolverIdentifier identify,
                                const std::vector<RebuiltPlugin>& rebuilt) {
  if (!experiment.changes.empty() || !experiment_.changes.empty())
    throw Error("a run with changes cannot continue with rebuilt plugins; start it again");
  torsor::continue_from(run_->simulation(), experiment);
  auto run = std::make_unique<Run>(experiment);
  run->continue_from(*run_);
  run->simulation().set_stop(stop_);
  run_ = std::move(run);
  experiment_ = std::move(experiment);
  identify_ = std::move(identify);
  rebuilt_.insert(rebuilt_.end(), rebuilt.begin(), rebuilt.end());
}

void RecordedRun::set_stop(std::function<bool()> stop) {
  stop_ = std::move(stop);
  run_->simulation().set_stop(stop_);
}

std::string RecordedRun::description(const std::string& error) {
  Simulation& simulation = run_->simulation();
  nlohmann::ordered_json json{{"scene", scene_},
                              {"torsor", TORSOR_VERSION},
                              {"complete", error.empty()},
                              {"solver", describe(identify_(experiment_.solver))}};
  if (!error.empty()) json["error"] = error;
  json["steps"] = simulation.steps();
  json["state_hash"] = fmt::format("{:016x}", simulation.state_hash());
  json["experiment"] = describe(experiment_);
  if (!experiment_.changes.empty()) json["edits"] = describe(experiment_.changes, identify_);
  for (const auto& [step, file, sha256] : rebuilt_)
    json["rebuilt_plugins"].push_back(
        {{"step", step}, {"file", file.string()}, {"sha256", sha256}});
  json["columns"] = describe(run_->columns());
  const EnergyWatch& energy = run_->energy();
  json["energy_error"] = {{"error_J", energy.error()},
                          {"time_s", energy.time()},
                          {"of_largest", energy.relative_error()},
                          {"tolerance", energy.tolerance()},
                          {"exceeded", energy.is_exceeded()}};
  if (const auto warnings = run_->resolution().warnings(simulation); !warnings.empty())
    json["warnings"] = warnings;
  if (run_->metrics()) json["metrics"] = describe(run_->metrics()->result());
  if (run_->comparison()) json["comparison"] = describe(*run_->comparison());
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

bool RecordedRun::execute(const std::function<bool(const Simulation&)>& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds shortest_interval(10), longest_interval(1000);
  // The first row is flushed immediately, and the interval between flushes then grows. If a fault
  // ends a short run, most of its rows are therefore on the disk.
  Clock::time_point flushed{};
  Clock::duration interval = shortest_interval;
  const ActivityScope runs(
      {.subject = scene_.c_str(), .recording = path_.c_str(), .step = 0, .note = activity.note});
  const auto write = [&](std::span<const double> row) {
    file_->write(row);
    if (Clock::now() - flushed < interval) return;
    file_->flush();
    if (flushed != Clock::time_point{})
      interval = std::min<Clock::duration>(2 * interval, longest_interval);
    flushed = Clock::now();
  };
  const HostState state;
  try {
    run_->begin(write);
    while (!run_->is_over()) {
      activity.time = run_->simulation().time();
      activity.step = run_->simulation().steps();
      run_->advance(write);
      // progress may have replaced *run_ (continue_with).
      if (!progress(run_->simulation())) break;
    }
    // Detects plugin calls that changed the host's state but were not checked individually.
    if (const torsor_status status = state.check(); status != TORSOR_OK)
      throw Error(fmt::format("a plugin of this run {}", host_state_text(status)));
  } catch (const Stopped&) {
    // The simulation is at its last complete step, and all rows up to this step are written.
  } catch (const Error& error) {
    file_->close(description(error.what()));
    file_.reset();
    throw;
  }
  const bool whole = run_->simulation().steps() == run_->steps();
  file_->close(description(whole ? "" : "interrupted"));
  file_.reset();  // releases the lock
  return whole;
}

}  // namespace torsor
