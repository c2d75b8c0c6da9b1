#pragma once
// Controls, their references and forces: what each is and has, and how well what it follows is
// followed.

#include <memory>
#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "editor/plot/decimate.hpp"
#include "editor/session/tracking.hpp"

namespace torsor::editor {

struct ControllersPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::vector<std::string> wanted_signals(const Editor& editor) override;
  void begin_frame(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  size_t chosen = 0;  // of the load's controls, and the forces after them
  std::string entry;  // that is drawn over time: of Tracked, by name
  std::string held;   // parameter whose widget is held: what it does is one edit

  // Of a control at the moment of the frame.
  const Tracking& tracked(Editor& editor, size_t control);
  // What it follows over the run, one line for each entry.
  const std::vector<PlotLine>& references(const Editor& editor, size_t control);

 private:
  bool drawn_ = false;    // in this frame
  bool sampled_ = false;  // it was drawn in the last frame: its signals are wanted
  std::shared_ptr<const Moment> moment_;
  size_t tracked_control_ = 0;
  Tracking tracking_;

  std::shared_ptr<const ControlLaw> law_;  // whose references are known
  double end_ = 0;
  std::vector<PlotLine> references_;
};

// "arm.pd", "force.ground": of the load's controls, and the forces after them.
std::vector<std::string> controlled_names(const Scene& scene);
// With the parameters that are in force at the moment of the frame.
const Load& load_in_force(const Editor& editor);
// The recorded signals that a control's tracking is drawn from.
std::string error_signal(const Editor& editor, const Control& control);
std::string actual_signal(const Editor& editor, const Control& control);
// The table, and the diagrams of the chosen entry.
void draw_tracking(Editor& editor, size_t control);

}  // namespace torsor::editor
