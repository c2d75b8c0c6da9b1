#pragma once
// The content of the diagrams of a study. Points are reduced to pixels, so that any number of
// samples can be drawn.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "editor/panels/studies/row_filter.hpp"
#include "editor/plot/axis.hpp"
#include "torsor/study/statistics/shape.hpp"

namespace torsor::editor {

enum class StudyDiagram { histogram, scatter, bands };

struct PictureRequest {
  std::shared_ptr<const StudyData> data;
  std::shared_ptr<const RowSelection> selection;
  StudyDiagram diagram = StudyDiagram::histogram;
  std::string x, y;  // names of columns
  bool operator==(const PictureRequest&) const = default;
};

struct StudyPicture {
  PictureRequest of;
  size_t points = 0;  // number of rows whose values are all finite
  Extremes x, y;      // of these rows
  Histogram histogram;
  std::vector<Band> bands;
};
// Columns that do not exist give an empty picture.
StudyPicture study_picture(const PictureRequest& request);

// Points of a scatter diagram within squares of some pixels.
struct ScatterCell {
  float x, y;      // position of one of the points in pixels of the screen
  uint32_t count;  // number of points
  uint32_t row;    // row of this point
};
// The cells of the last drawing. They are computed again if the axes change.
struct ScatterCells {
  std::shared_ptr<const StudyPicture> picture;
  Axis x_axis{}, y_axis{};
  float size = 1;  // of the squares in pixels
  std::vector<ScatterCell> cells;
  uint32_t most = 0;  // largest count
};
// Returns the position of a row in a scatter diagram, in units of the columns. Points of a column
// with labels are spread to the sides of the label, so that they do not cover one another.
double scatter_position(const StudyData& data, const StudyField& field, size_t row);
void update_cells(ScatterCells& cells, const std::shared_ptr<const StudyPicture>& picture,
                  const Axis& x_axis, const Axis& y_axis, float size);

}  // namespace torsor::editor
