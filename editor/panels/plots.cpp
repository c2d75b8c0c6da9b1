// Plots: signals over time, with a legend that reads their values at the cursor or where the run stands.

#include "editor/panels/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "editor/panels/plot_diagrams.hpp"

namespace torsor::editor {

void draw_plots_panel(Editor& editor);

void PlotsPanel::follow(const std::shared_ptr<const Scene>& present) {
  if (scene == present) return;
  const bool first = !scene;
  scene = present;
  catalogue = Catalogue(present->experiment);
  time.reset();
  if (!first) return;
  plots.push_back({.signals = {catalogue.first()}});
  const std::string name = "recordings/" + scene->file.stem().string() + "_plot.csv";
  std::strncpy(file, name.c_str(), sizeof file - 1);
}

std::vector<std::string> PlotsPanel::wanted() const {
  std::vector<std::string> names;
  for (const Shown& plot : plots)
    for (const std::string& name : plot.signals) {
      const SignalPart* part = catalogue.find(name);
      if (!part) continue;
      const std::string& signal = catalogue.signals()[part->signal].name;
      if (std::ranges::find(names, signal) == names.end()) names.push_back(signal);
    }
  return names;
}

namespace {

// Sizes at scale 1.
constexpr float narrow_legend = 200, wide_legend = 300, least_beside = 420, least_height = 92;
constexpr int most_lines_above = 4;  // of a legend above its diagram

// Of a legend beside its diagram; 0 where the panel has no room for one.
float legend_width(float panel_width) {
  if (panel_width < scaled(least_beside)) return 0;
  return std::clamp(0.25f * panel_width, scaled(narrow_legend), scaled(wide_legend));
}

// An action of a button, run when all is drawn: it may change what is being drawn.
struct Asked {
  const char* action;
  Arguments arguments;
};

void save_button(Editor& editor) {
  if (ImGui::SmallButton("Save")) ImGui::OpenPopup("save");
  tooltip("Write plots to a file");
  if (!ImGui::BeginPopup("save")) return;
  PlotsPanel& panel = editor.plots;
  dim_text("file, .csv for numbers or .png for a picture");
  ImGui::SetNextItemWidth(scaled(300));
  ImGui::InputText("##file", panel.file, sizeof panel.file);
  const auto save = [&](const char* label, const Arguments& arguments) {
    if (action_button(editor, label, "plot.save", arguments)) ImGui::CloseCurrentPopup();
  };
  save("All plots", {panel.file});
  for (size_t k = 0; panel.plots.size() > 1 && k < panel.plots.size(); ++k) {
    ImGui::SameLine();
    const std::string index = fmt::format("{}", k + 1);
    save(fmt::format("Plot {}", index).c_str(), {panel.file, index});
  }
  ImGui::EndPopup();
}

void toolbar(Editor& editor) {
  signal_button(editor, "New plot", -1);
  ImGui::SameLine();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ImGui::GetStyle().FramePadding.x, 0));
  action_button(editor, "Fit", "plot.fit");
  ImGui::SameLine();
  action_button(editor, "Clear", "plot.clear");
  ImGui::PopStyleVar();
  ImGui::SameLine();
  save_button(editor);
  ImGui::SameLine();
  dim_text("(?)");
  tooltip(plot_gestures);
}

// Text from x on that ends at right, cut there.
void cut_text(const std::string& text, ImVec2 at, float right, ImU32 ink) {
  const ImVec4 clip{at.x, at.y, right, at.y + ImGui::GetTextLineHeight() + scaled(2)};
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, ink, text.c_str(), nullptr,
                                      0, &clip);
}

// A line of the legend over the whole width, with room for buttons at its right; true while the mouse is on it.
bool legend_line(const std::string& text, ImU32 ink, const std::string& hint, float indent, float room) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  ImGui::InvisibleButton("line", {std::max(1.0f, right - at.x - room), ImGui::GetTextLineHeight()});
  tooltip(hint);
  cut_text(text, {at.x + indent, at.y}, right - room - scaled(3), ink);
  return ImGui::IsItemHovered();
}

