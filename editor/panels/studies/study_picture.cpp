#include "editor/panels/studies/study_picture.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::editor {

namespace {

// The finite values of the selected rows.
struct FinitePoints {
  std::vector<double> x, y;
};

FinitePoints points_of(const PictureRequest& request, const StudyField* x, const StudyField& y) {
  FinitePoints out;
  const StudyData& data = *request.data;
  for (const uint32_t row : request.selection->rows) {
    const double to = data.value(y, row), from = x ? data.value(*x, row) : 0;
    if (!std::isfinite(to) || !std::isfinite(from)) continue;
    out.y.push_back(to);
    if (x) out.x.push_back(from);
  }
  return out;
}

Extremes extremes_of_values(const std::vector<double>& values) {
  Extremes out;
  for (const double value : values) out.include(value);
  return out;
}

// Returns the number of values of each label.
Histogram label_counts(const std::vector<double>& values, size_t labels) {
  Histogram out{.from = -0.5, .width = 1, .counts = std::vector<uint64_t>(labels)};
  for (const double value : values) ++out.counts.at(size_t(value));
  return out;
}

}  // namespace

StudyPicture study_picture(const PictureRequest& request) {
  StudyPicture out{.of = request, .x = {}, .y = {}, .histogram = {}, .bands = {}};
  const StudyField *x = request.data->find(request.x), *y = request.data->find(request.y);
  const bool over = request.diagram != StudyDiagram::histogram;
  if (!y || (over && !x)) return out;
  const FinitePoints points = points_of(request, over ? x : nullptr, *y);
  out.points = points.y.size();
  out.x = extremes_of_values(points.x);
  out.y = extremes_of_values(points.y);
  if (request.diagram == StudyDiagram::histogram)
    out.histogram =
        y->labels.empty() ? histogram(points.y) : label_counts(points.y, y->labels.size());
  if (request.diagram != StudyDiagram::bands) return out;
  out.bands = bands(points.x, points.y);
  out.x = out.y = {};
  for (const Band& band : out.bands) {
    out.x.include(band.x);
    for (const double value : band.quantiles) out.y.include(value);
  }
  return out;
}

double scatter_position(const StudyData& data, const StudyField& field, size_t row) {
  const double value = data.value(field, row);
  if (field.labels.empty()) return value;
  // The fractional parts of multiples of the golden ratio cover an interval evenly.
  constexpr double golden = 0.6180339887498949, spread = 0.5;
  const double turns = double(row) * golden;
  return value + spread * (turns - std::floor(turns) - 0.5);
}

void update_cells(ScatterCells& cells, const std::shared_ptr<const StudyPicture>& picture,
                  const Axis& x_axis, const Axis& y_axis, float size) {
  const auto same = [](const Axis& a, const Axis& b) {
    return a.range == b.range && a.begin == b.begin && a.end == b.end;
  };
  if (cells.picture == picture && same(cells.x_axis, x_axis) && same(cells.y_axis, y_axis)) return;
  cells = {.picture = picture, .x_axis = x_axis, .y_axis = y_axis, .size = size, .cells = {}};
  const PictureRequest& of = picture->of;
  const StudyField *x = of.data->find(of.x), *y = of.data->find(of.y);
  if (!x || !y) return;
  const float left = x_axis.begin, top = y_axis.end;
  const auto columns = size_t(std::max(1.0f, std::ceil((x_axis.end - left) / size))),
             lines = size_t(std::max(1.0f, std::ceil((y_axis.begin - top) / size)));
  std::vector<uint32_t> index(columns * lines);  // 1 + index of the cell; 0: no points
  for (const uint32_t row : of.selection->rows) {
    const double to = scatter_position(*of.data, *y, row),
                 from = scatter_position(*of.data, *x, row);
    const float column = (x_axis.pixel(from) - left) / size, line = (y_axis.pixel(to) - top) / size;
    // The comparisons are false for NaN.
    if (!(column >= 0 && column < float(columns) && line >= 0 && line < float(lines))) continue;
    uint32_t& k = index[size_t(line) * columns + size_t(column)];
    if (k == 0) {
      cells.cells.push_back({x_axis.pixel(from), y_axis.pixel(to), 0, row});
      k = uint32_t(cells.cells.size());
    }
    cells.most = std::max(cells.most, ++cells.cells[k - 1].count);
  }
}

}  // namespace torsor::editor
