#pragma once
// The panel of controllers, references and forces. It shows their parameters and how well each
// reference is followed.

#include <memory>
#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "editor/plot/decimate.hpp"
#include "editor/probe/tracking.hpp"

namespace torsor::editor {

struct ControllersPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::vector<std::string> wanted_signals(const Editor& editor) override;
  void begin_frame(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  // Index in the load's controls, followed by the forces.
  size_t chosen = 0;
  // Name of the Tracked entry that is drawn over time.
  std::string entry;
  // Name of the parameter whose widget is held. All of its changes form one edit.
  std::string held;

  // Returns the tracking of a control at the current state.
  const Tracking& tracked(Editor& editor, size_t control);
  // Returns the references of a control over the run, one line per entry.
  const std::vector<PlotLine>& references(const Editor& editor, size_t control);

 private:
  bool drawn_ = false;    // true if the panel was drawn in this frame
  bool sampled_ = false;  // true if it was drawn in the last frame, so its signals are needed
  std::shared_ptr<const Moment> moment_;
  size_t tracked_control_ = 0;
  Tracking tracking_;

  std::shared_ptr<const ControlLaw> law_;  // law to which references_ belongs
  double end_ = 0;
  std::vector<PlotLine> references_;
};

// Returns the names of the load's controls, then of the forces: "arm.pd", "force.ground".
std::vector<std::string> controlled_names(const Scene& scene);
// Returns the load with the parameters that are active at the current state.
const Load& active_load(const Editor& editor);
// Return the names of the recorded signals for a control's tracking.
std::string error_signal(const Editor& editor, const Control& control);
std::string actual_signal(const Editor& editor, const Control& control);

}  // namespace torsor::editor
