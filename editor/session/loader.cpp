#include "editor/session/loader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/model/urdf.hpp"
#include "torsor/scripting/experiment_plugins.hpp"
#include "torsor/validation/load_check.hpp"

namespace torsor::editor {

Experiment experiment_of(const RobotDescription& robot) {
  Experiment out;
  out.model = build(robot);
  out.q = neutral(*out.model);
  out.v.assign(size_t(out.model->n_v), 0.0);
  out.load.tau.assign(size_t(out.model->n_v), 0.0);
  out.duration = 10;
  out.record = {out.model->robots[0].name + ".q", out.model->robots[0].name + ".v", "energy"};
  return out;
}

namespace {

Experiment read_experiment(Script& script, const SessionOptions& options) {
  if (options.file.extension() == ".urdf") {
    if (!options.overrides.empty()) throw Error("--set is for files in Lua; a URDF file has no parameters");
    return experiment_of(read_urdf(options.file, {.floating_base = options.floating_base}));
  }
  if (options.file.extension() != ".lua")
    throw Error(fmt::format("'{}': the editor opens a .lua or a .urdf file", options.file.string()));
  if (options.floating_base)
    throw Error("--floating-base is for URDF files; a robot in Lua has a floating joint of its own");
  auto loaded = script.load(options.file, options.overrides);
  if (auto* experiment = std::get_if<Experiment>(&loaded)) return std::move(*experiment);
  return experiment_of(std::get<RobotDescription>(loaded));
}

std::vector<SolverChoice> solver_choices(const Registry& registry,
                                         const std::shared_ptr<const Model>& model) {
  std::vector<SolverChoice> out;
  for (const PluginInfo& plugin : registry.plugins()) {
    if (!plugin.id.starts_with("solver.")) continue;
    out.push_back({plugin.id, ""});
    try {
      (void)registry.solver(plugin.id, model);
    } catch (const UnsupportedModel& refusal) {
      out.back().refusal = refusal.reason;
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
  thread_.join();
  const std::lock_guard lock(mutex_);
  result_.reset();
  busy_ = true;
  stopped_ = false;
  printed_.clear();
  thread_ = PluginThread([this, plugins = std::move(plugins), changed = std::move(changed)]() mutable {
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

std::shared_ptr<Script> Loader::make_script(const Registry& plugins) {
  ScriptOptions options;
  options.plugins = &plugins;
  options.print = [this](std::string_view line) {
    printed_.push_back({Problem::Kind::note, std::string(line)});
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

void Loader::load_scene(Result& result) {
  const std::shared_ptr<Script> script = make_script(*result.plugins);
  try {
    auto scene = std::make_shared<Scene>();
    scene->file = options_.file;
    scene->experiment = read_experiment(*script, options_);
    Experiment& experiment = scene->experiment;
    if (!experiment.plugins) experiment.plugins = result.plugins;  // of a robot by itself
    for (const std::string& warning : experiment.model->warnings)
      result.problems.push_back({Problem::Kind::warning, warning});
    scene->steps = whole_steps(experiment.duration, experiment.dt, "the duration");
    scene->solvers = solver_choices(scene->plugins(), experiment.model);
    result.player = std::make_unique<Player>(experiment, solver_source(experiment));
    result.scene = std::move(scene);
  } catch (const std::exception& error) {
    result.problems.push_back({Problem::Kind::error, error.what()});
  }
  result.problems.insert(result.problems.begin(), printed_.begin(), printed_.end());
  if (!script->files().empty()) result.files = script->files();
}

Loader::Result Loader::load(const Registry& plugins, const Files& changed) {
  Result result;
  result.started = FileWatch::Time::clock::now();
  result.files = {options_.file};  // all there is to a URDF file by itself
  try {
    result.plugins = std::make_shared<const Registry>(plugins.again(changed, validation::check_reloading));
    for (const SkippedFile& skipped : result.plugins->skipped())
      if (std::ranges::find(changed, skipped.file) != changed.end())
        throw Error(fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason));
    load_scene(result);
  } catch (const std::exception& error) {
    result.problems.push_back({Problem::Kind::error, error.what()});
  }
  return result;
}

}  // namespace torsor::editor
