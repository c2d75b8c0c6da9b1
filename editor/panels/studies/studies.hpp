#pragma once
// The panel Studies: the table of a study, diagrams and statistics of its outcomes, and the runs of
// its samples.

#include <chrono>
#include <optional>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/panels/studies/derived.hpp"
#include "editor/panels/studies/row_filter.hpp"
#include "editor/panels/studies/study_picture.hpp"
#include "torsor/study/statistics/study_statistics.hpp"

namespace torsor::editor {

struct StudiesPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  void begin_frame(Editor& editor) override;
  bool up_to_date() const override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  // The table to read. A larger number makes it read again.
  struct Source {
    std::filesystem::path file;  // "": none
    int version = 0;
    bool operator==(const Source&) const = default;
  };
  struct SelectionKey {
    std::shared_ptr<const StudyData> data;
    RowRequest request;
    bool operator==(const SelectionKey&) const = default;
  };
  struct StatisticsKey {
    std::shared_ptr<const StudyData> data;
    std::string outcome;
    bool operator==(const StatisticsKey&) const = default;
  };
  using DataPointer = std::shared_ptr<const StudyData>;

  Source source;
  RowRequest rows;
  std::string columns;               // part of the names of the columns that are shown
  std::optional<uint64_t> selected;  // sample
  bool scrolls_to_selected = false;  // true: the table shows the selected row
  StudyDiagram diagram = StudyDiagram::histogram;
  std::string x, y;                       // columns of the diagram
  std::optional<Range> x_range, y_range;  // zoomed; none: fitted
  float table_part = 0.5f;                // of the width of the panel
  ScatterCells cells;
  std::string typed_filter;  // text of the field, which may be invalid

  // The values that are computed in the background. Each one may be that of an earlier frame, and
  // refers to the data from which it was computed.
  Derived<Source, DataPointer> table;
  Derived<SelectionKey, std::pair<DataPointer, RowSelection>> selection;
  Derived<PictureRequest, StudyPicture> picture;
  Derived<StatisticsKey, std::pair<DataPointer, StudyStatistics>> statistics;

  // Returns the data of the table, or null.
  DataPointer data() const { return table.value() ? *table.value() : nullptr; }
  // Returns the rows on display and their data, or null.
  std::shared_ptr<const std::pair<DataPointer, RowSelection>> shown() const {
    return selection.value();
  }

 private:
  void look_for_changes();
  void choose_columns();

  std::chrono::steady_clock::time_point next_look_{};
  DataPointer seen_;  // data of the last frame
  std::string reported_;
};

// Returns the data. Throws Error if no study is open.
const StudyData& need_study(const StudiesPanel& panel);

}  // namespace torsor::editor
