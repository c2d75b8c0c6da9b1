// torsor plot RUN: plots signals of a recording over time as a picture.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/pages/gnuplot.hpp"
#include "torsor/cli/pages/signals.hpp"
#include "torsor/cli/support/load_recording.hpp"

namespace torsor::cli {

namespace {

struct PlotOptions {
  std::string run, out;
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

void plot(const PlotOptions& options) {
  require_picture("--out", options.out);
  const Recording recording = load_recording(options.run);
  const std::vector<size_t> columns = columns_of(options.signals, recording, options.run);
  check_values(recording, columns);
  draw(recording, panels_by_unit(recording, columns), options.out);
  fmt::print("{}: {} of {}\n", options.out, counted(columns.size(), "curve"),
             counted(recording.rows(), "row"));
}

}  // namespace

void add_plot_command(CLI::App& app) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Draw signals of a recording over time");
  command->add_option("RUN", options->run, "recording, a .h5 or .csv file")->required();
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
