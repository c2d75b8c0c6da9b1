#include "torsor/scripting/study/studied_scene.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/input_file.hpp"
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

}  // namespace

StudiedScene::StudiedScene(StudiedSceneRequest request)
    : request_(std::move(request)),
      loader_(request_.scene),
      nominal_(loader_.load_nominal(files_)) {}

std::string StudiedScene::describe(const std::string& plan) const {
  StudySettings settings = request_.options;
  for (const auto& [name, value] : request_.scene.settings)
    settings[std::string(set_prefix) + name] = value;
  return describe_study({.scene = request_.scene.file,
                         .files = files_,
                         .plugins = nominal_.experiment.plugins.get(),
                         .settings = std::move(settings)},
                        nominal_.parameters, plan);
}

SampleRunner StudiedScene::runner(const std::atomic<bool>* stop) const {
  return {[this, stop](const StudySettings& values) {
            return loader_.load(values, request_.limit, stop);
          },
          {.seconds = request_.limit, .stop = stop}};
}

std::vector<StudyColumn> StudiedScene::outcomes() const {
  const std::optional<SampleResult> nominal = runner(request_.scene.stop).run({});
  if (!nominal) throw Stopped();
  if (nominal->outcomes.empty())
    throw Error(fmt::format(
        "the nominal run, which determines the names of the outcomes, failed: {}; give parameters "
        "nominal values that work, or let outcome(run) handle run:failure()",
        nominal->message));
  std::vector<StudyColumn> out;
  for (const Outcome& outcome : nominal->outcomes) out.push_back({outcome.name, outcome.unit});
  return out;
}

std::function<RunSample()> StudiedScene::workers(const StudySamples& samples,
                                                 const std::atomic<bool>& stop) const {
  const auto in_this_process = [this, &stop](const StudySamples& of) -> RunSample {
    return [worker = SampleWorker(of, runner(&stop))](const FinishedSample& begun) {
      return worker.run(begun);
    };
  };
  if (std::ranges::none_of(nominal_.experiment.plugins->plugins(), is_foreign))
    return [=, &samples] { return in_this_process(samples); };
  return [=, this, &samples, &stop]() -> RunSample {
    // The end of the child is a result of the sample, and not the end of the study.
    const auto own = std::make_shared<const StudySamples>(
        StudySamples{samples.values, samples.layout, samples.subject, ""});
    const auto process = std::make_shared<WorkerProcess>(
        samples.layout, [=] { return in_this_process(*own); },
        SampleLimits{.seconds = request_.limit, .stop = &stop});
    return [process](const FinishedSample& begun) { return process->run(begun); };
  };
}

StudyTable continued_table(const std::filesystem::path& path, const std::string& description,
                           const Shard& shard) {
  StudyTable table = StudyTable::open(path);
  require_same_study(table.layout(), description, shard, path.string());
  return table;
}

void require_same_study(const StudyLayout& layout, const std::string& description,
                        const Shard& shard, const std::string& name) {
  std::string why = study_difference(layout.description, description);
  if (why.empty() && layout.shard != shard)
    why = fmt::format("it has shard {} of {}", layout.shard.index + 1, layout.shard.count);
  if (!why.empty())
    throw Error(fmt::format("'{}' cannot be continued: {}; write to another file", name, why));
}

}  // namespace torsor