bool cross(const char* hint) {
  ImGui::SameLine(0, scaled(2));
  const bool pressed = ImGui::SmallButton("\u00d7");
  tooltip(hint);
  return pressed;
}

float cross_width() {
  return ImGui::CalcTextSize("\u00d7").x + 2 * ImGui::GetStyle().FramePadding.x + scaled(2);
}

std::string value_text(const Entry& entry) {
  return entry.sampled ? fmt::format("{:.6g}", entry.value) : "...";
}

void entry_line(PlotsPanel& panel, const Entry& entry) {
  if (!ImGui::IsRectVisible({1, ImGui::GetTextLineHeight()})) {
    ImGui::Dummy({1, ImGui::GetTextLineHeight()});
    return;
  }
  ImGui::PushID(int(entry.index));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x, middle = at.y + ImGui::GetTextLineHeight() / 2;
  const std::string value = value_text(entry), unit = " " + entry.column().unit;
  const float unit_width = ImGui::CalcTextSize(unit.c_str()).x,
              room = unit_width + ImGui::CalcTextSize(value.c_str()).x;
  std::string hint = fmt::format("{} = {}{}", entry.column().name, value, unit);
  if (!entry.column().frame.empty()) hint += fmt::format(", in the axes of {}", entry.column().frame);
  const std::string& name = entry.column().name;
  const bool short_name = name.size() > entry.shown.size() + 1;  // its signal stands above
  if (legend_line(short_name ? name.substr(entry.shown.size() + 1) : name, ImGui::GetColorU32(ImGuiCol_Text),
                  hint, scaled(18), room))
    panel.strong = name;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled({at.x, middle - scaled(1.5f)}, {at.x + scaled(13), middle + scaled(1.5f)},
                      ImGui::ColorConvertFloat4ToU32(entry.color), scaled(1));
  draw->AddText({right - room, at.y}, ImGui::GetColorU32(ImGuiCol_Text), value.c_str());
  draw->AddText({right - unit_width, at.y}, color_u32(Shade::dim), unit.c_str());
  ImGui::PopID();
}

// Of the plot, in its first diagram: its number and buttons, and its signal where it has one alone.
void plot_line(Editor& editor, const Diagram& diagram, std::vector<Asked>& asked) {
  const float plus = ImGui::CalcTextSize("+").x + 2 * ImGui::GetStyle().FramePadding.x;
  const std::vector<std::string>& signals = editor.plots.plots[diagram.plot].signals;
  const std::string text = fmt::format("{}  {}", diagram.plot + 1, signals.size() == 1 ? signals[0] : "");
  legend_line(text, ImGui::GetColorU32(ImGuiCol_Text), text, 0, plus + cross_width());
  ImGui::SameLine(0, 0);
  signal_button(editor, "+", int(diagram.plot));
  if (cross("Remove this plot")) asked.push_back({"plot.remove", {fmt::format("{}", diagram.plot + 1)}});
}

// Over the entries of a signal.
void signal_line(const Diagram& diagram, const std::string& signal, std::vector<Asked>& asked) {
  legend_line(signal, color_u32(Shade::dim), signal, 0, cross_width());
  if (cross("Remove it from this plot"))
    asked.push_back({"plot.remove", {fmt::format("{}", diagram.plot + 1), signal}});
}

bool begins_signal(const Diagram& diagram, size_t k) {
  return k == 0 || diagram.entries[k].shown != diagram.entries[k - 1].shown;
}

