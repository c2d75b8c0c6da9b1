// Studies: many runs of a scene, and the handle torsor_study of their table.

#include <atomic>

#include "torsor/capi/engine.hpp"
#include "torsor/capi/scene.hpp"
#include "torsor/scripting/study/scene_study.hpp"
#include "torsor/scripting/study/study_settings.hpp"
#include "torsor/simulation/simulation.hpp"
#include "torsor/study/table/study_reader.hpp"

using namespace torsor;
using namespace torsor::capi;

struct torsor_study {
  StudyLayout layout;
  std::vector<StudyColumn> columns;  // the parameters, then the outcomes
  std::vector<SampleStatus> statuses;
  std::vector<std::string> messages;
  std::vector<double> values;  // [samples][columns]
  uint64_t hash;
};

namespace torsor::capi {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) c == ',' ? void(out.emplace_back()) : void(out.back() += c);
  return out;
}

PlanRequest plan_of(const torsor_study_options& options) {
  if (options.samples > 0 && options.n_grid > 0)
    throw Error("samples and grid exclude each other; give one of them");
  PlanRequest out;
  out.samples = options.samples;
  out.seed = options.seed;
  if (options.design) out.design = options.design;
  for (const auto& [name, values] : overrides_of(options.grid, options.n_grid))
    out.grid.push_back({name, split(values)});
  return out;
}

enum class Existing : uint32_t { error, resume, replace };

StudyTable open_study_table(const SceneStudy& study, const std::filesystem::path& path,
                            uint32_t existing) {
  if (path.extension() != ".h5")
    throw Error(fmt::format("{}: the name of a study ends in .h5", path.string()));
  if (existing > uint32_t(Existing::replace))
    throw Error(fmt::format("existing is {}; it must be 0, 1 or 2", existing));
  if (std::filesystem::exists(path)) {
    if (Existing(existing) == Existing::resume) return study.continued(path);
    if (Existing(existing) == Existing::error)
      throw Error(fmt::format(
          "'{}' exists; continue it (existing = 1), replace it (existing = 2), or write to another "
          "file",
          path.string()));
  }
  return StudyTable::create(path, study.make_layout());
}

void run_study(const torsor_engine& engine, const char* scene, const char* file,
               const torsor_study_options& options) {
  const unsigned jobs = worker_count(options.jobs);
  const RunSettings settings = run_settings_of(options);
  const auto plugins = engine.plugins;  // a function of the host may destroy the engine
  if (settings.solver) plugins->find<Solver>(*settings.solver);
  if (!(options.limit >= 0)) throw Error(fmt::format("limit is {} s", options.limit));
  // Assigned one by one: gcc 12 destroys members twice if an exception ends an aggregate
  // initialiser.
  SceneStudyRequest request;
  request.plan = plan_of(options);
  request.scene.options = study_settings(settings);
  StudySceneRequest& runs = request.scene.scene;
  runs.file = scene;
  runs.settings = overrides_of(options.settings, options.n_settings);
  runs.change = [settings](Experiment experiment) {
    return with_settings(std::move(experiment), settings, "");
  };
  runs.plugins = plugins.get();
  runs.permission = engine.permission;
  runs.print = engine.script_options().print;
  if (options.limit > 0) request.scene.limit = options.limit;
  const SceneStudy study(std::move(request));
  StudyTable table = open_study_table(study, file, options.existing);
  const uint64_t before = table.results(), rows = table.layout().rows();
  ProgressCalls calls(options.progress, options.user);
  const StatusCounts counts =
      study.run(table, {.jobs = jobs, .table = file, .watch = [&](TableQueue& queue) {
                          return calls.next(before + total(queue.counts()), rows);
                        }});
  table.finish();
  if (before + total(counts) < rows) throw Stopped();
}

torsor_study* read_study(const char* file) {
  const StudyReader reader(file);
  auto out = std::make_unique<torsor_study>();
  out->layout = reader.layout();
  out->columns = out->layout.parameters;
  out->columns.insert(out->columns.end(), out->layout.outcomes.begin(), out->layout.outcomes.end());
  reader.each([&](uint64_t, const SampleRow& row) {
    out->statuses.push_back(row.status);
    out->messages.push_back(reader.message(row.failure));
    if (row.status == SampleStatus::not_run) {
      out->values.resize(out->values.size() + out->columns.size(), std::nan(""));
      return;
    }
    for (const auto* values : {&row.parameters, &row.outcomes})
      out->values.insert(out->values.end(), values->begin(), values->end());
  });
  out->hash = study_hash(reader);
  return out.release();
}

const StudyColumn* study_column(const torsor_study* study, size_t column) {
  return study && column < study->columns.size() ? &study->columns[column] : nullptr;
}

}  // namespace
}  // namespace torsor::capi

torsor_result torsor_study_run(const torsor_engine* engine, const char* scene, const char* file,
                               const torsor_study_options* options, torsor_error* error) {
  return guarded(error, [&] {
    require_pointer(engine, "engine");
    require_pointer(scene, "scene");
    require_pointer(file, "file");
    run_study(*engine, scene, file, read_struct(options, "options"));
  });
}

torsor_result torsor_study_read(const char* file, torsor_study** out, torsor_error* error) {
  return create(out, error, [&] {
    require_pointer(file, "file");
    return read_study(file);
  });
}

void torsor_study_destroy(torsor_study* study) {
  delete study;
}

size_t torsor_study_parameters(const torsor_study* study) {
  return study ? study->layout.parameters.size() : 0;
}

size_t torsor_study_outcomes(const torsor_study* study) {
  return study ? study->layout.outcomes.size() : 0;
}

uint64_t torsor_study_samples(const torsor_study* study) {
  return study ? study->statuses.size() : 0;
}

const char* torsor_study_name(const torsor_study* study, size_t column) {
  const StudyColumn* found = study_column(study, column);
  return found ? found->name.c_str() : nullptr;
}

const char* torsor_study_unit(const torsor_study* study, size_t column) {
  const StudyColumn* found = study_column(study, column);
  return found ? found->unit.c_str() : nullptr;
}

const char* torsor_study_label(const torsor_study* study, size_t column, size_t value) {
  const StudyColumn* found = study_column(study, column);
  return found && value < found->labels.size() ? found->labels[value].c_str() : nullptr;
}

const char* torsor_study_status(const torsor_study* study, uint64_t sample) {
  return study && sample < study->statuses.size() ? name(study->statuses[sample]) : nullptr;
}

const char* torsor_study_message(const torsor_study* study, uint64_t sample) {
  return study && sample < study->messages.size() ? study->messages[sample].c_str() : "";
}

const double* torsor_study_values(const torsor_study* study) {
  return study ? study->values.data() : nullptr;
}

uint64_t torsor_study_hash(const torsor_study* study) {
  return study ? study->hash : 0;
}
