// torsor sweep SCENE: runs a scene with every combination of parameter values and prints a table of
// the results.

#include "torsor/cli/commands/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_set>

#include "torsor/base/output_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/pages/signals.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/cli/support/load_recording.hpp"
#include "torsor/cli/support/record.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::cli {

namespace {

struct Variant {
  std::vector<std::pair<std::string, std::string>> values;
  std::filesystem::path recording;
  bool is_recorded = false;
  std::string failure;              // why there are no metrics, or ""
  std::vector<std::string> doubts;  // warnings about the result
  std::vector<ControlMetrics> metrics;

  std::string label() const {
    std::string out;
    for (const auto& [name, value] : values)
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
    return out;
  }
};

bool fits(const SceneParameter& parameter, const std::string& text) {
  if (std::holds_alternative<std::string>(parameter)) return true;
  if (std::holds_alternative<bool>(parameter)) return text == "true" || text == "false";
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() && std::isfinite(value);
}

Variation variation(const std::string& name, const std::string& list, const Experiment& base) {
  std::vector<std::string> names;
  for (const auto& [each, value] : base.parameters) names.push_back(each);
  const auto parameter = base.parameters.find(name);
  if (parameter == base.parameters.end())
    throw Error(fmt::format("--vary {}: the scene has no parameter of this name; there are: {}{}",
                            name,
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                            did_you_mean(name, names)));
  Variation out{name, CLI::detail::split(list, ',')};
  std::unordered_set<std::string_view> seen;
  for (const std::string& value : out.values) {
    if (value.empty())
      throw Error(
          fmt::format("--vary {}={}: a value is empty; separate values by commas", name, list));
    if (!fits(parameter->second, value))
      throw Error(fmt::format(
          "--vary {}={}: '{}' is not {}, the type of the parameter in the scene", name, list, value,
          std::holds_alternative<bool>(parameter->second) ? "true or false" : "a number"));
    if (!seen.insert(value).second)
      throw Error(fmt::format("--vary {}={}: {} is given twice", name, list, value));
  }
  return out;
}

std::vector<Variation> variations(const SweepOptions& options, const Experiment& base) {
  if (options.vary.empty()) return open_variants(base, options.settings);
  const auto set = read_settings(options.settings);
  std::vector<Variation> out;
  for (const std::string& text : options.vary) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(
          fmt::format("--vary {}: it must be NAME=VALUE,VALUE, as in --vary payload=0,2", text));
    const std::string name = text.substr(0, equals);
    if (set.count(name) > 0)
      throw Error(
          fmt::format("--vary {}: '{}' is also given with --set: use one of the two", text, name));
    for (const Variation& other : out)
      if (other.parameter == name)
        throw Error(fmt::format("--vary {}: '{}' is varied twice", text, name));
    out.push_back(variation(name, text.substr(equals + 1), base));
  }
  return out;
}

// Converts a string to a part of a file name. Replaces every character that is not allowed by '_'.
std::string file_part(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        std::string_view("=+-._").find(c) == std::string_view::npos)
      c = '_';
  return text;
}

constexpr double most_variants = 10'000;

// Throws Error if the grid has too many variants.
void require_moderate_grid(const std::vector<Variation>& variations) {
  double count = 1;
  std::string sizes;
  for (const Variation& variation : variations) {
    count *= double(variation.values.size());
    sizes += fmt::format("{}{} of {}", sizes.empty() ? "" : ", ",
                         counted(variation.values.size(), "value"), variation.parameter);
  }
  if (count > most_variants)
    throw Error(
        fmt::format("the grid has {:.6g} variants ({}), more than the limit of {}; vary fewer "
                    "parameters at a time, or give fewer values: --vary NAME=VALUE,.. takes the "
                    "place of the scene's variants, and --set NAME=VALUE fixes one",
                    count, sizes, most_variants));
}

