// torsor run SCENE: simulate a scene, write its recording, print a summary.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>

#include "torsor/cli/command.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/settings.hpp"
#include "torsor/scripting/script.hpp"
#include "torsor/simulation/recording.hpp"

namespace torsor::cli {

namespace {

struct Options {
  std::string scene, solver, out = "recordings";
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> plugins;
  std::optional<double> duration;
};

std::atomic<bool> interrupted{false};
void interrupt(int) {
  interrupted = true;
}

// A line on a terminal, rewritten ten times a second: how far, and how fast against the simulated clock.
class Progress {
 public:
  explicit Progress(double duration) : duration_(duration), shown_(isatty(STDERR_FILENO)) {}
  ~Progress() { clear(); }

  double wall() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void show(double time) {
    if (!shown_ || wall() < next_) return;
    next_ = wall() + 0.1;
    constexpr int width = 30;
    const int done = int(width * time / duration_);
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:5.1f} %  t = {:.3f} s  {:.1f} x real time ", "", done, "",
               width - done, 100 * time / duration_, time, time / wall());
    drawn_ = true;
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r{:80}\r", "");
    drawn_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double duration_, next_ = 0.2;
  bool shown_, drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

nlohmann::ordered_json describe(const PluginInfo& plugin) {
  return {{"id", plugin.id}, {"version", plugin.version}, {"sha256", plugin.sha256}};
}

struct Outcome {
  bool complete = false;
  std::string error;  // where it stopped early
};

std::string side_file(const Options& options, const Experiment& experiment, const PluginInfo& plugin,
                      Run& run, const std::string& csv, const Outcome& outcome) {
  Simulation& simulation = run.simulation();
  nlohmann::ordered_json json{{"scene", options.scene},
                              {"torsor", TORSOR_VERSION},
                              {"csv", csv},
                              {"complete", outcome.complete},
                              {"solver", describe(plugin)}};
  if (!outcome.error.empty()) json["error"] = outcome.error;
  json["steps"] = simulation.steps();
  json["state_hash"] = fmt::format("{:016x}", simulation.state_hash());
  json["experiment"] = torsor::describe(experiment);
  json["columns"] = torsor::describe(run.columns());
  return json.dump(1) + "\n";
}

void print_summary(Run& run, const PluginInfo& plugin, const Experiment& experiment, double wall,
                   const std::string& csv, const std::string& json) {
  Simulation& s = run.simulation();
  const double start = s.snapshot().energy_zero, end = s.kinetic() + s.potential();
  double scale = std::max({std::abs(start), std::abs(end), s.dissipated(), std::abs(s.supplied())});
  if (scale == 0) scale = 1;
  fmt::print("solver       {} {}, {} at dt = {:g} s\n", plugin.id, plugin.version,
             name(experiment.integrator), s.dt());
  fmt::print("steps        {} ({:g} s simulated)\n", s.steps(), s.time());
  fmt::print("wall time    {:.3f} s, {:.1f} x real time\n", wall, s.time() / wall);
  fmt::print("energy       {:.6g} J -> {:.6g} J, {:.6g} J dissipated, {:.6g} J supplied\n", start, end,
             s.dissipated(), s.supplied());
  fmt::print("energy drift {:.3g} J, {:.1e} of the largest of these\n", s.drift(),
             std::abs(s.drift()) / scale);
  fmt::print("recording    {} ({} columns)\n             {}\n", csv, run.columns().size(), json);
}

void run_scene(const Options& options) {
  const Registry registry = require_plugins(options.plugins);
  Experiment experiment = load_scene(options.scene, read_settings(options.settings));
  if (!options.solver.empty()) experiment.solver = options.solver;
  if (options.duration) experiment.duration = *options.duration;
  for (const std::string& warning : experiment.model->warnings)
    fmt::print(stderr, "torsor: warning: {}\n", warning);

  const PluginInfo& plugin = registry.find_solver(experiment.solver);
  Run run(experiment,
          [&](std::shared_ptr<const Model> model) { return registry.solver(plugin.id, std::move(model)); });
  const std::filesystem::path stem =
      std::filesystem::path(options.out) / std::filesystem::path(options.scene).stem();
  const std::string csv = stem.string() + ".csv", json = stem.string() + ".json";
  CsvFile file(csv, run.columns());

  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  Outcome outcome;
  Progress progress(experiment.duration);
  const auto finish = [&] {
    progress.clear();
    file.close();
    write_file(json,
               side_file(options, experiment, plugin, run, std::filesystem::path(csv).filename(), outcome));
  };
  try {
    run.execute([&](std::span<const double> row) { file.write(row); },
                [&](const Simulation& simulation) {
                  progress.show(simulation.time());
                  return !interrupted;
                });
  } catch (const Error& error) {
    outcome.error = error.what();
    finish();
    throw Error(
        fmt::format("{}: {}; the recording up to there is in '{}'", options.scene, error.what(), csv));
  }
  const double wall = progress.wall();
  outcome.complete = run.simulation().steps() == run.steps();
  if (!outcome.complete) outcome.error = "interrupted";
  finish();
  print_summary(run, plugin, experiment, wall, csv, json);
  if (!outcome.complete)
    throw Error(
        fmt::format("interrupted at t = {:g} s; the recording up to there is kept", run.simulation().time()));
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene, write its recording and print a summary");
  command->add_option("SCENE", options->scene, "Lua file that returns an experiment")->required();
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE of a parameter the scene declares; may be repeated")
      ->take_all();
  command->add_option("--out", options->out, "folder of the recording")->capture_default_str();
  command->add_option("--duration", options->duration, "simulated seconds, instead of the scene's");
  command->add_option("--solver", options->solver, "solver, instead of the scene's");
  add_plugins_option(*command, options->plugins);
  command->footer(
      "Writes OUT/SCENE.csv (time and the recorded signals, units in its header) and OUT/SCENE.json (what "
      "made it).\n"
      "Example: torsor run scenes/iiwa_free_swing.lua --set damping=0.5 --duration 2 --out /tmp/swing");
  command->callback([options] { run_scene(*options); });
}

}  // namespace torsor::cli
