// torsor plot RUN...: plots signals of recordings over time as a picture.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "torsor/base/error.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/cli/pages/signals.hpp"
#include "torsor/cli/support/load_recording.hpp"
#include "torsor/run/recording_origin.hpp"

namespace torsor::cli {

namespace {

struct PlotOptions {
  std::vector<std::string> runs;
  std::string out;
  std::vector<std::string> signals;
};

// Throws Error if a column has no finite value, because gnuplot cannot draw a curve without points.
void check_values(const Recording& recording, const std::vector<size_t>& columns) {
  for (const size_t k : columns) {
    size_t finite = 0;
    for (size_t row = 0; row < recording.rows(); ++row)
      finite += std::isfinite(recording.values[row * recording.columns.size() + k]);
    if (finite == 0)
      throw Error(fmt::format("there is nothing to plot: none of the {1} values of '{0}' is finite",
                              recording.columns[k].name, recording.rows()));
    if (finite < recording.rows())
      print_message(
          fmt::format("warning: '{}' is not finite in {} of {} rows: its curve has gaps there",
                      recording.columns[k].name, recording.rows() - finite, recording.rows()));
  }
}

// Returns the names of the curves of each recording: the parameters of its scene that differ
// between the recordings, or the name of the file.
std::vector<std::string> labels_of(const std::vector<std::string>& runs) {
  std::vector<std::map<std::string, std::string>> settings;
  for (const std::string& run : runs) {
    const auto origin = read_origin(load_recording(run), run);
    settings.push_back(origin ? origin->settings : std::map<std::string, std::string>());
  }
  std::vector<std::string> out(runs.size());
  for (const auto& [name, value] : settings[0]) {
    const auto has_other = [&, key = name, first = value](const auto& each) {
      const auto found = each.find(key);
      return found != each.end() && found->second != first;
    };
    if (std::ranges::none_of(settings, has_other)) continue;
    for (size_t k = 0; k < runs.size(); ++k)
      if (const auto found = settings[k].find(name); found != settings[k].end())
        out[k] += fmt::format("{}{}={}", out[k].empty() ? "" : " ", name, found->second);
  }
  for (size_t k = 0; k < runs.size(); ++k)
    if (out[k].empty() || std::ranges::count(out, out[k]) > 1)
      out[k] = std::filesystem::path(runs[k]).stem().string();
  return out;
}

// Adds the curves of a recording to the panels. Each column of a signal has its own panel.
// Only the points of the curves stay in memory, not the recording.
void add_curves(const std::string& run, const std::string& label, const PlotOptions& options,
                std::vector<DrawnPanel>& panels) {
  const Recording recording = load_recording(run);
  const std::vector<size_t> columns = columns_of(options.signals, recording, run);
  check_values(recording, columns);
  for (const size_t k : columns) {
    const Column& column = recording.columns[k];
    const std::string axis = fmt::format("{} [{}]", column.name, column.unit);
    auto panel = std::ranges::find(panels, axis, &DrawnPanel::axis);
    if (panel == panels.end()) panel = panels.insert(panel, {axis, {}});
    panel->curves.push_back(
        drawn_curve(label, recording, k, points_of_each(options.runs.size() * columns.size())));
  }
}

// Plots several recordings: one curve for each, in a panel for each column of the signals.
void plot_runs(const PlotOptions& options) {
  const std::vector<std::string> labels = labels_of(options.runs);
  std::vector<DrawnPanel> panels;
  for (size_t k = 0; k < options.runs.size(); ++k)
    add_curves(options.runs[k], labels[k], options, panels);
  draw(panels, options.out);
  fmt::print("{}: {} of {}\n", options.out, counted(panels.size(), "signal"),
             counted(options.runs.size(), "recording"));
}

void plot(const PlotOptions& options) {
  require_picture("--out", options.out);
  if (options.runs.size() > 1) return plot_runs(options);
  const std::string& run = options.runs.at(0);
  const Recording recording = load_recording(run);
  const std::vector<size_t> columns = columns_of(options.signals, recording, run);
  check_values(recording, columns);
  draw(recording, panels_by_unit(recording, columns), options.out);
  fmt::print("{}: {} of {}\n", options.out, counted(columns.size(), "curve"),
             counted(recording.rows(), "row"));
}

}  // namespace

void add_plot_command(CLI::App& app) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Draw signals of recordings over time");
  command
      ->add_option("RUN", options->runs,
                   "recording, a .h5 or .csv file; several are drawn over each other")
      ->required();
  add_names_option(*command, "--signals", options->signals, "NAME,...",
                   "recorded signals to draw; iiwa.q is all its joints, iiwa.q.joint1 one of them")
      ->required();
  command->add_option("--out", options->out, "picture to write, .svg or .png")
      ->type_name("FILE")
      ->required();
  command->footer(
      "Signals of one unit share an axis. The recording of a run that is still active, or was "
      "killed, can also be drawn.\n"
      "Example: torsor plot recordings/iiwa_free_swing.h5 --signals iiwa.q,energy.kinetic --out "
      "swing.svg");
  command->callback([options] { plot(*options); });
}

}  // namespace torsor::cli