void legend(Editor& editor, const Diagram& diagram, bool first, std::vector<Asked>& asked) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, scaled(1)));
  const bool several = editor.plots.plots[diagram.plot].signals.size() > 1;
  if (first) plot_line(editor, diagram, asked);
  for (size_t k = 0; k < diagram.entries.size(); ++k) {
    const Entry& entry = diagram.entries[k];
    ImGui::PushID(entry.shown.c_str());
    if (several && begins_signal(diagram, k)) signal_line(diagram, entry.shown, asked);
    entry_line(editor.plots, entry);
    ImGui::PopID();
  }
  if (diagram.entries.empty() && diagram.troubles.empty()) dim_text("no signal: + adds one");
  for (const std::string& trouble : diagram.troubles) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(trouble.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  }
  ImGui::PopStyleVar();
}

int legend_lines(const Diagram& diagram, bool first, bool several) {
  int lines = first + int(diagram.entries.size()) + int(diagram.troubles.size());
  for (size_t k = 0; several && k < diagram.entries.size(); ++k) lines += begins_signal(diagram, k);
  return std::max(lines, 1);
}

void follow_mouse(Editor& editor, const Diagram& diagram, const PlotGesture& gesture) {
  PlotsPanel& panel = editor.plots;
  if (gesture.time) panel.time = gesture.time;
  if (gesture.value) panel.plots[diagram.plot].value[diagram.unit] = *gesture.value;
  if (gesture.cursor) panel.cursor = kept_time(editor, *gesture.cursor);
  if (gesture.go)
    try_action(editor, "time.go", {fmt::format("{}", std::clamp(*gesture.go, 0.0, end_time(editor)))});
  if (gesture.fit) try_action(editor, "plot.fit");
}

// What all diagrams of a frame share.
struct Frame {
  Range time;
  std::optional<double> cursor;
  std::string strong;
  float label_width;
  std::vector<double> edits;
};

Range shown_values(const Editor& editor, const Diagram& diagram) {
  const auto& zoomed = editor.plots.plots[diagram.plot].value;
  const auto found = zoomed.find(diagram.unit);
  return found != zoomed.end() ? found->second : fitted(diagram.extremes);
}

void draw_diagram(Editor& editor, const Frame& frame, const Diagram& diagram, bool last, ImVec2 at,
                  ImVec2 size) {
  Plot plot{.unit = diagram.unit.c_str()};
  plot.time_labels = last;
  const float below = last ? time_label_height() : 0;
  plot.time = {frame.time, at.x + frame.label_width, at.x + size.x - scaled(10)};
  plot.value = {shown_values(editor, diagram), at.y + size.y - below - scaled(4), at.y + scaled(5)};
  plot.time_ticks = ticks(frame.time, time_tick_room(plot.time.end - plot.time.begin));
  plot.value_ticks = ticks(plot.value.range, value_tick_room(plot.value.begin - plot.value.end));
  plot.value_fitted = !editor.plots.plots[diagram.plot].value.contains(diagram.unit);
  plot.present = editor.now->time();
  plot.cursor = frame.cursor;
  plot.edits = frame.edits;
  const std::vector<PlotCurve> lines =
      curves(editor, diagram, std::max(16, int(plot.time.end - plot.time.begin)));
  plot.curves = lines;
  for (size_t k = 0; k < diagram.entries.size(); ++k)
    if (diagram.entries[k].column().name == frame.strong) plot.strong = int(k);
  follow_mouse(editor, diagram, draw_plot("diagram", plot));
}

// Diagrams one above the other, their legends beside them or, where there is no room, above each.
class Stack {
 public:
  Stack(Editor& editor, const std::vector<Diagram>& diagrams)
      : editor_(editor),
        diagrams_(diagrams),
        room_(ImGui::GetContentRegionAvail()),
        legend_(legend_width(room_.x)) {
    float above = 0;
    for (size_t k = 0; k < diagrams.size(); ++k) above += legend_height(k);
    height_ = std::max(scaled(least_height), std::floor((room_.y - above) / float(diagrams.size())));
  }
  float diagram_height() const { return height_ - time_label_height() - scaled(9); }

