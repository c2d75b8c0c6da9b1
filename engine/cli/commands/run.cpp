// torsor run SCENE: simulates a scene, writes its recording, and prints a summary.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/run_settings.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/study/study_sample.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/record.hpp"
#include "torsor/cli/support/scene_files.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor::cli {

namespace {

struct RunOptions {
  std::string scene;
  std::filesystem::path out = "recordings";
  std::string format = "h5";
  RunSettings run;
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> plugins;
  bool allow_plugins = false;
  std::optional<std::string> from_state, save_state, sample;
  bool watch = false;
};

std::string names_of(const std::vector<std::shared_ptr<const Force>>& forces) {
  std::string out;
  for (const auto& force : forces)
    out +=
        fmt::format("{}{} {}", out.empty() ? "" : ", ", force->id(), force->descriptor().version);
  return out;
}

// Returns a summary of the scene's changes, such as
//   "3 of 5 made, the others are after the end; solver lie_group from 0.7 s"
std::string changes_in_words(const Experiment& experiment, const Simulation& s) {
  std::string solvers, of_constraints;
  size_t made = 0;
  for (const Change& change : experiment.changes) {
    if (change.step > s.steps()) continue;
    ++made;
    if (const auto* to = std::get_if<SolverChange>(&change.what))
      solvers += fmt::format("{} {} from {:g} s", solvers.empty() ? "; solver" : ",",
                             without_kind(to->solver), double(change.step) * s.dt());
    if (const auto* to = std::get_if<ConstraintSolverChange>(&change.what))
      of_constraints +=
          fmt::format("{} {} from {:g} s", of_constraints.empty() ? "; constraint solver" : ",",
                      without_kind(to->constraint_solver.id), double(change.step) * s.dt());
  }
  const size_t all = experiment.changes.size();
  return (made == all ? fmt::format("{} made", all)
                      : fmt::format("{} of {} made, the others are after the end", made, all)) +
         solvers + of_constraints;
}

// Warns about changes after the end of the run as given by the scene, which are probably mistakes.
void warn_of_changes_beyond_the_end(const Experiment& experiment, const std::string& scene) {
  const long long steps = step_count(experiment.duration, experiment.dt, "the duration");
  const auto beyond =
      std::ranges::find_if(experiment.changes, [&](const Change& c) { return c.step > steps; });
  if (beyond != experiment.changes.end())
    print_message(fmt::format(
        "warning: {}: world:experiment: changes[{}].at is {:g} s, after the end at {:g} s, so it "
        "has no effect",
        scene, beyond - experiment.changes.begin() + 1, double(beyond->step) * experiment.dt,
        experiment.duration));
}

void print_summary(RecordedRun& recorded, double wall) {
  const Experiment& experiment = recorded.experiment();
  const PluginInfo& plugin = experiment.plugins->find<Solver>(experiment.solver);
  Simulation& s = recorded.run().simulation();
  const EnergyWatch& energy = recorded.run().energy();
  std::string works;
  for (int k = 0; k < n_works; ++k)
    if (const double work = s.snapshot()[Work(k)]; work != 0)
      works += fmt::format("{}{} {:.6g} J", works.empty() ? "" : ", ", name(Work(k)), work);
  fmt::print("solver       {} {}, {} at dt = {:g} s\n", plugin.id, plugin.version,
             name(experiment.integrator), s.dt());
  const ConstraintSolverChoice& constraints = experiment.constraint_solver;
  if (!is_default(constraints, *experiment.model)) {
    const PluginInfo& chosen = experiment.plugins->find<ConstraintSolver>(constraints.id);
    fmt::print("constraints  {} {}\n", chosen.id, chosen.version);
  }
  if (!experiment.changes.empty()) fmt::print("changes      {}\n", changes_in_words(experiment, s));
  if (!experiment.load.forces.empty())
    fmt::print("forces       {}\n", names_of(experiment.load.forces));
  for (const Prescription& prescription : experiment.load.prescriptions)
    fmt::print("prescribed   the motion of '{}'\n",
               experiment.model->joints[size_t(prescription.joint)].name);
  for (const Control& control : experiment.load.controls) {
    fmt::print("control      {} of {}, {}\n", control.name,
               experiment.model->robots[size_t(control.robot)].name,
               control.period > 0 ? fmt::format("sampled every {:g} s", control.period)
                                  : "continuous-time");
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
  fmt::print("energy       {:.6g} J -> {:.6g} J{}\n", s.snapshot().energy_zero, s.energy().sum(),
             works.empty() ? "" : "; work of " + works);
  const double relative = energy.relative_error();
  fmt::print("energy error {:.3g} J, {}\n", energy.error(),
             relative == 0 ? "rounding error"
                           : fmt::format("{:.1e} of the largest energy or work", relative));
  fmt::print("recording    {} ({})\n", recorded.recording().string(),
             counted(recorded.run().columns().size(), "column"));
}

// Prints the largest disagreement of each compared solver in each quantity. Warns if a disagreement
// is above its tolerance.
void print_comparison(const RunComparison& comparison) {
  for (size_t k = 0; k < comparison.solvers().size(); ++k) {
    const std::string& solver = comparison.solvers()[k];
    fmt::print("compared     {}, in {} rows\n", solver, comparison.rows());
    for (const Compared quantity : all_compared) {
      const auto& [worst, time, failure] = comparison.worst(int(k), quantity);
      fmt::print("             {:<17}{:>8.1e}, {:.1e} of the tolerance, at t = {:g} s\n",
                 description(quantity), worst.value, worst.fraction(), time);
      if (worst.broken())
        print_message(fmt::format("warning: at t = {:g} s {} of {} {}", time, description(quantity),
                                  solver, explain(worst, failure)));
    }
  }
}

std::vector<std::byte> read_bytes(const std::string& path) {
  constexpr std::string_view advice = "`torsor run SCENE --save-state FILE` writes a saved state";
  const std::string bytes = read_file(path, InputKind::saved_state, advice);
  if (bytes.empty()) throw Error(fmt::format("{}: the file is empty; {}", path, advice));
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

// Watches the files of a running scene. Reloads changed files between two steps.
class Follower {
 public:
  Follower(SceneFiles& files, const RunOptions& options) : files_(files), options_(options) {}

  // Reloads plugins that have changed and continues the run with the new plugins. If the new
  // plugins cannot be used, continues with the old ones. Returns false if a file of the scene
  // itself has changed.
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
      continue_with(run, with_settings(files_.reload(), options_.run));
      is_outdated_ = false;
      print_message(fmt::format("{}: the run continues with the new {}", what, ones));
    } catch (const Error& error) {
      if (was_interrupted()) return true;  // the interrupted run is about to end
      print_message(
          fmt::format("{}: the run continues with the old {}: {}", what, ones, error.what()));
    }
    files_.warn_of_stayed();
    return true;
  }

  // Returns true if a file has changed since the run began.
  bool is_outdated() const { return is_outdated_; }

 private:
  SceneFiles& files_;
  const RunOptions& options_;
  bool is_outdated_ = false;
};

// Reads the state file of --from-state. Must be called before the run, because --save-state may
// overwrite the same file. Without --from-state, returns an empty list, and the run begins at the
// scene's initial state.
std::vector<std::byte> start_of(const RunOptions& options) {
  if (!options.from_state) return {};
  std::vector<std::byte> bytes = read_bytes(*options.from_state);
  try {
    require_state(bytes);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}: {}; save it again with --save-state", *options.from_state, error.what()));
  }
  return bytes;
}

