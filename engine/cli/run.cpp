// torsor run SCENE: simulate a scene, write its recording, print a summary.

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>

#include "torsor/cli/command.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/progress.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/cli/settings.hpp"
#include "torsor/scripting/script.hpp"
#include "torsor/simulation/recording.hpp"

namespace torsor::cli {

namespace {

struct Options {
  std::string scene;
  std::filesystem::path out = "recordings";
  std::optional<std::string> solver;
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> plugins;
  std::optional<double> duration;
};

std::atomic<bool> interrupted{false};
void interrupt(int) {
  interrupted = true;
}

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
  if (run.comparison()) json["comparison"] = torsor::describe(*run.comparison());
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Where the recording goes. Refuses to write over the scene.
struct Files {
  std::filesystem::path csv, json;
  explicit Files(const Options& options) {
    const std::filesystem::path scene = options.scene;
    csv = options.out / scene.stem();
    json = csv;
    csv += ".csv";
    json += ".json";
    std::error_code ignored;
    for (const std::filesystem::path& file : {csv, json})
      if (std::filesystem::equivalent(file, scene, ignored))
        throw Error(fmt::format("the recording would replace the scene '{}'; give another folder with --out",
                                options.scene));
  }
};

void print_summary(Run& run, const PluginInfo& plugin, const Experiment& experiment, double wall,
                   const Files& files) {
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
  fmt::print("recording    {} ({} columns)\n             {}\n", files.csv.string(), run.columns().size(),
             files.json.string());
}

// The worst of each compared solver and quantity; a warning for what breaks the rule.
void print_comparison(const RunComparison& comparison) {
  for (size_t k = 0; k < comparison.solvers().size(); ++k) {
    const std::string& solver = comparison.solvers()[k];
    fmt::print("compared     {}, in {} rows\n", solver, comparison.rows());
    for (const Compared quantity : all_compared) {
      const auto& [worst, time, failure] = comparison.worst(int(k), quantity);
      fmt::print("             {:<17}{:>8.1e}, {:.1e} of what is allowed, at t = {:g} s\n",
                 description(quantity), worst.value, worst.fraction(), time);
      if (worst.broken())
        say(fmt::format("warning: at t = {:g} s {} of {} {}", time, description(quantity), solver,
                        explain(worst, failure)));
    }
  }
}

// The side file is there before the first row, and says that the run is not complete: whatever ends the program, no recording
// looks whole that is not.
CsvFile open_recording(const Files& files, const Run& run, const std::string& side_text) {
  write_file(files.json, side_text);
  try {
    return CsvFile(files.csv, run.columns());
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(files.json, ignored);
    throw;
  }
}

void run_scene(const Options& options) {
  const Registry registry = require_plugins(options.plugins);
  Experiment experiment = load_scene(options.scene, read_settings(options.settings));
  if (options.solver) experiment.solver = *options.solver;
  if (options.duration) experiment.duration = *options.duration;
  for (const std::string& warning : experiment.model->warnings) say("warning: " + warning);

  const PluginInfo& plugin = registry.find_solver(experiment.solver);
  Run run(experiment, [&](const std::string& id, std::shared_ptr<const Model> model) {
    return registry.solver(id, std::move(model));
  });
  const Files files(options);
  Outcome outcome{.complete = false, .error = "the program ended before the run did"};
  const auto side = [&] {
    return side_file(options, experiment, plugin, run, files.csv.filename(), outcome);
  };
  CsvFile file = open_recording(files, run, side());

  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  Progress progress;
  const auto finish = [&](const std::string& error) {
    progress.clear();
    outcome = {run.simulation().steps() == run.steps() && error.empty(), error};
    file.close();
    write_file(files.json, side());
  };
  try {
    run.execute([&](std::span<const double> row) { file.write(row); },
                [&](const Simulation& simulation) {
                  if (progress.due())
                    progress.show(simulation.time() / experiment.duration,
                                  fmt::format("t = {:.3f} s  {:.1f} x real time", simulation.time(),
                                              simulation.time() / progress.wall()));
                  return !interrupted;
                });
  } catch (const Error& error) {
    finish(error.what());
    throw Error(fmt::format("{}: {}; the recording up to there is in '{}'", options.scene, error.what(),
                            files.csv.string()));
  }
  const double wall = progress.wall();
  const bool whole = run.simulation().steps() == run.steps();
  finish(whole ? "" : "interrupted");
  print_summary(run, plugin, experiment, wall, files);
  if (run.comparison()) print_comparison(*run.comparison());
  if (!whole)
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
      "Example: torsor run scenes/iiwa_free_swing.lua --set rotors=false --duration 2 --out /tmp/swing");
  command->callback([options] { run_scene(*options); });
}

}  // namespace torsor::cli
