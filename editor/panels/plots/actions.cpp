// The actions of the plots panel.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/panels/energy/energy.hpp"
#include "editor/panels/panel.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/panels/plots/plots.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/csv_file.hpp"

namespace torsor::editor {

namespace {

constexpr std::chrono::seconds patience(2);  // maximum wait for the samples to export

PlotsPanel& present(Editor& editor) {
  need_scene(editor);
  return editor.panel<PlotsPanel>();
}

size_t index_of(const PlotsPanel& panel, const Arguments& arguments, size_t k) {
  const double index = arguments.number(k, "INDEX");
  if (index != std::floor(index) || index < 1 || index > double(panel.plots.size()))
    throw Error(panel.plots.empty()
                    ? "there is no plot; add one"
                    : fmt::format("INDEX is {}; use 1 to {}", index, panel.plots.size()));
  return size_t(index) - 1;
}

void add(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  const std::string& signal = arguments.text(0, "SIGNAL");
  panel.catalogue.require(signal);
  if (arguments.size() < 2) {
    panel.plots.push_back({.signals = {signal}});
    return;
  }
  const size_t plot = index_of(panel, arguments, 1);
  std::vector<std::string>& shown = panel.plots[plot].signals;
  if (std::ranges::find(shown, signal) != shown.end())
    throw Error(fmt::format("plot {} shows '{}' already", plot + 1, signal));
  shown.push_back(signal);
}

void remove(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  const auto plot = panel.plots.begin() + long(index_of(panel, arguments, 0));
  if (arguments.size() < 2) {
    panel.plots.erase(plot);
    return;
  }
  const std::string& signal = arguments.text(1, "SIGNAL");
  if (std::erase(plot->signals, signal) == 0)
    throw Error(
        fmt::format("the plot has no signal '{}'{}", signal, did_you_mean(signal, plot->signals)));
}

void draw_over(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  PlotsPanel::Shown& plot = panel.plots[index_of(panel, arguments, 0)];
  const std::string& signal = arguments.text(1, "SIGNAL|time");
  if (signal != "time") panel.catalogue.require(signal);
  plot.over = signal == "time" ? "" : signal;
  plot.x.reset();
}

void set_equal(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  PlotsPanel::Shown& plot = panel.plots[index_of(panel, arguments, 0)];
  const bool equal = arguments.flag(1, "on|off");
  if (plot.over.empty())
    throw Error("the plot is over time; make it a phase portrait with plot.over first");
  plot.equal = equal;
}

void measure(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  panel.measured.reset();
  if (arguments.size() == 0) return;
  const double from = arguments.number(0, "FROM"), to = arguments.number(1, "TO");
  if (from == to)
    throw Error(fmt::format("FROM and TO are both {} s; choose two different times", from));
  panel.measured = {kept_time(editor, from), kept_time(editor, to)};
}

void zoom_plots(Editor& editor, const Arguments& arguments) {
  const double from = arguments.number(0, "FROM"), to = arguments.number(1, "TO");
  if (!(from < to))
    throw Error(fmt::format("FROM is {} s and TO is {} s; TO must be later", from, to));
  present(editor).time = usable({from, to});
}

void fit_plots(Editor& editor, const Arguments&) {
  PlotsPanel& panel = present(editor);
  panel.time.reset();
  for (PlotsPanel::Shown& plot : panel.plots) {
    plot.value.clear();
    plot.x.reset();
  }
  editor.panel<EnergyPanel>().value.clear();
}

// Waits until the signals to export are sampled.
void need_samples(Editor& editor) {
  editor.want_samples();
  if (!editor.sampler.wait(patience))
    throw Error("the signals are still being sampled; export again in a moment");
}

struct Table {
  std::vector<Column> columns{{"time", "s", ""}};
  std::vector<double> time;
  std::vector<Series> values;
};

// Adds the columns of a signal or column name. All signals are sampled at the same states.
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

// Returns the samples in the time range of the plots.
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
  if (!drawn.whole)
    throw Error("the plot is only partly visible; scroll to it or enlarge the panel");
  editor.screenshot = ScreenshotRequest{file, drawn.at.x, drawn.at.y, drawn.end.x - drawn.at.x,
                                        drawn.end.y - drawn.at.y};
}

void save(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  const std::filesystem::path file = editor.output_file(arguments.text(0, "FILE"));
  const std::optional<size_t> one =
      arguments.size() > 1 ? std::optional(index_of(panel, arguments, 1)) : std::nullopt;
  if (file.extension() != ".csv" && file.extension() != ".png")
    throw Error(fmt::format("FILE is '{}'; it must end in .csv or .png", file.string()));
  need_samples(editor);
  if (file.extension() == ".png")
    save_png(editor, file, one ? panel.plots[*one].drawn : panel.drawn);
  else
    save_csv(editor, file, one ? std::span(&panel.plots[*one], 1) : std::span(panel.plots));
}

constexpr Action plots_action_rows[] = {
    {"plot.add", "Plot a signal in a new or an existing plot", "SIGNAL [INDEX]", add},
    {"plot.remove", "Remove a plot or one of its signals", "INDEX [SIGNAL]", remove},
    {"plot.clear", "Remove all plots", "",
     [](Editor& e, const Arguments&) { present(e).plots.clear(); }},
    {"plot.zoom", "Zoom all plots to a time range", "FROM TO", zoom_plots},
    {"plot.over", "Plot over another signal (phase portrait) or over time", "INDEX SIGNAL|time",
     draw_over},
    {"plot.equal", "Use equal scales on both axes of a phase portrait", "INDEX on|off", set_equal},
    {"plot.measure", "Place two cursors and show the differences; without times, remove them",
     "[FROM TO]", measure},
    {"plot.fit", "Fit all plots to the whole run", "", fit_plots},
    {"plot.save", "Export plots as .csv or .png", "FILE [INDEX]", save},
};

}  // namespace

std::optional<std::vector<std::string>> PlotsPanel::candidates(Editor& editor, const Action&,
                                                               std::string_view word,
                                                               const Arguments&) {
  if (word != "SIGNAL" || !editor.has_scene()) return std::nullopt;
  return names_of(catalogue.signals());
}

std::span<const Action> PlotsPanel::actions() {
  return plots_action_rows;
}

}  // namespace torsor::editor
