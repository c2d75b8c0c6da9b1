#include "editor/panels/studies/diagram.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/studies/studies.hpp"
#include "editor/plot/plot_parts.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/text.hpp"

namespace torsor::editor {

namespace {

constexpr struct {
  const char *name, *label, *help;
} study_diagrams[] = {
    {"histogram", "Histogram", "How often each value of a column occurs"},
    {"scatter", "Scatter", "A point for each sample"},
    {"bands", "Bands", "The median and the quantiles of 5, 25, 75 and 95 % over a column"}};

// Draws a list of the columns. A click runs the action with the name of a column.
void draw_column_choice(Editor& editor, const StudyData& data, const char* label,
                        const std::string& chosen, const char* action, float width) {
  ImGui::SetNextItemWidth(std::max(width, scaled(60)));
  const bool open = ImGui::BeginCombo(label, chosen.c_str(), ImGuiComboFlags_HeightLarge);
  if (!open) return action_tooltip(action);
  for (const StudyField& field : data.fields) {
    if (field.role == StudyField::Role::failure) continue;
    if (ImGui::Selectable(field.head().c_str(), field.name == chosen))
      try_action(editor, action, {field.name});
  }
  ImGui::EndCombo();
}

// A column on an axis: its range and its unit.
struct AxisColumn {
  const StudyField* field;
  Extremes extremes;

