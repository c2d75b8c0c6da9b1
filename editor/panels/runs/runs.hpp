#pragma once
// The panel of runs: forks of the run, and snapshots.

#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "editor/session/moment.hpp"

namespace torsor::editor {

struct RunsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  // Fork that the current run is compared with. No comparison if it is "" or no longer exists.
  std::string compared;
};

// The fork with which the current run is compared, in its last kept state at or before the current
// time. run is null if there is no fork, or if the fork begins later.
struct ComparedRun {
  const KeptRun* run = nullptr;
  Snapshot state;
};
ComparedRun compared_run(const RunsPanel& panel, const Moment& now);

}  // namespace torsor::editor