  void draw(const Frame& frame, std::vector<Asked>& asked) {
    float y = ImGui::GetCursorScreenPos().y;
    const float x = ImGui::GetCursorScreenPos().x;
    for (size_t k = 0; k < diagrams_.size(); ++k) {
      ImGui::PushID(int(k));
      const float above = legend_height(k), whole = above + height_;
      const bool beside = legend_ > 0;
      const float legend_x = beside ? x + room_.x - legend_ : x;
      const ImVec2 at{x, y + above}, size{room_.x - legend_, height_};
      ImGui::SetCursorScreenPos({legend_x, y});
      ImGui::BeginChild("legend", {beside ? legend_ : room_.x, beside ? height_ - scaled(4) : above});
      legend(editor_, diagrams_[k], first(k), asked);
      ImGui::EndChild();
      if (ImGui::IsRectVisible(at, {at.x + size.x, at.y + size.y}))
        draw_diagram(editor_, frame, diagrams_[k], last(k), at, size);
      remember(k, {x, y}, {x + room_.x, y + whole});
      y += whole;
      ImGui::PopID();
    }
    ImGui::SetCursorScreenPos({x, y});
    ImGui::Dummy({1, 0});
  }

 private:
  bool first(size_t k) const { return k == 0 || diagrams_[k - 1].plot != diagrams_[k].plot; }
  bool last(size_t k) const {
    return k + 1 == diagrams_.size() || diagrams_[k + 1].plot != diagrams_[k].plot;
  }
  float legend_height(size_t k) const {
    if (legend_ > 0) return 0;
    const bool several = editor_.plots.plots[diagrams_[k].plot].signals.size() > 1;
    const int lines = std::min(legend_lines(diagrams_[k], first(k), several), most_lines_above);
    return float(lines) * (ImGui::GetTextLineHeight() + scaled(2)) + scaled(4);
  }
  // Where the plot is on the screen.
  void remember(size_t k, ImVec2 at, ImVec2 end) {
    PlotsPanel::Rect& drawn = editor_.plots.plots[diagrams_[k].plot].drawn;
    const ImVec2 low = ImGui::GetWindowPos();
    const float bottom = low.y + ImGui::GetWindowHeight() + 1;
    drawn = {first(k) ? at : drawn.at, end,
             (first(k) || drawn.whole) && at.y >= low.y - 1 && end.y <= bottom};
  }

  Editor& editor_;
  const std::vector<Diagram>& diagrams_;
  ImVec2 room_;
  float legend_;  // width, where it is beside
  float height_;  // of a diagram with its labels
};

void draw_plots(Editor& editor, std::vector<Asked>& asked) {
  PlotsPanel& panel = editor.plots;
  Frame frame{
      shown_time(editor), std::exchange(panel.cursor, std::nullopt), std::exchange(panel.strong, ""), 0, {}};
  const double readout = frame.cursor.value_or(editor.now->time());
  const std::vector<Diagram> all = diagrams(editor, readout);
  Stack stack(editor, all);
  for (const Diagram& diagram : all)
    frame.label_width = std::max(
        frame.label_width,
        value_label_width(ticks(shown_values(editor, diagram), value_tick_room(stack.diagram_height()))));
  for (const Change& change : editor.now->timeline.changes())
    frame.edits.push_back(double(change.step) * editor.dt());
  stack.draw(frame, asked);
}

}  // namespace

void draw_plots_panel(Editor& editor) {
  PlotsPanel& panel = editor.plots;
  const ImVec2 at = ImGui::GetWindowPos();
  panel.drawn = {at, {at.x + ImGui::GetWindowWidth(), at.y + ImGui::GetWindowHeight()}, true};
  toolbar(editor);
  if (panel.plots.empty()) {
    dim_text("no plot: New plot lists the signals");
    return;
  }
  std::vector<Asked> asked;
  ImGui::BeginChild("plots");
  draw_plots(editor, asked);
  ImGui::EndChild();
  for (const auto& [action, arguments] : asked) try_action(editor, action, arguments);
}

}  // namespace torsor::editor
