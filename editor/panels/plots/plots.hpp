#pragma once
// The panel of plots: signals over the time line. All plots show the same time. Signals with
// different units in one plot have diagrams one above the other.

#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "editor/panels/panel.hpp"
#include "editor/plot/axis.hpp"
#include "editor/plot/catalogue.hpp"

namespace torsor::editor {

struct Scene;

struct PlotsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::vector<std::string> wanted_signals(const Editor& editor) override;
  void begin_frame(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  struct Rect {
    ImVec2 at, end;
    bool fully_visible = false;
  };
  struct Shown {
    std::vector<std::string> signals;      // names of signals or columns
    std::map<std::string, Range> value{};  // zoomed ranges by unit; fitted if there is no entry
    Rect drawn{};                          // rectangle at the last drawing
    // x axis of a phase portrait: name of a column, or of a signal with as many columns as each
    // plotted signal. "": time.
    std::string over{};
    bool equal = false;        // true: both axes have the same scale
    std::optional<Range> x{};  // zoomed x values; none: fitted

    std::vector<std::string> columns() const;  // names of the signals and of the x axis
  };

  std::vector<Shown> plots;
  std::optional<Range> time;  // s; visible time range; none: the complete run
  // Time at the mouse in the last frame, over any diagram, s.
  std::optional<double> cursor;
  // Time at the mouse in this frame, s. It becomes the cursor of the next frame.
  std::optional<double> pointed;
  std::optional<std::pair<double, double>> measured;  // s; times of the two cursors
  std::string strong;  // name of the column whose legend is under the mouse
  Rect drawn;

  std::shared_ptr<const Scene> scene;  // scene whose signals the catalogue has
  Catalogue catalogue;
  char search[128] = "";  // text of the search field for signals
  char file[512] = "";    // name of the export file

 private:
  // Creates the catalogue of a new scene and shows its complete time range. For the first scene,
  // also adds a plot of its first signal.
  void follow(const std::shared_ptr<const Scene>& present);
};

}  // namespace torsor::editor