  Range range(const std::optional<Range>& zoomed) const {
    if (zoomed) return *zoomed;
    if (!field->labels.empty()) return {-0.5, double(field->labels.size()) - 0.5};
    return fitted(extremes);
  }
  Ticks marks(const Range& range, float pixels, int room) const {
    if (field->labels.empty()) return ticks(range, room);
    std::vector<std::string> names;
    const float each = pixels / float(std::max(range.width(), 1.0));
    for (const std::string& label : field->labels)
      names.push_back(shortened(label, std::max(each - scaled(4), scaled(16))));
    return named_ticks(range, std::move(names));
  }
};

// Returns the axes of a diagram in the rest of the window. unit: label of the y axis.
Plot axes_of(const StudiesPanel& panel, const AxisColumn& x, const Range& x_range,
             const AxisColumn* y, const Range& y_range, const char* unit) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  Plot plot{.unit = unit};
  const float top = at.y + scaled(4),
              bottom = at.y + room.y - time_label_height() - ImGui::GetTextLineHeight() - scaled(4);
  const float height = std::max(bottom - top, scaled(40));
  plot.value = {y_range, top + height, top};
  plot.value_ticks = y ? y->marks(y_range, scaled(120), value_tick_room(height))
                       : ticks(y_range, value_tick_room(height));
  const float left = at.x + value_label_width(plot.value_ticks, unit),
              width = std::max(at.x + room.x - left - scaled(10), scaled(40));
  plot.time = {x_range, left, left + width};
  plot.time_ticks = x.marks(x_range, width, std::max(2, int(width / scaled(50))));
  plot.value_fitted = !panel.y_range;
  return plot;
}

void draw_x_title(const Plot& plot, const std::string& title) {
  const std::string text = shortened(title, plot.time.end - plot.time.begin);
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  ImGui::GetWindowDrawList()->AddText(
      {(plot.time.begin + plot.time.end - width) / 2, plot.value.begin + time_label_height()},
      ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
}

// Returns whether the diagram, the last ImGui item, was clicked without a drag.
bool was_clicked() {
  const ImGuiIO& io = ImGui::GetIO();
  return ImGui::IsItemHovered() && ImGui::IsMouseReleased(0) && !io.KeyCtrl && !io.KeyShift &&
         io.MouseDragMaxDistanceSqr[0] < io.MouseDragThreshold * io.MouseDragThreshold;
}

// Handles zooms and drags. Must follow begin_diagram(). Ends the clipping to the diagram.
void follow_diagram(StudiesPanel& panel, ImDrawList* draw, const Plot& plot, bool fixed_y) {
  const PlotGesture gesture = gesture_of(draw, plot);
  draw->PopClipRect();
  if (gesture.time) panel.x_range = gesture.time;
  if (gesture.value && !fixed_y) panel.y_range = gesture.value;
  // The wheel zooms both axes of a scatter diagram.
  const ImGuiIO& io = ImGui::GetIO();
  if (!fixed_y && ImGui::IsItemHovered() && io.MouseWheel != 0 && !io.KeyCtrl)
    panel.y_range = zoomed(plot.value.range, plot.value.value(io.MousePos.y),
                           std::pow(0.85, double(io.MouseWheel)));
  if (gesture.fit) {
    panel.x_range.reset();
    panel.y_range.reset();
  }
}

void select_row(StudiesPanel& panel, const StudyData& data, size_t row) {
  panel.selected = data.sample(row);
  panel.scrolls_to_selected = true;
}

// Draws a ring around the selected sample.
void draw_selected(ImDrawList* draw, const StudiesPanel& panel, const PictureRequest& of,
                   const Plot& plot) {
  const StudyField *x = of.data->find(of.x), *y = of.data->find(of.y);
  const auto row = panel.selected ? of.data->row_of(*panel.selected) : std::nullopt;
  if (!row || !x || !y) return;
  const double to = scatter_position(*of.data, *y, *row),
               from = scatter_position(*of.data, *x, *row);
  if (!std::isfinite(to) || !std::isfinite(from)) return;
  const ImVec2 at{plot.time.pixel(from), plot.value.pixel(to)};
  draw->AddCircleFilled(at, scaled(3.5f), color_u32(Shade::positive));
  draw->AddCircle(at, scaled(7), ImGui::GetColorU32(ImGuiCol_Text), 0, scaled(1.5f));
}

// Draws the points of the cells as squares, or as dots if there are few of them. Cells with more
// points are more opaque.
void draw_cells(ImDrawList* draw, const ScatterCells& cells) {
  constexpr size_t few = 2000, piece = 4096;
  const double most = std::log(1.0 + double(cells.most));
  const auto ink = [&](const ScatterCell& cell) {
    const double part = cells.most > 1 ? std::log(1.0 + double(cell.count)) / most : 1;
    return color_u32(Shade::accent, float(0.3 + 0.7 * part));
  };
  if (cells.cells.size() <= few) {
    for (const ScatterCell& cell : cells.cells)
      draw->AddCircleFilled({cell.x, cell.y}, scaled(2.2f), ink(cell), 8);
    return;
  }
  const float left = cells.x_axis.begin, top = cells.y_axis.end, size = cells.size;
  for (size_t first = 0; first < cells.cells.size(); first += piece) {
    const size_t n = std::min(piece, cells.cells.size() - first);
    draw->PrimReserve(int(6 * n), int(4 * n));
    for (const ScatterCell& cell : std::span(cells.cells).subspan(first, n)) {
      const float x = left + size * std::floor((cell.x - left) / size),
                  y = top + size * std::floor((cell.y - top) / size);
      draw->PrimRect({x, y}, {x + size, y + size}, ink(cell));
    }
  }
}

const ScatterCell* cell_at_mouse(const ScatterCells& cells) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ScatterCell* found = nullptr;
  float nearest = scaled(8) * scaled(8);
  for (const ScatterCell& cell : cells.cells) {
    const float dx = cell.x - mouse.x, dy = cell.y - mouse.y, square = dx * dx + dy * dy;
    if (square < nearest) nearest = square, found = &cell;
  }
  return found;
}

std::string value_line(const StudyData& data, const StudyField& field, size_t row) {
  return fmt::format("{}  {} {}", field.name, data.text(field, row), field.unit);
}

void draw_scatter(StudiesPanel& panel, const std::shared_ptr<const StudyPicture>& picture) {
  const PictureRequest& of = picture->of;
  const StudyField &x = of.data->require(of.x), &y = of.data->require(of.y);
  const AxisColumn across{&x, picture->x}, up{&y, picture->y};
  const Plot plot = axes_of(panel, across, across.range(panel.x_range), &up,
                            up.range(panel.y_range), y.unit.c_str());
  update_cells(panel.cells, picture, plot.time, plot.value, scaled(2));
  ImDrawList* draw = begin_diagram("scatter", plot);
  draw_cells(draw, panel.cells);
  draw_selected(draw, panel, of, plot);
  const ScatterCell* cell = ImGui::IsItemHovered() ? cell_at_mouse(panel.cells) : nullptr;
  if (cell) {
    draw->AddCircle({cell->x, cell->y}, scaled(6), ImGui::GetColorU32(ImGuiCol_Text), 0, scaled(1));
    const size_t row = cell->row;
    tooltip(fmt::format("sample {}{}\n{}\n{}", of.data->sample(row),
                        cell->count > 1 ? fmt::format(" and {} more here", cell->count - 1) : "",
                        value_line(*of.data, x, row), value_line(*of.data, y, row)));
    if (was_clicked()) select_row(panel, *of.data, row);
  }
  follow_diagram(panel, draw, plot, false);
  draw_x_title(plot, x.head());
}

std::string bar_text(const StudyField& field, const Histogram& bars, size_t k) {
  const double from = bars.from + bars.width * double(k);
  const std::string values =
      !field.labels.empty() ? field.labels.at(k)
      : bars.width == 0     ? fmt::format("{:.5g} {}", from, field.unit)
                        : fmt::format("{:.5g} to {:.5g} {}", from, from + bars.width, field.unit);
  return fmt::format("{}\n{}", values, counted(bars.counts[k], "sample"));
}

// Draws the bars. The bar under the mouse is strong and has a tooltip.
void draw_histogram_bars(ImDrawList* draw, const Plot& plot, const StudyField& field,
                         const Histogram& bars) {
  // All values are equal if the width is zero.
  const double width = bars.width > 0   ? bars.width
                       : bars.from != 0 ? 0.02 * std::abs(bars.from)
                                        : 0.1;
  const double from = bars.width > 0 ? bars.from : bars.from - width / 2;
  const float mouse = ImGui::IsItemHovered() ? ImGui::GetIO().MousePos.x : -1;
  for (size_t k = 0; k < bars.counts.size(); ++k) {
    const float left = plot.time.pixel(from + width * double(k)),
                end = plot.time.pixel(from + width * double(k + 1));
    const bool strong = mouse >= left && mouse < end;
    draw->AddRectFilled({left, plot.value.pixel(double(bars.counts[k]))},
                        {std::max(end - 1, left + 1), plot.value.begin},
                        color_u32(Shade::accent, strong ? 1 : 0.75f));
    if (strong) tooltip(bar_text(field, bars, k));
  }
}

void draw_histogram(StudiesPanel& panel, const StudyPicture& picture) {
  const PictureRequest& of = picture.of;
  const StudyField& field = of.data->require(of.y);
  const AxisColumn across{&field, picture.y};
  const auto most = double(*std::ranges::max_element(picture.histogram.counts));
  const Plot plot =
      axes_of(panel, across, across.range(panel.x_range), nullptr, {0, 1.06 * most}, "samples");
  ImDrawList* draw = begin_diagram("histogram", plot);
  draw_histogram_bars(draw, plot, field, picture.histogram);
  const auto row = panel.selected ? of.data->row_of(*panel.selected) : std::nullopt;
  if (const double value = row ? of.data->value(field, *row) : NAN; std::isfinite(value)) {
    const float x = plot.time.pixel(value);
    draw->AddLine({x, plot.value.end}, {x, plot.value.begin}, color_u32(Shade::positive),
                  scaled(2));
  }
  follow_diagram(panel, draw, plot, true);
  draw_x_title(plot, field.head());
}

// Draws the bands as areas and the median as a line.
void draw_band_areas(ImDrawList* draw, const Plot& plot, const std::vector<Band>& bands) {
  const ImVec4 ink = color(Shade::accent);
  const auto area = [&](size_t low, size_t high, float alpha) {
    PlotArea out{{ink.x, ink.y, ink.z, alpha}, {}};
    for (const Band& band : bands)
      out.bands.push_back({band.x, band.quantiles[low], band.quantiles[high]});
    draw_area(draw, plot, out);
  };
  area(0, 4, 0.25f);
  area(1, 3, 0.45f);
  PlotCurve median{ink, {}};
  for (const Band& band : bands) median.line.points.push_back({band.x, band.quantiles[2]});
  draw_curve(draw, plot, median, 1, curve_width() + 1);
}

// Draws the bands of a column with labels as boxes.
void draw_band_boxes(ImDrawList* draw, const Plot& plot, const std::vector<Band>& bands) {
  for (const Band& band : bands) {
    const float x = plot.time.pixel(band.x),
                half = std::min(plot.time.pixel(band.x + 0.3) - x, scaled(28));
    const auto y = [&](size_t k) { return plot.value.pixel(band.quantiles[k]); };
    draw->AddRectFilled({x - half / 3, y(4)}, {x + half / 3, y(0)},
                        color_u32(Shade::accent, 0.25f));
    draw->AddRectFilled({x - half, y(3)}, {x + half, y(1)}, color_u32(Shade::accent, 0.45f));
    draw->AddLine({x - half, y(2)}, {x + half, y(2)}, color_u32(Shade::accent), scaled(2.5f));
  }
}

void band_tooltip(const StudyField& x, const StudyField& y, const Band& band) {
  const auto& q = band.quantiles;
  tooltip(fmt::format(
      "{} near {} {}\nmedian  {:.5g} {}\n25 to 75 %  {:.5g} to {:.5g}\n"
      "5 to 95 %  {:.5g} to {:.5g}",
      x.name, StudyData::text(x, band.x), x.unit, q[2], y.unit, q[1], q[3], q[0], q[4]));
}

void draw_bands(StudiesPanel& panel, const StudyPicture& picture) {
  const PictureRequest& of = picture.of;
  const StudyField &x = of.data->require(of.x), &y = of.data->require(of.y);
  if (picture.bands.empty())
    return dim_text(
        "Too few samples for bands: they need two different values of the column, and 40 samples "
        "for each band.");
  const AxisColumn across{&x, picture.x}, up{&y, picture.y};
  const Plot plot = axes_of(panel, across, across.range(panel.x_range), &up,
                            up.range(panel.y_range), y.unit.c_str());
  ImDrawList* draw = begin_diagram("bands", plot);
  draw->AddText({plot.time.begin + scaled(5), plot.value.end + scaled(3)}, color_u32(Shade::dim),
                "median, 25 to 75 %, 5 to 95 %");
  if (x.labels.empty())
    draw_band_areas(draw, plot, picture.bands);
  else
    draw_band_boxes(draw, plot, picture.bands);
  draw_selected(draw, panel, of, plot);
  if (ImGui::IsItemHovered()) {
    const double at = plot.time.value(ImGui::GetIO().MousePos.x);
    const Band& nearest = *std::ranges::min_element(
        picture.bands, {}, [&](const Band& band) { return std::abs(band.x - at); });
    band_tooltip(x, y, nearest);
  }
  follow_diagram(panel, draw, plot, false);
  draw_x_title(plot, x.head());
}

}  // namespace