// Returns all combinations of the values. The value of the last parameter changes fastest.
std::vector<Variant> combinations(const SweepOptions& options,
                                  const std::vector<Variation>& variations) {
  require_moderate_grid(variations);
  std::vector<Variant> out(1);
  for (const Variation& variation : variations) {
    std::vector<Variant> longer;
    for (const Variant& variant : out)
      for (const std::string& value : variation.values)
        longer.emplace_back(variant).values.emplace_back(variation.parameter, value);
    out = std::move(longer);
  }
  std::set<std::filesystem::path> files;
  for (Variant& variant : out) {
    std::string name = std::filesystem::path(options.scene).stem().string();
    for (const auto& [parameter, value] : variant.values)
      name += file_part(fmt::format("-{}={}", parameter, value));
    variant.recording = options.out / (name + "." + options.format);
    if (!files.insert(variant.recording).second)
      throw Error(
          fmt::format("two variants would be recorded in '{}': their values differ only in "
                      "characters that a file name cannot have",
                      variant.recording.string()));
  }
  return out;
}

// Returns the parameter values of the scene for a variant.
Overrides settings_of(const Variant& variant, const SweepOptions& options) {
  Overrides settings = read_settings(options.settings);
  for (const auto& [name, value] : variant.values) settings[name] = value;
  return settings;
}

// Runs a variant. Returns false if the run was interrupted.
bool run(Variant& variant, const SweepOptions& options, const Registry& registry,
         const std::string& what) {
  try {
    Script script(
        {.plugins = &registry, .stop = &interruption(), .permission = options.permission});
    Experiment experiment =
        with_settings(script.load_scene(options.scene, settings_of(variant, options)), options.run);
    if (!experiment.metrics) experiment.metrics = MetricsOptions{};
    RecordedRun recorded = recorded_run(std::move(experiment), options.scene, variant.recording);
    variant.is_recorded = true;
    Progress progress;
    if (!execute(recorded, options.scene, progress, what)) {
      variant.failure = "interrupted";
      return false;
    }
    variant.metrics = recorded.run().metrics()->result();
    variant.doubts = warnings_of(recorded.run(), recorded.experiment());
  } catch (const Error& error) {
    variant.failure = was_interrupted() ? "interrupted" : error.what();
  }
  return !was_interrupted();
}

void print_variants(const SweepOptions& options, const std::vector<Variant>& variants) {
  std::vector<Cells> rows{{"variant", "control"}};
  const Cells heads = metrics_heads(), nothing = metrics_cells({});
  rows[0].insert(rows[0].end(), heads.begin(), heads.end());
  std::vector<std::string> reasons;
  const auto add = [&](const Variant& variant, const std::string& control, const Cells& cells) {
    Cells& row = rows.emplace_back(Cells{variant.label(), control});
    row.insert(row.end(), cells.begin(), cells.end());
  };
  for (const Variant& variant : variants) {
    if (!variant.failure.empty()) {
      rows.push_back({variant.label(), "failed: " + variant.failure});
      continue;
    }
    if (variant.metrics.empty()) {
      add(variant, "-", nothing);
      constexpr const char* why =
          "no control: metrics are of controls; add one with robot:control{...}";
      if (!std::ranges::count(reasons, why)) reasons.emplace_back(why);
    }
    for (const ControlMetrics& of : variant.metrics) {
      add(variant, fmt::format("{}.{}", of.robot, of.control), metrics_cells(of.all));
      add_reasons(of.why_undefined, reasons);
    }
  }
  print_table(rows, 2, "");
  print_reasons(reasons, "");
  const std::string scene = std::filesystem::path(options.scene).stem().string();
  fmt::print("recordings   {}\n", (options.out / (scene + "-*." + options.format)).string());
}

nlohmann::ordered_json typed(const SceneParameter& parameter, const std::string& text) {
  if (std::holds_alternative<double>(parameter)) return std::stod(text);
  if (std::holds_alternative<bool>(parameter)) return text == "true";
  return text;
}

