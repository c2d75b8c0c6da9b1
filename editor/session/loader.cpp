#include "editor/session/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "editor/session/viewed_recording.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/cli/study/study_sample.hpp"
#include "torsor/formats/lint/lint.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/run/run_settings.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::editor {

Experiment experiment_of(const RobotDescription& robot) {
  Experiment out;
  out.model = build(robot);
  if (robot.gravity_W) out.gravity_W = *robot.gravity_W;
  out.q = neutral(*out.model);
  out.v.assign(size_t(out.model->n_v), 0.0);
  out.load.tau.assign(size_t(out.model->n_v), 0.0);
  out.integrator = default_integrator(*out.model);
  out.constraint_solver = default_constraint_solver(*out.model);
  out.duration = 10;
  out.record = {out.model->robots[0].name + ".q", out.model->robots[0].name + ".v", "energy"};
  return out;
}

namespace {

RobotDescription read_robot(const SessionOptions& options) {
  const auto permission = [ask = options.permission()](const std::filesystem::path& file,
                                                       const std::string& source) {
    return ask(access_request(AccessRequest::Kind::file, file, source));
  };
  return read_robot_file(options.file,
                         {.floating_base = options.floating_base,
                          .meshes = {options.file.parent_path(), permission, options.packages},
                          .run_programs = options.is_named_by_user});
}

Experiment read_experiment(Script& script, const SessionOptions& options) {
  if (!options.model.empty() && options.file != options.model)
    throw Error("SCENE or ROBOT can be given only after a recording");
  if (const RobotFormat* format = robot_format(options.file)) {
    if (!options.overrides.empty())
      throw Error(
          fmt::format("--set is only for Lua files; a {} file has no parameters", format->name));
    return experiment_of(read_robot(options));
  }
  if (!is_script(options.file))
    throw Error(fmt::format("'{}': a scene or robot must be a .lua or {} file",
                            options.file.string(), robot_extensions()));
  if (options.floating_base)
    throw Error(
        fmt::format("--floating-base is only for {} files; give a robot in Lua a floating joint",
                    robot_extensions()));
  auto loaded = script.load(options.file, options.overrides);
  if (auto* experiment = std::get_if<Experiment>(&loaded)) return std::move(*experiment);
  return experiment_of(std::get<RobotDescription>(loaded));
}

// Returns the listed plugins of the handle's kind, and those that the experiment names, such as a
// generated solver.
template <class Handle>
std::vector<SolverChoice> choices(const Registry& registry,
                                  const std::shared_ptr<const Model>& model,
                                  const std::vector<std::string>& named) {
  std::vector<std::string> ids;
  for (const PluginInfo& plugin : registry.plugins())
    if (plugin.kind() == Handle::kind) ids.push_back(plugin.id);
  for (const std::string& name : named)
    if (std::string id = registry.find<Handle>(name).id; std::ranges::find(ids, id) == ids.end())
      ids.push_back(std::move(id));
  std::vector<SolverChoice> out;
  for (const std::string& id : ids) {
    out.push_back({id, ""});
    try {
      (void)registry.make<Handle>(id, model);
    } catch (const UnsupportedModel& rejection) {
      out.back().rejection = rejection.reason;
    }
  }
  return out;
}

}  // namespace

Loader::~Loader() {
  stop();
}

void Loader::start(std::shared_ptr<const Registry> plugins, Files changed) {
  stop();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  result_.reset();
  busy_ = true;
  stopped_ = false;
  printed_.clear();
  thread_ = start_plugin_thread(
      [this, plugins = std::move(plugins), changed = std::move(changed)]() mutable {
        Result result = load(*plugins, changed);
        if (!result.plugins) result.plugins = std::move(plugins);
        const std::lock_guard done(mutex_);
        result_ = std::move(result);
        busy_ = false;
      });
}

void Loader::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (script_) script_->stop();
}

std::shared_ptr<Script> Loader::make_script(const Registry& plugins, bool quiet) {
  ScriptOptions options;
  options.plugins = &plugins;
  options.permission = options_.permission();
  options.print = [this, quiet](std::string_view line) {
    if (!quiet) printed_.push_back({Problem::Kind::note, std::string(line)});
  };
  const std::lock_guard lock(mutex_);
  script_ = std::make_shared<Script>(std::move(options));
  if (stopped_) script_->stop();
  return script_;
}

bool Loader::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_ || result_;
}

std::optional<Loader::Result> Loader::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

// Reads the robot descriptions again and reports physically implausible values.
void Loader::lint_scene(Result& result, const SessionOptions& options) {
  try {
    std::vector<RobotDescription> robots;
    if (robot_format(options.file))
      robots.push_back(read_robot(options));
    else
      robots = make_script(*result.plugins, true)->load_robots(options.file, options.overrides);
    for (const RobotDescription& robot : robots)
      for (const Finding& finding : lint(robot))
        if (finding.severity != Severity::note)
          result.problems.push_back({Problem::Kind::warning, as_line(finding)});
  } catch (const Error& error) {
    result.problems.push_back({Problem::Kind::warning, fmt::format("lint: {}", error.what())});
  }
}

