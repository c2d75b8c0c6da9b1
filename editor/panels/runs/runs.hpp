#pragma once
// Runs: those that were parted from one another, side by side, and states that were kept.

#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "editor/session/moment.hpp"

namespace torsor::editor {

struct RunsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  std::string compared;  // fork that the present run is compared with; "" or one that is gone: none
};

// The fork that a moment is compared with, at the time of the moment: the last state of it that is
// kept until then. Null where there is none that has come so far.
struct ComparedRun {
  const KeptRun* run = nullptr;
  Snapshot state;
};
ComparedRun compared_run(const RunsPanel& panel, const Moment& now);

}  // namespace torsor::editor
