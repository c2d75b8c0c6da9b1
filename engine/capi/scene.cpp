#include "torsor/capi/scene.hpp"

#include "torsor/capi/engine.hpp"
#include "torsor/capi/robot.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

using namespace torsor;
using namespace torsor::capi;

namespace torsor::capi {

namespace {

std::string text_of(const SceneParameter& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

std::unique_ptr<torsor_scene> load_scene_handle(const torsor_engine& engine, const char* file,
                                                const torsor_load_options& options) {
  if (options.strict || options.floating_base || options.collisions || options.gravity)
    throw Error("strict, floating_base, collisions and gravity are options of robots");
  auto out = std::make_unique<torsor_scene>();
  out->file = file;
  out->found = engine.plugins;
  Script script(engine.script_options());
  out->experiment =
      with_settings(script.load_scene(file, overrides_of(options.settings, options.n_settings)),
                    run_settings_of(options), "");
  if (options.solver) out->experiment.plugins->find<Solver>(options.solver);
  for (const auto& [name, value] : out->experiment.parameters)
    out->parameters.emplace_back(name, text_of(value));
  out->warnings = joined(out->experiment.model->warnings);
  return out;
}

void record(const torsor_scene& scene, const char* file, torsor_progress progress, void* user) {
  const std::string scene_file = scene.file;  // a function of the host may destroy the scene
  RecordedRun run = recorded_run(scene.experiment, scene_file, file);
  ProgressCalls calls(progress, user);
  bool whole = false;
  try {
    whole = run.execute([&](const Simulation& simulation) {
      return calls.next(uint64_t(simulation.steps()), uint64_t(run.run().steps()));
    });
  } catch (const Error& error) {
    throw Error(fmt::format("{}; the recording up to there is in '{}'",
                            at_scene(scene_file, error.what()), file));
  }
  if (!whole) throw Stopped();
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_scene_load(const torsor_engine* engine, const char* file,
                                const torsor_load_options* options, torsor_scene** out,
                                torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(engine, "engine");
    require_pointer(file, "file");
    return load_scene_handle(*engine, file, read_struct(options, "options")).release();
  });
}

void torsor_scene_destroy(torsor_scene* scene) {
  delete scene;
}

torsor_result torsor_scene_robot(const torsor_scene* scene, torsor_robot** out,
                                 torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(scene, "scene");
    const Experiment& experiment = scene->experiment;
    return make_robot({.model = experiment.model,
                       .plugins = experiment.plugins,
                       .found = scene->found,
                       .gravity_W = experiment.gravity_W},
                      nullptr)
        .release();
  });
}

const char* torsor_scene_warnings(const torsor_scene* scene) {
  return scene ? scene->warnings.c_str() : "";
}

const char* torsor_scene_parameter(const torsor_scene* scene, size_t index) {
  return scene && index < scene->parameters.size() ? scene->parameters[index].first.c_str()
                                                   : nullptr;
}

const char* torsor_scene_value(const torsor_scene* scene, size_t index) {
  return scene && index < scene->parameters.size() ? scene->parameters[index].second.c_str()
                                                   : nullptr;
}

double torsor_scene_dt(const torsor_scene* scene) {
  return scene ? scene->experiment.dt : 0;
}

double torsor_scene_duration(const torsor_scene* scene) {
  return scene ? scene->experiment.duration : 0;
}

torsor_result torsor_scene_add_control(torsor_scene* scene, const torsor_control* control,
                                       torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(scene, "scene");
    require_pointer(control, "control");
    add_control(scene->experiment, read_struct(control, "control"));
  });
}

torsor_result torsor_scene_add_force(torsor_scene* scene, const torsor_external_force* force,
                                     torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(scene, "scene");
    require_pointer(force, "force");
    add_force(scene->experiment, read_struct(force, "force"));
  });
}

torsor_result torsor_scene_record(const torsor_scene* scene, const char* file,
                                  torsor_progress progress, void* user, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(scene, "scene");
    require_pointer(file, "file");
    record(*scene, file, progress, user);
  });
}
