// Implements torsor.study, and the methods of its result.

#include <cmath>

#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/study/scene_study.hpp"
#include "torsor/study/sampling/number_text.hpp"
#include "torsor/study/statistics/study_statistics.hpp"
#include "torsor/study/table/merge.hpp"

namespace torsor::lua {

namespace {

constexpr const char* study_call = "torsor.study";

// Returns the text of a parameter's value.
std::string value_text(lua_State* L, int index, const Place& place) {
  if (lua_isinteger(L, index)) return std::to_string(lua_tointeger(L, index));
  if (lua_type(L, index) == LUA_TNUMBER) return number_text(number_at(L, index, place));
  if (lua_isboolean(L, index)) return lua_toboolean(L, index) ? "true" : "false";
  return name_at(L, index, place);
}

uint64_t whole_option(const TableReader& options, const char* key, uint64_t otherwise,
                      double least) {
  const double value = options.number_or(key, double(otherwise));
  if (value >= least && value <= 0x1p52 && value == std::floor(value)) return uint64_t(value);
  options.place().inside(key).fail(
      fmt::format("is {}; it must be a whole number of at least {}", shown(value), least));
}

unsigned read_jobs(const TableReader& options, unsigned otherwise) {
  try {
    return worker_count(whole_option(options, "jobs", otherwise, 1));
  } catch (const Error& error) {
    options.fail(error.what());
  }
}

PlanRequest read_plan(const TableReader& options) {
  lua_State* L = options.state();
  PlanRequest out;
  if (options.has("samples") + options.has("grid") + options.has("from") > 1)
    options.fail("samples, grid and from exclude each other; give one of them");
  if (options.has("samples")) out.samples = whole_option(options, "samples", 0, 1);
  out.design = options.text_or("design", out.design);
  out.seed = whole_option(options, "seed", 0, 0);
  if (options.has("grid"))
    options.each("grid", [&](const std::string& name, int values, const Place& place) {
      if (!lua_istable(L, values)) place.fail("is not a list of values, such as { 0, 1, 2 }");
      require_plain(L, values, place, "a list of values");
      GridAxis axis{name, {}};
      const auto count = lua_Integer(lua_rawlen(L, values));
      Sandbox::of(L).charge(L, 20 * count);
      for (lua_Integer k = 1; k <= count; ++k) {
        lua_rawgeti(L, values, k);
        axis.values.push_back(value_text(L, lua_gettop(L), place.inside(fmt::format("[{}]", k))));
        lua_pop(L, 1);
      }
      out.grid.push_back(std::move(axis));
    });
  if (options.has("from")) {
    const std::string name = options.text("from");
    const std::filesystem::path file = named_file(L, name);
    require_readable_by_script(L, file, study_call);
    out.table = read_text_table(file, name);
  }
  return out;
}

// Returns the path of a file below the working directory relative to it, as a user writes it. Other
// paths remain.
std::string short_path(const std::filesystem::path& file) {
  const std::filesystem::path relative = file.lexically_proximate(std::filesystem::current_path());
  return *relative.begin() == ".." ? file.lexically_normal().string() : relative.string();
}

SceneStudyRequest read_request(const TableReader& options) {
  lua_State* L = options.state();
  Sandbox& box = Sandbox::of(L);
  if (!box.options().plugins) options.fail("needs plugins, which are not available here");
  const std::filesystem::path scene = named_file(L, options.text("scene"));
  require_readable_by_script(L, scene, study_call);
  box.note_file(L, scene);
  SceneStudyRequest out{.scene = {.scene = {.file = short_path(scene),
                                            .plugins = box.options().plugins,
                                            .permission = box.options().permission,
                                            .stop = box.stop_flag()},
                                  .limit = options.positive_or(
                                      "limit", std::numeric_limits<double>::infinity(), " s")},
                        .plan = read_plan(options)};
  if (options.has("set"))
    options.each("set", [&](const std::string& name, int value, const Place& place) {
      out.scene.scene.settings[name] = value_text(L, value, place);
    });
  return out;
}

// Returns the path of a file that a script writes. Scripts write only to the folder of StudyAccess.
std::filesystem::path output_path(const StudyAccess& access, const std::string& name,
                                  std::initializer_list<const char*> extensions,
                                  const Place& place) {
  const std::filesystem::path path(name);
  if (path.is_absolute() || !is_below(resolved(access.folder / path), access.folder))
    place.fail(fmt::format("is '{}'; scripts write to the folder '{}' only: give a name in it",
                           quotable(name), access.folder.string()));
  if (std::ranges::none_of(extensions, [&](const char* each) { return path.extension() == each; }))
    place.fail(
        fmt::format("is '{}'; it must end in {}", quotable(name), fmt::join(extensions, " or ")));
  return access.folder / path;
}

const StudyAccess& study_access(lua_State* L, const char* what) {
  if (const StudyAccess* access = Sandbox::of(L).options().studies) return *access;
  throw Error(fmt::format(
      "{} is not available in scenes: put it in a script, and run the script with 'torsor lua'",
      what));
}

StudyTable open_table(const SceneStudy& study, const std::filesystem::path& path, bool replace) {
  if (std::filesystem::exists(path) && !replace) return study.continued(path);
  return StudyTable::create(path, study.make_layout());
}

// Runs the samples that have no result.
void run_table(lua_State* L, const SceneStudy& study, StudyTable& table, const StudyAccess& access,
               unsigned jobs) {
  const std::atomic<bool>* const stop = Sandbox::of(L).stop_flag();
  const uint64_t before = table.results();
  const auto show =
      access.progress ? access.progress(table.layout().rows(), before) : [](uint64_t) {};
  study.run(table, {.jobs = jobs, .watch = [&](TableQueue& queue) {
                      show(before + total(queue.counts()));
                      return !stop || !*stop;
                    }});
  table.finish();
}

// Implements torsor.study{ scene =, samples = | grid = | from =, .. }.
int run_study(lua_State* L) {
  const StudyAccess& access = study_access(L, study_call);
  SceneContext& context = scene_of(L);
  if (!lua_istable(L, 1))
    throw Error(
        R"(torsor.study takes a table, as in torsor.study{ scene = "s.lua", samples = 1000 })");
  const TableReader options(L, 1, {study_call, ""},
                            {"scene", "samples", "grid", "from", "design", "seed", "set", "jobs",
                             "limit", "out", "replace"});
  const SceneStudyRequest request = read_request(options);
  const std::string stem = std::filesystem::path(request.scene.scene.file).stem().string();
  const std::filesystem::path path = output_path(access, options.text_or("out", stem + "-study.h5"),
                                                 {".h5"}, options.place().inside("out"));
  const unsigned jobs = read_jobs(options, access.jobs);
  const bool replace = options.flag_or("replace", false);
  Sandbox::of(L).untimed([&] {
    const SceneStudy study(request);
    StudyTable table = open_table(study, path, replace);
    run_table(L, study, table, access, jobs);
  });
  Sandbox::of(L).charge(L, 0);  // ends the script if it was stopped
  Sandbox::of(L).charge_memory(L, sizeof(StudyObject));
  context.studies.emplace_back(new StudyObject{path});
  push_handle(L, context.studies.back().get(), study_type);
  return 1;
}

StudyObject& study_at(lua_State* L, const char* method) {
  return self<StudyObject>(L, study_type, method);
}

int table_path(lua_State* L) {
  push(L, study_at(L, "study:path()").path.string());
  return 1;
}

// Returns the index of a column, or throws Error.
size_t column_index(const std::vector<StudyColumn>& columns, const std::string& name,
                    const char* method, const char* what) {
  const std::vector<std::string> names = column_names(columns);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return size_t(found - names.begin());
  throw Error(fmt::format("{}: the study has no {} '{}'; it has: {}{}", method, what,
                          quotable(name), fmt::join(names, ", "), did_you_mean(name, names)));
}

size_t outcome_at(lua_State* L, const StudyReader& table, int index, const char* method) {
  return column_index(table.layout().outcomes, name_at(L, index, {method, "the outcome"}), method,
                      "outcome");
}

// Implements study:column(name). Pushes the values of a parameter or an outcome, by sample.
int column_values(lua_State* L) {
  constexpr const char* method = "study:column(name)";
  const StudyReader table(study_at(L, method).path);
  const StudyLayout& layout = table.layout();
  std::vector<StudyColumn> all = layout.parameters;
  all.insert(all.end(), layout.outcomes.begin(), layout.outcomes.end());
  const size_t k = column_index(all, name_at(L, 2, {method, "the name"}), method, "column");
  Sandbox::of(L).charge(L, (long long)(layout.rows()));
  lua_createtable(L, int(std::min<uint64_t>(layout.rows(), 1'000'000)), 0);
  lua_Integer n = 0;
  table.each([&](uint64_t, const SampleRow& row) {
    const size_t n_parameters = layout.parameters.size();
    const bool is_outcome = k >= n_parameters;
    const double value = is_outcome ? row.outcomes[k - n_parameters] : row.parameters[k];
    if (row.status == SampleStatus::not_run || (is_outcome && !is_complete(row.status)))
      lua_pushnumber(L, std::nan(""));
    else if (all[k].labels.empty())
      lua_pushnumber(L, value);
    else
      push(L, all[k].text(value));
    lua_rawseti(L, -2, ++n);
  });
  return 1;
}

void set_number(lua_State* L, const char* key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

StudyStatistics statistics_of(lua_State* L, const StudyReader& table, size_t outcome) {
  Sandbox::of(L).charge(L, (long long)(20 * table.layout().rows()));
  return Sandbox::of(L).untimed([&] { return study_statistics(table, {outcome}); });
}

// Implements study:statistics(outcome).
int outcome_statistics(lua_State* L) {
  constexpr const char* method = "study:statistics(outcome)";
  const StudyReader table(study_at(L, method).path);
  const StudyStatistics all = statistics_of(L, table, outcome_at(L, table, 2, method));
  const OutcomeStatistics& found = all.outcomes.at(0);
  constexpr const char* names[quantile_levels.size()] = {"min", "q05", "q25", "median",
                                                         "q75", "q95", "max"};
  lua_newtable(L);
  set_number(L, "samples", double(found.moments.count));
  set_number(L, "mean", found.moments.mean);
  set_number(L, "deviation", found.moments.deviation);
  for (size_t k = 0; k < quantile_levels.size(); ++k) set_number(L, names[k], found.quantiles[k]);
  lua_newtable(L);
  const StudyLayout& layout = table.layout();
  for (size_t k = 0; k < layout.parameters.size(); ++k)
    if (layout.parameters[k].labels.empty())
      set_number(L, layout.parameters[k].name.c_str(), found.parameters[k].rank);
  lua_setfield(L, -2, "rank_correlations");
  if (found.sensitivities.empty()) return 1;
  lua_newtable(L);
  for (size_t i = 0; i < found.sensitivities.size(); ++i) {
    lua_newtable(L);
    set_number(L, "first", found.sensitivities[i].first);
    set_number(L, "total", found.sensitivities[i].total);
    lua_setfield(L, -2, all.axes[i].c_str());
  }
  lua_setfield(L, -2, "sensitivities");
  return 1;
}

// Implements study:failures().
int failures(lua_State* L) {
  const StudyReader table(study_at(L, "study:failures()").path);
  const StudyLayout& layout = table.layout();
  Sandbox::of(L).charge(L, (long long)(layout.rows()));
  const StudyStatistics all = study_statistics(table, {});
  lua_newtable(L);
  set_number(L, "samples", double(all.run));
  set_number(L, "failed", double(all.failed));
  set_number(L, "rate", all.run > 0 ? double(all.failed) / double(all.run) : std::nan(""));
  set_number(L, "rate_from", all.failure.from);
  set_number(L, "rate_to", all.failure.to);
  lua_newtable(L);
  lua_Integer n = 0;
  for (const FailureKind& kind : table.failures()) {
    push(L, kind.message);
    lua_rawseti(L, -2, ++n);
  }
  lua_setfield(L, -2, "messages");
  return 1;
}

// Implements study:export(file).
int export_table(lua_State* L) {
  constexpr const char* method = "study:export(file)";
  const StudyObject& study = study_at(L, method);
  const Place place{method, "the file"};
  const std::filesystem::path out =
      output_path(study_access(L, method), name_at(L, 2, place), {".csv"}, place);
  Sandbox::of(L).untimed([&] { export_csv(StudyReader(study.path), out); });
  push(L, out.string());
  return 1;
}

// Implements study:draw(file, { picture =, outcomes = }).
int draw_table(lua_State* L) {
  constexpr const char* method = "study:draw(file)";
  const StudyObject& study = study_at(L, method);
  const StudyAccess& access = study_access(L, method);
  if (!access.draw) throw Error("study:draw(file) is not available here; run 'torsor study show'");
  const Place place{method, "the file"};
  const std::filesystem::path out =
      output_path(access, name_at(L, 2, place), {".svg", ".png"}, place);
  complete_options(L, 3);
  const TableReader options(L, 3, {method, ""}, {"picture", "outcomes"});
  const std::vector<std::string> outcomes =
      options.has("outcomes") ? options.texts("outcomes") : std::vector<std::string>{};
  const std::string picture = options.text_or("picture", "histograms");
  Sandbox::of(L).untimed([&] { access.draw(study.path, outcomes, picture, out); });
  push(L, out.string());
  return 1;
}

}  // namespace

void add_study_functions(lua_State* L) {
  constexpr Function methods[] = {
      {"column", guarded<column_values>}, {"draw", guarded<draw_table>},
      {"export", guarded<export_table>},  {"failures", guarded<failures>},
      {"path", guarded<table_path>},      {"statistics", guarded<outcome_statistics>}};
  make_type(L, study_type, methods);
  constexpr Function functions[] = {{"study", guarded<run_study>}};
  add_functions(L, functions);
}

}  // namespace torsor::lua