void draw_diagram_choice(Editor& editor, StudiesPanel& panel) {
  const StudyData& data = *panel.data();
  for (size_t k = 0; k < std::size(study_diagrams); ++k) {
    if (k > 0) continue_line(button_width(study_diagrams[k].label), scaled(3));
    action_choice(editor, study_diagrams[k].label, panel.diagram == StudyDiagram(k), "study.plot",
                  {study_diagrams[k].name}, study_diagrams[k].help);
  }
  // Both lists are on one line, after the buttons if there is room for them.
  const bool is_over = panel.diagram != StudyDiagram::histogram;
  const float gap = scaled(5), over = is_over ? ImGui::CalcTextSize("over").x + 2 * gap : 0;
  const float least = scaled(100), most = scaled(150), lists = is_over ? 2 : 1;
  continue_line(lists * least + over, scaled(8));
  const float width = std::min(most, (ImGui::GetContentRegionAvail().x - over) / lists);
  draw_column_choice(editor, data, "##y", panel.y, "study.outcome", width);
  if (!is_over) return;
  ImGui::SameLine(0, gap);
  dim_text("over");
  ImGui::SameLine(0, gap);
  draw_column_choice(editor, data, "##x", panel.x, "study.over", width);
}

void draw_diagram(Editor&, StudiesPanel& panel) {
  const std::shared_ptr<const StudyPicture>& picture = panel.picture.value();
  if (!picture || !picture->of.data) return;
  if (picture->points == 0)
    return dim_text(fmt::format("No sample on display has a value of '{}'.", picture->of.y));
  switch (picture->of.diagram) {
    case StudyDiagram::histogram:
      return draw_histogram(panel, *picture);
    case StudyDiagram::scatter:
      return draw_scatter(panel, picture);
    case StudyDiagram::bands:
      return draw_bands(panel, *picture);
  }
}

}  // namespace torsor::editor