void print_json(const SweepOptions& options, const Experiment& base,
                const std::vector<Variant>& variants) {
  nlohmann::ordered_json json{{"scene", options.scene}, {"variants", nlohmann::json::array()}};
  for (const Variant& variant : variants) {
    nlohmann::ordered_json entry{
        {"parameters", nlohmann::json::object()}, {"recording", nullptr}, {"failure", nullptr}};
    for (const auto& [name, value] : variant.values)
      entry["parameters"][name] = typed(base.parameters.at(name), value);
    if (variant.is_recorded) entry["recording"] = variant.recording.string();
    if (!variant.failure.empty()) entry["failure"] = variant.failure;
    if (!variant.doubts.empty())
      entry["warning"] = fmt::format("{}", fmt::join(variant.doubts, "; "));
    entry["metrics"] = variant.failure.empty() ? describe(variant.metrics) : nullptr;
    json["variants"].push_back(entry);
  }
  const std::string text =
      json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), stdout);  // flush_output() reports write errors
}

bool has_values(const Recording& recording, size_t column) {
  for (size_t k = column; k < recording.values.size(); k += recording.columns.size())
    if (std::isfinite(recording.values[k])) return true;
  return false;
}

// Adds the curves of a variant to the panels. Each column of a signal has its own panel. n: the
// number of variants. Only the points of the curves stay in memory, not the recording.
void add_curves(const Variant& variant, const std::vector<std::string>& signals, size_t n,
                std::vector<DrawnPanel>& panels) {
  const Recording recording = load_recording(variant.recording);
  const std::vector<size_t> columns = columns_of(signals, recording, variant.recording.string());
  for (const size_t k : columns) {
    if (!has_values(recording, k)) continue;
    const Column& column = recording.columns[k];
    const std::string axis = fmt::format("{} [{}]", column.name, column.unit);
    auto panel = std::ranges::find(panels, axis, &DrawnPanel::axis);
    if (panel == panels.end()) panel = panels.insert(panel, {axis, {}});
    panel->curves.push_back(
        drawn_curve(variant.label(), recording, k, points_of_each(n * columns.size())));
  }
}

void draw_variants(const SweepOptions& options, const std::vector<Variant>& variants) {
  std::vector<DrawnPanel> panels;
  for (const Variant& variant : variants)
    if (variant.is_recorded) add_curves(variant, options.signals, variants.size(), panels);
  if (panels.empty())
    throw Error("--plot: there is nothing to plot: no variant has a value of the signals");
  draw(panels, options.plot);
}

// Throws Error if the settings are invalid for every variant.
void check_settings(const SweepOptions& options, const Experiment& base) {
  RunSettings settings = options.run;
  // The duration and the changes may differ between variants. Therefore positive values of dt and
  // duration are checked later, for each variant.
  if (settings.dt && *settings.dt > 0) settings.dt.reset();
  if (settings.duration && *settings.duration > 0) settings.duration.reset();
  with_settings(base, settings);
  require_solver(*base.plugins, settings.solver);
}

// Throws Error if --signals contains a signal that the first variant does not record.
void check_signals(const SweepOptions& options, const Registry& registry, const Variant& first) {
  if (options.signals.empty()) return;
  std::optional<Experiment> experiment;
  try {
    experiment =
        load_scene(options.scene, settings_of(first, options), &registry, options.permission);
  } catch (const Error&) {
    return;  // the table of results will report the error
  }
  Recording recording;
  recording.columns = Recorder(*experiment->model, experiment->record, experiment->compare,
                               experiment->load.controls, experiment->load.sensors)
                          .columns();
  columns_of(options.signals, recording, options.scene);
}

void check_files(const SweepOptions& options) {
  if (options.plot.empty() != options.signals.empty())
    throw Error(options.plot.empty() ? "--signals: they are drawn with --plot FILE; add this option"
                                     : "--plot: name the signals to draw, as in --signals iiwa.q");
  if (options.plot.empty()) return;
  require_picture("--plot", options.plot);
  require_writable(options.plot);
}

// Returns a note for the error report that is printed if a plugin crashes in variant k.
std::string fault_note(size_t k, const std::vector<Variant>& variants,
                       const SweepOptions& options) {
  const std::string place =
      fmt::format("it was variant {} of {}, {}", k + 1, variants.size(), variants[k].label());
  return k == 0 ? place
                : fmt::format(
                      "{}; the recordings of the variants before are in '{}', with their metrics",
                      place, options.out.string());
}

}  // namespace

