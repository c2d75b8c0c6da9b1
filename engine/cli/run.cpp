// torsor run SCENE: simulate a scene, write its recording, print a summary.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "torsor/cli/arguments.hpp"
#include "torsor/cli/command.hpp"
#include "torsor/cli/metrics_table.hpp"
#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/record.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/cli/scene_files.hpp"
#include "torsor/cli/settings.hpp"
#include "torsor/cli/sweep.hpp"
#include "torsor/scripting/experiment_plugins.hpp"
#include "torsor/simulation/controller_law.hpp"
#include "torsor/simulation/output_file.hpp"

namespace torsor::cli {

namespace {

struct RunOptions {
  std::string scene;
  std::filesystem::path out = "recordings";
  std::string format = "h5";
  std::optional<std::string> solver;
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> plugins;
  std::optional<double> duration;
  std::optional<std::string> from_state, save_state;
  bool watch = false;
};

std::string names_of(const std::vector<std::shared_ptr<const Force>>& forces) {
  std::string out;
  for (const auto& force : forces)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", force->id(), force->descriptor().version);
  return out;
}

// "3 of 5 made, the others lie later; solver lie_group from 0.7 s"
std::string changes_in_words(const Experiment& experiment, const Simulation& s) {
  std::string solvers;
  size_t made = 0;
  for (const Change& change : experiment.changes) {
    if (change.step > s.steps()) continue;
    ++made;
    if (const auto* to = std::get_if<SolverChange>(&change.what))
      solvers += fmt::format("{} {} from {:g} s", solvers.empty() ? "; solver" : ",",
                             without_kind(to->solver), double(change.step) * s.dt());
  }
  const size_t all = experiment.changes.size();
  return (made == all ? fmt::format("{} made", all)
                      : fmt::format("{} of {} made, the others lie later", made, all)) +
         solvers;
}

// What a scene asks for beyond its own end is hardly meant.
void warn_of_changes_beyond_the_end(const Experiment& experiment, const std::string& scene) {
  const long long steps = whole_steps(experiment.duration, experiment.dt, "the duration");
  const auto beyond =
      std::ranges::find_if(experiment.changes, [&](const Change& c) { return c.step > steps; });
  if (beyond != experiment.changes.end())
    say(fmt::format(
        "warning: {}: world:experiment: changes[{}].at is {:g} s, beyond the end at {:g} s: not reached",
        scene, beyond - experiment.changes.begin() + 1, double(beyond->step) * experiment.dt,
        experiment.duration));
}

void print_summary(RecordedRun& recorded, double wall) {
  const Experiment& experiment = recorded.experiment();
  const PluginInfo& plugin = experiment.plugins->find_solver(experiment.solver);
  Simulation& s = recorded.run().simulation();
  const Energy energy = s.energy();
  const double start = s.snapshot().energy_zero, end = energy.sum(), error = s.ledger_error();
  double scale = std::max({std::abs(start), energy.kinetic, std::abs(energy.potential), energy.elastic});
  std::string works;
  for (int k = 0; k < n_works; ++k) {
    const double work = s.snapshot()[Work(k)];
    scale = std::max(scale, std::abs(work));
    if (work != 0) works += fmt::format("{}{} {:.6g} J", works.empty() ? "" : ", ", name(Work(k)), work);
  }
  if (scale == 0) scale = 1;
  fmt::print("solver       {} {}, {} at dt = {:g} s\n", plugin.id, plugin.version,
             name(experiment.integrator), s.dt());
  if (!experiment.changes.empty()) fmt::print("changes      {}\n", changes_in_words(experiment, s));
  if (!experiment.load.forces.empty()) fmt::print("forces       {}\n", names_of(experiment.load.forces));
  for (const Prescription& prescription : experiment.load.prescriptions)
    fmt::print("prescribed   the motion of '{}'\n",
               experiment.model->joints[size_t(prescription.joint)].name);
  for (const Control& control : experiment.load.controls) {
    fmt::print("control      {} of {}, {}\n", control.name,
               experiment.model->robots[size_t(control.robot)].name,
               control.period > 0 ? fmt::format("asked every {:g} s", control.period) : "asked all the time");
    if (const auto* law = dynamic_cast<const ControllerLaw*>(control.law.get());
        law && !law->controller().note().empty())
      fmt::print("             {}\n", law->controller().note());
  }
  for (const Payload& payload : experiment.payloads)
    fmt::print("payload      {:g} kg on '{}' from {:g} s{}\n", payload.inertia_F.m,
               experiment.model->frames[size_t(payload.frame)].name, payload.attach,
               std::isfinite(payload.release) ? fmt::format(" to {:g} s", payload.release) : "");
  fmt::print("steps        {} ({:g} s simulated)\n", s.steps(), s.time());
  fmt::print("wall time    {:.3f} s, {:.1f} x real time\n", wall, s.time() / wall);
  fmt::print("energy       {:.6g} J -> {:.6g} J{}\n", start, end, works.empty() ? "" : "; work of " + works);
  fmt::print("energy error {:.3g} J, {:.1e} of the largest energy or work\n", error, std::abs(error) / scale);
  fmt::print("recording    {} ({} columns)\n", recorded.recording().string(),
             recorded.run().columns().size());
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

std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || !std::filesystem::is_regular_file(path))
    throw Error(
        fmt::format("the state '{}' cannot be read; `torsor run SCENE --save-state FILE` writes one", path));
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.empty()) throw Error(fmt::format("the state '{}' is empty", path));
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

// Where the scene says which variants of it are to be compared.
void compare_variants(const RunOptions& options) {
  if (options.from_state || options.save_state)
    throw Error(fmt::format(
        "{}: it compares variants, which have no common state: set what it varies, or leave {} out",
        options.scene, options.from_state ? "--from-state" : "--save-state"));
  sweep({.scene = options.scene,
         .out = options.out,
         .format = options.format,
         .solver = options.solver,
         .settings = options.settings,
         .plugins = options.plugins,
         .duration = options.duration});
}

Experiment as_told(Experiment experiment, const RunOptions& options) {
  if (options.solver) experiment.solver = *options.solver;
  if (options.duration) experiment.duration = *options.duration;
  return experiment;
}

// Follows the files of a run between its steps.
class Follower {
 public:
  Follower(SceneFiles& files, const RunOptions& options) : files_(files), options_(options) {}

