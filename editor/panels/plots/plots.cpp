// Draws the plots panel. Its legend shows values at the cursor or at the current time.

#include "editor/panels/plots/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/energy/energy.hpp"
#include "editor/panels/plots/export.hpp"
#include "editor/panels/plots/legend.hpp"
#include "editor/panels/plots/signal_button.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

void PlotsPanel::follow(const std::shared_ptr<const Scene>& present) {
  if (scene == present) return;
  const bool first = !scene;
  scene = present;
  catalogue = present->recording ? Catalogue(*present->recording) : Catalogue(present->experiment);
  time.reset();
  if (!first) return;
  plots.push_back({.signals = {catalogue.first()}});
  const std::string name = "recordings/" + scene->file.stem().string() + "_plot.csv";
  std::strncpy(file, name.c_str(), sizeof file - 1);
}

void PlotsPanel::begin_frame(Editor& editor) {
  if (!editor.has_scene()) {
    *this = {};
    return;
  }
  follow(editor.now->scene);
  cursor = std::exchange(pointed, std::nullopt);
}

std::vector<std::string> PlotsPanel::wanted_signals(const Editor&) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    const SignalPart* part = catalogue.find(name);
    if (!part) return;
    const std::string& signal = catalogue.signals()[part->signal].name;
    if (std::ranges::find(names, signal) == names.end()) names.push_back(signal);
  };
  for (const Shown& plot : plots) std::ranges::for_each(plot.columns(), add);
  return names;
}

std::vector<std::string> PlotsPanel::Shown::columns() const {
  std::vector<std::string> all = signals;
  if (!over.empty()) all.push_back(over);
  return all;
}

namespace {

// Sizes at scale 1.
constexpr float narrow_legend = 200, wide_legend = 300, least_beside = 420, least_height = 92;
constexpr int most_lines_above = 4;  // maximum number of lines of a legend above its diagram

// Returns the width of a legend next to its diagram, or 0 if the panel is too narrow.
float legend_width(float panel_width) {
  if (panel_width < scaled(least_beside)) return 0;
  return std::clamp(0.25f * panel_width, scaled(narrow_legend), scaled(wide_legend));
}

void save_button(Editor& editor) {
  if (ImGui::SmallButton("Export...")) ImGui::OpenPopup("save");
  tooltip("Export plots to a .csv or .png file");
  if (!ImGui::BeginPopup("save")) return;
  PlotsPanel& panel = editor.panel<PlotsPanel>();
  dim_text("File name, ending in .csv (numbers) or .png (picture)");
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

// Shows the times of the two cursors, their difference and its reciprocal.
void measured_line(Editor& editor) {
  const auto& measured = editor.panel<PlotsPanel>().measured;
  if (!measured) return;
  const auto [a, b] = *measured;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::good));
  const std::string text = fmt::format("A {:.6g} s  B {:.6g} s  Δ {:.5g} s  {:.4g} Hz", a, b, b - a,
                                       1 / std::abs(b - a));
  clipped_text(text, ImGui::GetContentRegionAvail().x - scaled(28));
  ImGui::PopStyleColor();
  ImGui::SameLine();
  if (ImGui::SmallButton("\u00d7")) try_action(editor, "plot.measure");
  tooltip("Remove the two cursors");
}

void toolbar(Editor& editor) {
  signal_button(editor, "New plot", -1, PickFor::curves);
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
  measured_line(editor);
}

// Values that all diagrams of a frame share.
struct Frame {
  std::string strong;
  float label_width;
};

Range shown_values(const Editor& editor, const Diagram& diagram) {
  const auto& zoomed = editor.panel<PlotsPanel>().plots[diagram.plot].value;
  const auto found = zoomed.find(diagram.unit);
  return found != zoomed.end() ? found->second : fitted(diagram.extremes);
}

void draw_diagram(Editor& editor, const Frame& frame, const Diagram& diagram, bool last, ImVec2 at,
                  ImVec2 size) {
  if (!editor.panel<PlotsPanel>().plots[diagram.plot].over.empty())
    return draw_phase_diagram(editor, diagram, {at, size, frame.label_width, true});
  Plot plot = plot_over_time(editor, diagram.unit.c_str(), shown_values(editor, diagram),
                             {at, size, frame.label_width, last});
  auto& zoomed = editor.panel<PlotsPanel>().plots[diagram.plot].value;
  plot.value_fitted = !zoomed.contains(diagram.unit);
  const std::vector<PlotCurve> lines =
      curves(editor, diagram, std::max(16, int(plot.time.end - plot.time.begin)));
  plot.curves = lines;
  for (size_t k = 0; k < diagram.entries.size(); ++k)
    if (diagram.entries[k].column().name == frame.strong) plot.strong = int(k);
  const PlotGesture gesture = draw_plot("diagram", plot);
  if (gesture.value) zoomed[diagram.unit] = *gesture.value;
  follow_gesture(editor, gesture);
}