// Loads the scene and applies the options of the command line.
Experiment load_experiment(SceneFiles& files, const RunOptions& options) {
  Experiment experiment = with_settings(files.load(), options.run);
  require_solver(*experiment.plugins, options.run.solver);
  if (options.sample)
    if (const std::string warning = sample_warning(
            read_study_sample(*options.sample), options.scene, files.files(), *experiment.plugins);
        !warning.empty())
      print_message("warning: --sample " + warning);
  return experiment;
}

// Returns the options with the parameters and settings of the sample of --sample. Other options of
// the command line take precedence over those of the study.
RunOptions with_sample(RunOptions options) {
  if (!options.sample) return options;
  const StudySample sample = read_study_sample(*options.sample);
  options.settings.insert(options.settings.end(), sample.settings.begin(), sample.settings.end());
  RunSettings& run = options.run;
  if (!run.solver) run.solver = sample.run.solver;
  if (!run.constraint_solver) run.constraint_solver = sample.run.constraint_solver;
  if (!run.integrator) run.integrator = sample.run.integrator;
  if (!run.dt) run.dt = sample.run.dt;
  if (!run.duration) run.duration = sample.run.duration;
  return options;
}

// Runs the scene. Returns true if its files have changed during the run, so that the scene should
// run again.
bool simulate(Experiment experiment, SceneFiles& files, const RunOptions& options) {
  if (options.save_state) require_writable(*options.save_state);
  for (const std::string& warning : experiment.model->warnings)
    print_message("warning: " + warning);
  if (!options.run.duration) warn_of_changes_beyond_the_end(experiment, options.scene);

  RecordedRun recorded = recorded_run(
      std::move(experiment), options.scene,
      options.out / (std::filesystem::path(options.scene).stem().string() + "." + options.format));
  Progress progress;
  Follower follower(files, options);
  bool given_up = false;
  const auto follow = [&](const Simulation&) {
    return !(given_up = !follower.follow(recorded, progress));
  };
  const bool whole = execute(recorded, options.scene, progress, "",
                             options.watch ? BetweenSteps(follow) : nullptr);
  const double wall = progress.wall();
  progress.clear();
  if (given_up) return true;
  Run& run = recorded.run();
  print_summary(recorded, wall);
  if (options.sample && whole)
    fmt::print("sample       {}\n", sample_comparison(read_study_sample(*options.sample),
                                                      run.simulation().state_hash()));
  for (const std::string& warning : warnings_of(run, recorded.experiment()))
    print_message(fmt::format("warning: {}: {}", options.scene, warning));
  for (const std::string& line : run.limits().passed()) fmt::print("limit        {}\n", line);
  if (run.metrics()) print_metrics(run.metrics()->result());
  if (options.save_state) {
    const std::vector<std::byte> bytes = run.simulation().save();
    write_file(*options.save_state,
               std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    fmt::print("state        {}\n", *options.save_state);
  }
  if (run.comparison()) print_comparison(*run.comparison());
  if (!whole)
    throw Interrupted(
        fmt::format("interrupted at t = {:g} s; the recording up to this time is kept",
                    run.simulation().time()));
  return follower.is_outdated();
}

void run_scene(const RunOptions& options) {
  const ActivityScope loads({.subject = options.scene.c_str()});
  SceneFiles files(options.scene, read_settings(options.settings), options.plugins,
                   command_permission(options.allow_plugins));
  Experiment experiment = load_experiment(files, options);
  experiment.state = start_of(options);
  const Interruptible interruptible;
  simulate(std::move(experiment), files, options);
}

// Runs the scene, waits until one of its files changes, and repeats. After an error, the user can
// fix the files while the command waits.
void run_and_watch(const RunOptions& options) {
  const ActivityScope loads({.subject = options.scene.c_str()});
  const std::vector<std::byte> start = start_of(options);
  SceneFiles files(options.scene, read_settings(options.settings), options.plugins,
                   command_permission(options.allow_plugins));
  const Interruptible interruptible;
  for (;;) {
    bool outdated = false;
    try {
      Experiment experiment = load_experiment(files, options);
      experiment.state = start;
      outdated = simulate(std::move(experiment), files, options);
    } catch (const Error& error) {
      if (was_interrupted()) throw Interrupted(error.what());
      print_message(error.what());
    }
    std::fflush(stdout);
    files.warn_of_stayed();
    if (!outdated)
      print_message(fmt::format("waiting for '{}' or a plugin to change; press Ctrl+C to end",
                                options.scene));
    if (!wait_for([&] { return outdated || !files.changed().empty(); })) return;
    print_message(fmt::format("running '{}' again", options.scene));
  }
}

}  // namespace

