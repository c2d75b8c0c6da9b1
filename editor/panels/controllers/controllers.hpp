#pragma once
// The panel of controllers, references and forces. It shows their parameters and how well each
// reference is followed.

#include <memory>
#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "editor/plot/decimate.hpp"
#include "editor/probe/tracking.hpp"

namespace torsor {
class ControlLaw;
struct Control;
struct Load;
}  // namespace torsor

namespace torsor::editor {

struct Scene;
struct SessionState;

struct ControllersPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::vector<std::string> wanted_signals(const Editor& editor) override;
  void begin_frame(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  // Index of the selected entry of controlled_names().
  size_t chosen = 0;
  // Name of the Tracked entry that the diagrams show.
  std::string entry;
  // Name of the parameter whose widget is dragged, or "". All changes of one drag form one edit.
  std::string held;

  // Returns the tracking of a control at the current state. control: its index in Load::controls.
  const Tracking& tracked(Editor& editor, size_t control);
  // Returns the reference of a control from the start to the end of the run, one curve per Tracked
  // entry. Returns an empty list if the control has no reference or if it fails.
  const std::vector<PlotLine>& references(const Editor& editor, size_t control);

 private:
  bool drawn_ = false;    // true if the panel was drawn in this frame
  bool sampled_ = false;  // true if it was drawn in the last frame, so its signals are needed
  std::shared_ptr<const SessionState> now_;
  size_t tracked_control_ = 0;
  Tracking tracking_;

  std::shared_ptr<const ControlLaw> law_;  // law for which references_ was computed
  double end_ = 0;
  std::vector<PlotLine> references_;
};

// Returns the names of the load's controls, then of the forces: "arm.pd", "force.ground".
std::vector<std::string> controlled_names(const Scene& scene);
// Returns the load with the parameters that are active at the current state.
const Load& active_load(const Editor& editor);
// Return names of signals: the tracking error of a control, and the position q of its robot.
std::string error_signal(const Editor& editor, const Control& control);
std::string actual_signal(const Editor& editor, const Control& control);

}  // namespace torsor::editor