// Draws diagrams one above the other. Legends are next to the diagrams, or above them if the panel
// is too narrow.
class Stack {
 public:
  Stack(Editor& editor, const std::vector<Diagram>& diagrams)
      : editor_(editor),
        diagrams_(diagrams),
        room_(ImGui::GetContentRegionAvail()),
        legend_(legend_width(room_.x)) {
    float above = 0;
    for (size_t k = 0; k < diagrams.size(); ++k) above += legend_height(k);
    height_ =
        std::max(scaled(least_height), std::floor((room_.y - above) / float(diagrams.size())));
  }
  float diagram_height() const { return height_ - time_label_height() - scaled(9); }

  void draw(const Frame& frame, std::vector<RequestedAction>& requested) {
    float y = ImGui::GetCursorScreenPos().y;
    const float x = ImGui::GetCursorScreenPos().x;
    for (size_t k = 0; k < diagrams_.size(); ++k) {
      ImGui::PushID(int(k));
      const float above = legend_height(k), whole = above + height_;
      const bool beside = legend_ > 0;
      const float legend_x = beside ? x + room_.x - legend_ : x;
      const ImVec2 at{x, y + above}, size{room_.x - legend_, height_};
      ImGui::SetCursorScreenPos({legend_x, y});
      ImGui::BeginChild("legend",
                        {beside ? legend_ : room_.x, beside ? height_ - scaled(4) : above});
      draw_legend(editor_, diagrams_[k], first(k), requested);
      ImGui::EndChild();
      if (ImGui::IsRectVisible(at, {at.x + size.x, at.y + size.y}))
        draw_diagram(editor_, frame, diagrams_[k], last(k), at, size);
      store_rectangle(k, {x, y}, {x + room_.x, y + whole});
      y += whole;
      ImGui::PopID();
    }
    ImGui::SetCursorScreenPos({x, y});
    ImGui::Dummy({1, 0});
  }

 private:
  bool first(size_t k) const { return k == 0 || diagrams_[k - 1].plot != diagrams_[k].plot; }
  bool last(size_t k) const {
    if (!editor_.panel<PlotsPanel>().plots[diagrams_[k].plot].over.empty()) return true;
    return k + 1 == diagrams_.size() || diagrams_[k + 1].plot != diagrams_[k].plot;
  }
  float legend_height(size_t k) const {
    if (legend_ > 0) return 0;
    const PlotsPanel::Shown& plot = editor_.panel<PlotsPanel>().plots[diagrams_[k].plot];
    const int lines =
        std::min(legend_lines(diagrams_[k], first(k), !plot.over.empty()), most_lines_above);
    return float(lines) * (ImGui::GetTextLineHeight() + scaled(2)) + scaled(4);
  }
  // Stores the rectangle of a plot on the screen, extended by diagram k, and whether it is
  // completely visible.
  void store_rectangle(size_t k, ImVec2 at, ImVec2 end) {
    PlotsPanel::Rect& drawn = editor_.panel<PlotsPanel>().plots[diagrams_[k].plot].drawn;
    const ImVec2 low = ImGui::GetWindowPos();
    const float bottom = low.y + ImGui::GetWindowHeight() + 1;
    drawn = {first(k) ? at : drawn.at, end,
             (first(k) || drawn.fully_visible) && at.y >= low.y - 1 && end.y <= bottom};
  }

  Editor& editor_;
  const std::vector<Diagram>& diagrams_;
  ImVec2 room_;
  float legend_;  // width of a legend next to its diagram, or 0
  float height_;  // height of a diagram with its labels
};

void draw_plots(Editor& editor, std::vector<RequestedAction>& requested) {
  PlotsPanel& panel = editor.panel<PlotsPanel>();
  Frame frame{std::exchange(panel.strong, ""), 0};
  const double readout = readout_time(editor);
  const std::vector<Diagram> all = diagrams(editor, readout);
  Stack stack(editor, all);
  for (const Diagram& diagram : all)
    frame.label_width = std::max(frame.label_width,
                                 value_label_width(ticks(shown_values(editor, diagram),
                                                         value_tick_room(stack.diagram_height())),
                                                   diagram.unit.c_str()));
  stack.draw(frame, requested);
}

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

void save(Editor& editor, const Arguments& arguments) {
  PlotsPanel& panel = present(editor);
  const std::filesystem::path file = editor.output_file(arguments.text(0, "FILE"));
  if (arguments.size() > 1) {
    const PlotsPanel::Shown& one = panel.plots[index_of(panel, arguments, 1)];
    export_plots(editor, file, {&one, 1}, one.drawn);
  } else {
    export_plots(editor, file, panel.plots, panel.drawn);
  }
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
    {"plot.fit", "Fit all plots to the complete run", "", fit_plots},
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

void PlotsPanel::draw(Editor& editor) {
  const ImVec2 at = ImGui::GetWindowPos();
  drawn = {at, {at.x + ImGui::GetWindowWidth(), at.y + ImGui::GetWindowHeight()}, true};
  toolbar(editor);
  if (plots.empty()) {
    dim_text("No plots. Click New plot and choose a signal.");
    return;
  }
  std::vector<RequestedAction> requested;
  ImGui::BeginChild("plots");
  draw_plots(editor, requested);
  ImGui::EndChild();
  for (const auto& [action, arguments] : requested) try_action(editor, action, arguments);
}

}  // namespace torsor::editor
