#include "editor/panels/plots/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/session.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/csv_file.hpp"

namespace torsor::editor {

namespace {

constexpr std::chrono::seconds patience(2);  // maximum time to wait for samples

// Waits until all plotted signals are sampled. Throws Error if this takes too long.
void need_samples(Editor& editor) {
  editor.request_samples();
  if (!editor.sampler.wait(patience))
    throw Error("the signals are still being sampled; export again in a moment");
}

struct Table {
  std::vector<Column> columns{{"time", "s", ""}};
  std::vector<double> time;
  std::vector<Series> values;
};

// Adds the columns that a name selects: all columns of a signal, or one column. Skips columns that
// the table already has. All signals are sampled at the same states, so they share the times.
void add_to(Table& table, const Editor& editor, const std::string& name) {
  const PlotsPanel& panel = editor.panel<PlotsPanel>();
  panel.catalogue.require(name);
  const SignalPart& part = *panel.catalogue.find(name);
  editor.sampler.read(panel.catalogue.signals()[part.signal].name, [&](const Samples& samples) {
    if (!samples.failure.empty()) throw Error(samples.failure);
    table.time = samples.time;
    for (size_t k = part.column; k < part.column + part.count; ++k) {
      const auto same = [&](const Column& column) {
        return column.name == samples.columns[k].name;
      };
      if (std::ranges::any_of(table.columns, same)) continue;
      table.columns.push_back(samples.columns[k]);
      table.values.push_back(samples.values[k]);
    }
  });
}

// Returns the range of samples whose times are within the time range of the plots.
SampleRange rows_seen(const Editor& editor, const std::vector<double>& time) {
  const Range seen = shown_time(editor);
  const auto first = std::ranges::lower_bound(time, seen.low),
             last = std::ranges::upper_bound(time, seen.high);
  return {size_t(first - time.begin()), size_t(last - time.begin())};
}

void save_csv(Editor& editor, const std::filesystem::path& file,
              std::span<const PlotsPanel::Shown> plots) {
  Table table;
  for (const PlotsPanel::Shown& plot : plots)
    for (const std::string& name : plot.columns()) add_to(table, editor, name);
  if (table.values.empty()) throw Error("the plot has no signal to export; add one");
  OutputFile out(file);
  CsvFile csv(out.part(), table.columns, file);
  std::vector<double> row(table.columns.size());
  const auto [begin, end] = rows_seen(editor, table.time);
  for (size_t i = begin; i < end; ++i) {
    row[0] = table.time[i];
    for (size_t k = 0; k < table.values.size(); ++k) row[1 + k] = table.values[k][i];
    csv.write(row);
  }
  csv.close();
  out.commit();
  editor.session.post(
      command::Report{{Problem::Kind::note,
                       fmt::format("{}: wrote {} of {}", file.string(), counted(end - begin, "row"),
                                   counted(table.columns.size(), "column"))}});
}

void save_png(Editor& editor, const std::filesystem::path& file, const PlotsPanel::Rect& drawn) {
  if (!in_front(editor.settings, panel_row("plots")))
    throw Error("the Plots panel is hidden; show it with 'panel.show plots' to export a picture");
  if (!drawn.fully_visible)
    throw Error("the plot is only partly visible; scroll to it or enlarge the panel");
  editor.screenshot = ScreenshotRequest{file, drawn.at.x, drawn.at.y, drawn.end.x - drawn.at.x,
                                        drawn.end.y - drawn.at.y};
}

}  // namespace

void export_plots(Editor& editor, const std::filesystem::path& file,
                  std::span<const PlotsPanel::Shown> plots, const PlotsPanel::Rect& drawn) {
  if (file.extension() != ".csv" && file.extension() != ".png")
    throw Error(fmt::format("FILE is '{}'; it must end in .csv or .png", file.string()));
  need_samples(editor);
  if (file.extension() == ".png")
    save_png(editor, file, drawn);
  else
    save_csv(editor, file, plots);
}

}  // namespace torsor::editor
