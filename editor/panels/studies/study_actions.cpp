#include "editor/panels/studies/study_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/panels/studies/open_sample.hpp"
#include "editor/panels/studies/studies.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"

namespace torsor::editor {

namespace {

StudiesPanel& panel_of(Editor& editor) {
  return editor.panel<StudiesPanel>();
}
StudiesPanel& panel_with_study(Editor& editor) {
  (void)need_study(panel_of(editor));
  return panel_of(editor);
}

void open_study(Editor& editor, const Arguments& arguments) {
  const std::filesystem::path file = arguments.text(0, "FILE");
  if (const std::string why = why_no_file(file); !why.empty())
    throw Error(fmt::format("{}: {}", file.string(), why));
  StudiesPanel& panel = panel_of(editor);
  panel.source = {file, panel.source.version + 1};
  editor.open_dialog.shown = false;
  bring_to_front(editor.settings, panel_row("studies"));
}

void reload_study(Editor& editor, const Arguments&) {
  if (panel_of(editor).source.file.empty()) throw Error("no study is open");
  ++panel_of(editor).source.version;
}

void sort_rows(Editor& editor, const Arguments& arguments) {
  StudiesPanel& panel = panel_with_study(editor);
  const std::string& column = need_study(panel).require(arguments.text(0, "COLUMN")).name;
  const std::string order = arguments.size() > 1 ? arguments.text(1, "ORDER") : "ascending";
  if (order != "ascending" && order != "descending")
    throw Error(fmt::format("ORDER is '{}'; use ascending or descending", order));
  panel.rows.sorted = column;
  panel.rows.descending = order == "descending";
}

void filter_rows(Editor& editor, const Arguments& arguments) {
  StudiesPanel& panel = panel_with_study(editor);
  const std::string text = arguments.size() > 0 ? arguments.text(0, "CONDITIONS") : "";
  (void)RowFilter(need_study(panel), text);  // throws Error if it is invalid
  panel.rows.filter = panel.typed_filter = text;
}

void show_status(Editor& editor, const Arguments& arguments) {
  StudiesPanel& panel = panel_with_study(editor);
  const std::string& wanted = arguments.text(0, "STATUS");
  std::vector<std::string> names;
  for (int k = 0; k < n_sample_statuses; ++k) {
    names.emplace_back(name(SampleStatus(k)));
    if (names.back() != wanted) continue;
    bool& shown = panel.rows.statuses[size_t(k)];
    shown = arguments.size() > 1 ? arguments.flag(1, "on|off") : !shown;
    return;
  }
  throw Error(fmt::format("there is no status '{}'{}", wanted, did_you_mean(wanted, names)));
}

void show_columns(Editor& editor, const Arguments& arguments) {
  panel_of(editor).columns = arguments.size() > 0 ? arguments.text(0, "TEXT") : "";
}

uint64_t sample_of(const StudyData& data, const Arguments& arguments) {
  const double sample = arguments.number(0, "SAMPLE");
  if (data.rows() == 0) throw Error("the table has no samples");
  if (!(sample >= 0 && sample < 0x1p53 && sample == std::floor(sample)) ||
      !data.row_of(uint64_t(sample)))
    throw Error(fmt::format("the table has no sample {}; its samples are {} to {}", sample,
                            data.sample(0), data.sample(data.rows() - 1)));
  return uint64_t(sample);
}

void select_sample(Editor& editor, const Arguments& arguments) {
  StudiesPanel& panel = panel_with_study(editor);
  panel.selected = sample_of(need_study(panel), arguments);
  panel.scrolls_to_selected = true;
}

void show_diagram(Editor& editor, const Arguments& arguments) {
  const std::string& kind = arguments.text(0, "DIAGRAM");
  constexpr const char* names[] = {"histogram", "scatter", "bands"};
  const auto found = std::ranges::find(names, kind);
  if (found == std::end(names))
    throw Error(fmt::format("there is no diagram '{}'; use histogram, scatter or bands", kind));
  StudiesPanel& panel = panel_of(editor);
  panel.diagram = StudyDiagram(found - names);
  panel.x_range.reset();
  panel.y_range.reset();
}

void set_outcome(Editor& editor, const Arguments& arguments) {
  StudiesPanel& panel = panel_with_study(editor);
  panel.y = need_study(panel).require(arguments.text(0, "COLUMN")).name;
  panel.y_range.reset();
  if (panel.diagram == StudyDiagram::histogram) panel.x_range.reset();
}

void set_over(Editor& editor, const Arguments& arguments) {
  StudiesPanel& panel = panel_with_study(editor);
  panel.x = need_study(panel).require(arguments.text(0, "COLUMN")).name;
  panel.x_range.reset();
}

void run_sample(Editor& editor, const Arguments& arguments) {
  const StudyData& data = need_study(panel_of(editor));
  const auto selected = panel_of(editor).selected;
  if (arguments.size() == 0 && !selected) throw Error("no sample is selected");
  const uint64_t sample = arguments.size() > 0 ? sample_of(data, arguments) : *selected;
  open_sample(editor, data, sample, arguments.size() > 1 ? arguments.text(1, "SCENE") : "");
  panel_of(editor).selected = sample;
  // Show the robots if the table covers them.
  if (state_of(editor.settings, panel_row("studies")).pane ==
      state_of(editor.settings, panel_row("view")).pane)
    bring_to_front(editor.settings, panel_row("view"));
}

constexpr Action study_action_rows[] = {
    {"study.open", "Open the table of a study", "FILE", open_study},
    {"study.reload", "Read the table of the study again", "", reload_study},
    {"study.scene", "Open the scene of the study with its nominal values", "",
     [](Editor& e, const Arguments&) { open_study_scene(e, need_study(panel_of(e))); }},
    {"study.sample", "Open the run of a sample", "[SAMPLE] [SCENE]", run_sample},
    {"study.select", "Select a sample", "SAMPLE", select_sample},
    {"study.sort", "Sort the samples by a column", "COLUMN [ascending|descending]", sort_rows},
    {"study.filter", "Show only samples that satisfy conditions", "[CONDITIONS]", filter_rows},
    {"study.status", "Show or hide the samples with a status", "STATUS [on|off]", show_status},
    {"study.columns", "Show only columns whose names contain a text", "[TEXT]", show_columns},
    {"study.plot", "Select the diagram of the study", "histogram|scatter|bands", show_diagram},
    {"study.outcome", "Select the outcome of the diagram and the statistics", "COLUMN",
     set_outcome},
    {"study.over", "Select the column on the x axis of the diagram", "COLUMN", set_over},
};

}  // namespace

std::span<const Action> study_actions() {
  return study_action_rows;
}

}  // namespace torsor::editor
