#pragma once
// Plots: signals over the time line. All plots show the same time; what has different units in one
// plot is drawn in diagrams one above the other.

#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "editor/panels/panel.hpp"
#include "editor/plot/axis.hpp"
#include "editor/plot/catalogue.hpp"
#include "editor/session/moment.hpp"

namespace torsor::editor {

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
    bool whole = false;  // nothing of it was out of sight
  };
  struct Shown {
    std::vector<std::string> signals;      // or columns, by name
    std::map<std::string, Range> value{};  // by unit, where it is not fitted
    Rect drawn{};                          // last, on the screen
    // A phase portrait: over a column, or over a signal of as many columns, by name; "": over time.
    std::string over{};
    bool equal = false;        // a unit is as long on both axes
    std::optional<Range> x{};  // where it is not fitted

    std::vector<std::string> columns() const;  // of the signals, with what they are over
  };

  std::vector<Shown> plots;
  std::optional<Range> time;      // s; not there: the whole run
  std::optional<double> cursor;   // s, where the mouse pointed in the last frame, in any panel
  std::optional<double> pointed;  // in this one
  std::optional<std::pair<double, double>> measured;  // s, between two cursors
  std::string strong;                                 // the column whose name the mouse is on
  Rect drawn;

  std::shared_ptr<const Scene> scene;  // of the catalogue
  Catalogue catalogue;
  char search[128] = "";  // in the list of signals
  char file[512] = "";    // to save to

 private:
  // Takes the catalogue of the current scene. Shows the first signal of the first scene.
  void follow(const std::shared_ptr<const Scene>& present);
};

// The button that lists all signals, with a search: for the curves of plot k, each adds to it or
// leaves it, or makes a new one (k = -1); or for what it is drawn over.
enum class PickFor { curves, abscissa };
void signal_button(Editor& editor, const char* label, int k, PickFor what);

}  // namespace torsor::editor