// Loads a recording and its scene. Each error names the file that caused it.
void Loader::load_recording(Result& result) {
  const ViewedRecording viewed = view_recording(options_);
  const Recording& recording = *viewed.recording;
  if (!recording.error.empty())
    result.problems.push_back(
        {Problem::Kind::warning,
         fmt::format("{}: the recording is incomplete, it has {} rows: {}", options_.file.string(),
                     recording.rows(), recording.error)});
  load_scene(result, viewed.scene, [&](Experiment& experiment) {
    follow_recording(recording, viewed.scene.file, !options_.model.empty(), experiment,
                     result.problems);
  });
  result.files.push_back(options_.file);
  if (!result.scene) return;
  try {
    auto scene = std::make_shared<Scene>(*result.scene);
    const Snapshot start = result.player->simulation().snapshot();
    scene->edits = edits_of(recording, *result.player, options_.file, result.problems);
    result.rows = timeline_of(recording, scene->edits, scene->experiment, start, result.problems);
    scene->file = options_.file;
    scene->steps = result.rows->end();
    scene->recording = viewed.recording;
    result.scene = std::move(scene);
  } catch (const Error& error) {
    result.scene = nullptr;
    throw Error(fmt::format("{}: {}", options_.file.string(), error.what()));
  }
}

void Loader::load_file(Result& result) {
  is_recording(options_.file) ? load_recording(result) : load_scene(result, options_);
}

namespace {

// Adds a problem if the acceleration at the start cannot be computed, for example if M is singular.
// The robot is still shown, but cannot move.
void report_singular(Loader::Result& result, const std::filesystem::path& file) {
  try {
    (void)result.player->simulation().acceleration();
  } catch (const Error& error) {
    result.problems.push_back({Problem::Kind::error, fmt::format("{}: the run cannot start: {}",
                                                                 file.string(), error.what())});
  }
}

}  // namespace

namespace {

// Applies the settings of the runs of a study. Reports a scene or a plugin that has changed since.
void follow_sample(Loader::Result& result, const SessionOptions& options,
                   const std::vector<std::filesystem::path>& files, Scene& scene) {
  scene.sample = options.sample;
  scene.experiment = with_settings(std::move(scene.experiment), options.sample->run);
  std::string warning;
  try {
    warning = cli::sample_warning(*options.sample, options.file, files, scene.plugins());
  } catch (const nlohmann::json::exception&) {
    warning = options.sample->name + ": the description of the study is damaged";
  }
  if (!warning.empty()) result.problems.push_back({Problem::Kind::warning, warning});
}

}  // namespace

void Loader::load_scene(Result& result, const SessionOptions& options,
                        const std::function<void(Experiment&)>& adapt) {
  result.files = {options.file};  // for a robot file; scripts list their files below
  const std::shared_ptr<Script> script = make_script(*result.plugins);
  try {
    auto scene = std::make_shared<Scene>();
    scene->file = options.file;
    scene->source = std::make_shared<const SessionOptions>(options);
    scene->experiment = read_experiment(*script, options);
    Experiment& experiment = scene->experiment;
    // A robot without a scene uses all available plugins.
    if (!experiment.plugins) set_plugins(experiment, result.plugins);
    if (options.sample) follow_sample(result, options, script->files(), *scene);
    if (adapt) adapt(experiment);
    for (const std::string& warning : experiment.model->warnings)
      result.problems.push_back({Problem::Kind::warning, warning});
    scene->steps = step_count(experiment.duration, experiment.dt, "the duration");
    std::vector<std::string> named = experiment.compare;
    named.insert(named.begin(), experiment.solver);
    scene->solvers = choices<Solver>(scene->plugins(), experiment.model, named);
    // The engine has the default constraint solver also if no plugin provides it.
    const ConstraintSolverChoice& constraints = experiment.constraint_solver;
    named.assign(!is_default(constraints, *experiment.model), constraints.id);
    scene->constraint_solvers =
        choices<ConstraintSolver>(scene->plugins(), experiment.model, named);
    result.player = std::make_unique<Player>(experiment);
    report_singular(result, options.file);
    result.scene = std::move(scene);
    lint_scene(result, options);
  } catch (const PermissionNeeded& error) {
    result.needed = error.request;
    result.problems.push_back({Problem::Kind::error, error.what()});
  } catch (const std::exception& error) {
    result.problems.push_back({Problem::Kind::error, error.what()});
  }
  result.problems.insert(result.problems.begin(), printed_.begin(), printed_.end());
  if (!script->files().empty()) result.files = script->files();
}

Loader::Result Loader::load(const Registry& plugins, const Files& changed) {
  Result result;
  result.started = FileWatch::Time::clock::now();
  result.files = {options_.file};
  try {
    result.plugins = std::make_shared<const Registry>(plugins.again(changed));
    for (const SkippedFile& skipped : result.plugins->skipped())
      if (std::ranges::find(changed, skipped.file) != changed.end())
        throw Error(fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason));
    load_file(result);
  } catch (const std::exception& error) {
    result.problems.push_back({Problem::Kind::error, error.what()});
  }
  return result;
}

}  // namespace torsor::editor