void add_run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Simulate a scene, write its recording and print a summary");
  command->add_option("SCENE", options->scene, "scene, a .lua file that returns an experiment")
      ->required();
  add_set_option(*command, options->settings);
  command->add_option("--folder", options->out, "folder to write to, for the recording")
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      ->add_option("--save-state", options->save_state,
                   "file to write with the complete state at the end")
      ->type_name("FILE");
  command
      ->add_option("--from-state", options->from_state, "saved state of this scene to start from")
      ->type_name("FILE");
  command
      ->add_option("--sample", options->sample,
                   "sample of a study to repeat, with its parameters and options: STUDY.h5:K")
      ->type_name("SAMPLE");
  add_format_option(*command, options->format);
  add_run_settings(*command, options->run);
  command->add_flag("--watch", options->watch,
                    "continue with plugins that are rebuilt during the run, and run again when the "
                    "scene changes, or a plugin after the end");
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->allow_plugins);
  command->footer(
      "Writes FOLDER/SCENE.h5: the times, the recorded signals with units and frames, and the "
      "scene, solver and parameters. `torsor info` lists it, `torsor plot` draws it, `torsor "
      "convert` writes CSV. If a run is killed, its recording can be read up to its last second. "
      "Warns if the energy error is above 1e-3 of the largest energy or work, or above the scene's "
      "energy_tolerance.\n"
      "Example: torsor run scenes/iiwa_free_swing.lua --duration 2 --solver lie_group");
  command->callback([options] {
    const RunOptions sampled = with_sample(*options);
    sampled.watch ? run_and_watch(sampled) : run_scene(sampled);
  });
}

}  // namespace torsor::cli