  // Where plugins have changed, the run goes on with them as they are now, or as they were where it cannot. False where the scene has changed.
  bool follow(RecordedRun& run, Progress& progress) {
    const SceneWatch::Files changed = files_.changed();
    if (changed.empty()) return true;
    progress.clear();
    is_outdated_ = true;
    if (!files_.plugins_alone_are_stale()) return false;
    const std::string what =
        fmt::format("at t = {:g} s: {} changed", run.run().simulation().time(), quoted(changed));
    const char* ones = changed.size() > 1 ? "ones" : "one";
    try {
      const Patience patience;
      go_on_with(run, as_told(files_.reload(), options_));
      is_outdated_ = false;
      say(fmt::format("{}: the run goes on with the new {}", what, ones));
    } catch (const Error& error) {
      say(fmt::format("{}: the run goes on with the old {}: {}", what, ones, error.what()));
    }
    files_.warn_of_stayed();
    return true;
  }

  // Whether the files are others than those that the run has gone on with.
  bool is_outdated() const { return is_outdated_; }

 private:
  SceneFiles& files_;
  const RunOptions& options_;
  bool is_outdated_ = false;
};

// The state to start from, which the end of a run may replace; none: the scene's.
std::vector<std::byte> start_of(const RunOptions& options) {
  return options.from_state ? read_bytes(*options.from_state) : std::vector<std::byte>();
}

// True where its files have changed meanwhile, and it has not gone on with what they are now.
bool simulate(Experiment experiment, SceneFiles& files, const RunOptions& options) {
  if (options.save_state) require_writable(*options.save_state);
  for (const std::string& warning : experiment.model->warnings) say("warning: " + warning);
  if (!options.duration) warn_of_changes_beyond_the_end(experiment, options.scene);

  RecordedRun recorded = recorded_run(
      std::move(experiment), options.scene,
      options.out / (std::filesystem::path(options.scene).stem().string() + "." + options.format));
  Progress progress;
  Follower follower(files, options);
  bool given_up = false;
  const auto follow = [&](const Simulation&) { return !(given_up = !follower.follow(recorded, progress)); };
  const bool whole =
      execute(recorded, options.scene, progress, "", options.watch ? BetweenSteps(follow) : nullptr);
  const double wall = progress.wall();
  progress.clear();
  if (given_up) return true;
  Run& run = recorded.run();
  print_summary(recorded, wall);
  for (const std::string& line : run.limits().passed()) fmt::print("limit        {}\n", line);
  if (run.metrics()) print_metrics(run.metrics()->result());
  if (options.save_state) {
    const std::vector<std::byte> bytes = run.simulation().save();
    write_file(*options.save_state, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    fmt::print("state        {}\n", *options.save_state);
  }
  if (run.comparison()) print_comparison(*run.comparison());
  if (!whole)
    throw Error(
        fmt::format("interrupted at t = {:g} s; the recording up to there is kept", run.simulation().time()));
  return follower.is_outdated();
}

void run_scene(const RunOptions& options) {
  SceneFiles files(options.scene, read_settings(options.settings), options.plugins);
  Experiment experiment = as_told(files.load(), options);
  if (!open_variants(experiment, options.settings).empty()) return compare_variants(options);
  experiment.state = start_of(options);
  simulate(std::move(experiment), files, options);
}

// Whatever is wrong with the scene or a run of it may be mended while this waits.
void run_and_watch(const RunOptions& options) {
  const std::vector<std::byte> start = start_of(options);
  SceneFiles files(options.scene, read_settings(options.settings), options.plugins);
  for (;;) {
    bool outdated = false;
    try {
      Experiment experiment = as_told(files.load(), options);
      if (!open_variants(experiment, options.settings).empty())
        throw Error(fmt::format("{}: it compares variants, and --watch follows one run: set what it varies",
                                options.scene));
      experiment.state = start;
      outdated = simulate(std::move(experiment), files, options);
    } catch (const Error& error) {
      if (was_interrupted()) throw;
      say(error.what());
    }
    std::fflush(stdout);
    files.warn_of_stayed();
    if (!outdated) say(fmt::format("waiting for '{}' or a plugin to change; Ctrl-C ends", options.scene));
    if (!wait_for([&] { return outdated || !files.changed().empty(); })) return;
    say(fmt::format("'{}' runs anew", options.scene));
  }
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene, write its recording and print a summary");
  command->add_option("SCENE", options->scene, "scene: a .lua file that returns an experiment")->required();
  add_set_option(*command, options->settings);
  command->add_option("--folder", options->out, "folder to write to, for the recording")
      ->type_name("FOLDER")
      ->capture_default_str();
  command->add_option("--save-state", options->save_state, "file to write with the complete state at the end")
      ->type_name("FILE");
  command->add_option("--from-state", options->from_state, "saved state of this scene to start from")
      ->type_name("FILE");
  add_format_option(*command, options->format);
  command->add_option("--duration", options->duration, "time to simulate, s; by default, the scene's")
      ->type_name("S");
  command->add_option("--solver", options->solver, "solver plugin to use; by default, the scene's")
      ->type_name("ID");
  command->add_flag(
      "--watch", options->watch,
      "go on with plugins that are rebuilt meanwhile, and run anew where the scene changes, or a "
      "plugin after the end");
  add_plugins_option(*command, options->plugins);
  command->footer(
      "Writes OUT/SCENE.h5: time, the recorded signals with units and frames, and what made them. `torsor "
      "plot` draws "
      "it,\n`torsor convert` makes CSV of it. A run that is killed can be read up to its last second.\n"
      "Example: torsor run scenes/iiwa_free_swing.lua --set rotors=false --duration 2 --out /tmp/swing");
  command->callback([options] { options->watch ? run_and_watch(*options) : run_scene(*options); });
}

}  // namespace torsor::cli
