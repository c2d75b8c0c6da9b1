#include "torsor/scripting/study/scene_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/loading/search_paths.hpp"
#include "torsor/study/study_description.hpp"
#include "torsor/study/workers/worker_process.hpp"

namespace torsor {

namespace {

// Returns whether a plugin is a binary file that is not part of Torsor.
bool is_foreign(const PluginInfo& plugin) {
  if (plugin.file.empty() || is_script(plugin.file)) return false;
  std::error_code error;
  return !std::filesystem::equivalent(plugin.file.parent_path(), built_in_plugin_path(), error);
}

StudySettings all_settings(const SceneStudyRequest& request) {
  StudySettings out = request.options;
  for (const auto& [name, value] : request.scene.settings)
    out[std::string(set_prefix) + name] = value;
  return out;
}

}  // namespace

SceneStudy::SceneStudy(SceneStudyRequest request)
    : request_(std::move(request)),
      loader_(request_.scene),
      nominal_(loader_.load_nominal(files_)),
      plan_(nominal_.parameters, request_.plan),
      description_(describe_study({.scene = request_.scene.file,
                                   .files = files_,
                                   .plugins = nominal_.experiment.plugins.get(),
                                   .settings = all_settings(request_)},
                                  nominal_.parameters, request_.plan, plan_.axes())) {
  if (request_.shard.rows(plan_.samples()) == 0)
    throw Error(fmt::format("shard {} of {} is empty: the study has only {}",
                            request_.shard.index + 1, request_.shard.count,
                            counted(plan_.samples(), "sample")));
}

SampleRunner SceneStudy::runner(const std::atomic<bool>* stop) const {
  return {[this](const StudySettings& values) { return loader_.load(values, request_.limit); },
          {.seconds = request_.limit, .stop = stop}};
}

std::optional<StudyLayout> SceneStudy::make_layout() const {
  const std::optional<SampleResult> nominal = runner(request_.scene.stop).run({});
  if (!nominal) return std::nullopt;
  if (nominal->outcomes.empty())
    throw Error(fmt::format(
        "the nominal run, which determines the names of the outcomes, failed: {}; give parameters "
        "nominal values that work, or let outcome(run) handle run:failure()",
        nominal->message));
  StudyLayout out{.parameters = {},
                  .outcomes = {},
                  .samples = plan_.samples(),
                  .shard = request_.shard,
                  .description = description_};
  for (const PlanColumn& column : plan_.columns())
    out.parameters.push_back({column.name, column.unit, column.labels});
  for (const Outcome& outcome : nominal->outcomes)
    out.outcomes.push_back({outcome.name, outcome.unit});
  return out;
}

StudyTable SceneStudy::continued(const std::filesystem::path& path) const {
  StudyTable table = StudyTable::open(path);
  require_same(table.layout(), path.string());
  return table;
}

void SceneStudy::require_same(const StudyLayout& layout, const std::string& name) const {
  std::string why = study_difference(layout.description, description_);
  if (why.empty() && layout.shard != request_.shard)
    why = fmt::format("it has shard {} of {}", layout.shard.index + 1, layout.shard.count);
  if (!why.empty())
    throw Error(fmt::format("'{}' cannot be continued: {}; write to another file", name, why));
}

std::function<RunSample()> SceneStudy::workers(const StudySamples& samples,
                                               const std::atomic<bool>& stop) const {
  const auto in_this_process = [this, &stop](const StudySamples& of) -> RunSample {
    return
        [worker = SampleWorker(of, runner(&stop))](uint64_t sample) { return worker.run(sample); };
  };
  if (std::ranges::none_of(nominal_.experiment.plugins->plugins(), is_foreign))
    return [=, &samples] { return in_this_process(samples); };
  return [=, this, &samples, &stop]() -> RunSample {
    // The end of the child is a result of the sample, and not the end of the study.
    const auto own = std::make_shared<const StudySamples>(
        StudySamples{samples.plan, samples.layout, samples.subject, ""});
    const auto process = std::make_shared<WorkerProcess>(
        *own, [=] { return in_this_process(*own); },
        SampleLimits{.seconds = request_.limit, .stop = &stop});
    return [own, process](uint64_t sample) { return process->run(sample); };
  };
}

}  // namespace torsor