std::vector<Variation> open_variants(const Experiment& experiment,
                                     const std::vector<std::string>& settings) {
  const auto set = read_settings(settings);
  std::vector<Variation> out = experiment.variants;
  std::erase_if(out,
                [&](const Variation& variation) { return set.count(variation.parameter) > 0; });
  return out;
}

void sweep(const SweepOptions& options) {
  check_files(options);
  const Registry registry = require_plugins(options.plugins);
  const Experiment base =
      load_scene(options.scene, read_settings(options.settings), &registry, options.permission);
  const std::vector<Variation> varied = variations(options, base);
  if (varied.empty())
    throw Error(
        fmt::format("{}: no parameter varies: use --vary NAME=VALUE,VALUE, or variants = {{ NAME = "
                    "{{..}} }} in its experiment",
                    options.scene));
  std::vector<Variant> variants = combinations(options, varied), done;
  check_settings(options, base);
  check_signals(options, registry, variants.front());
  for (const std::string& warning : base.model->warnings) print_message("warning: " + warning);
  bool whole = true;
  std::optional<Interruptible> interruptible(std::in_place);
  for (size_t k = 0; k < variants.size() && whole; ++k) {
    const std::string note = fault_note(k, variants, options);
    const ActivityScope runs({.subject = options.scene.c_str(), .note = note.c_str()});
    whole = run(variants[k], options, registry, fmt::format("{} of {}  ", k + 1, variants.size()));
    done.push_back(variants[k]);
  }
  if (options.json)
    print_json(options, base, done);
  else
    print_variants(options, done);
  for (const Variant& variant : done)
    for (const std::string& doubt : variant.doubts)
      print_message(fmt::format("warning: {}: {}: {}", options.scene, variant.label(), doubt));
  if (!whole)
    throw Interrupted(fmt::format("interrupted in variant {} of {}", done.size(), variants.size()));
  // All data are saved, and drawing may take long. From here on, Ctrl+C ends the process at once.
  interruptible.reset();
  if (!options.plot.empty()) draw_variants(options, done);
  const auto failed = std::count_if(done.begin(), done.end(),
                                    [](const Variant& each) { return !each.failure.empty(); });
  if (failed > 0)
    throw Error(
        fmt::format("{} of {} variants failed; the table lists the reasons", failed, done.size()));
}

void add_sweep_command(CLI::App& app) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand(
      "sweep", "Run variants of a scene, and compare their controls in one table");
  command->add_option("SCENE", options->scene, "scene, a .lua file that returns an experiment")
      ->required();
  command
      ->add_option("--vary", options->vary,
                   "values of a parameter of the scene; may be repeated: every combination runs; "
                   "by default, the variants of the scene")
      ->type_name("NAME=VALUE,...");
  add_set_option(*command, options->settings);
  command->add_option("--folder", options->out, "folder to write to, for the recordings")
      ->type_name("FOLDER")
      ->capture_default_str();
  add_format_option(*command, options->format);
  add_run_settings(*command, options->run);
  command
      ->add_option(
          "--plot", options->plot,
          "picture to write, .svg or .png: the signals of --signals, one curve for each variant")
      ->type_name("FILE");
  add_names_option(*command, "--signals", options->signals, "NAME,...", "recorded signals to draw");
  add_json_flag(*command, options->json);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->allow_plugins);
  command->footer(
      "Prints a row for each variant and control: errors, settling time, torques and works of all "
      "joints. scripts/README.md defines them. A variant that fails is a row with the reason, and "
      "the exit status is then 2.\n"
      "Example: torsor sweep scenes/payload_robustness.lua --vary law=pid,adaptive --vary "
      "payload=0,3");
  command->callback([options] {
    options->permission = command_permission(options->allow_plugins);
    sweep(*options);
  });
}

}  // namespace torsor::cli
