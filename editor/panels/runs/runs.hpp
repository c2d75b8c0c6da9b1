#pragma once
// The panel of runs: forks of the run, and snapshots.

#include <string>
#include <vector>

#include "editor/panels/panel.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor::editor {

struct SessionState;
struct StoredRun;

struct RunsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  // Name of the fork with which the current run is compared; "": none. The fork may have been
  // deleted.
  std::string compared;
};

// The compared fork, with its last stored state at or before the current time.
struct ComparedRun {
  const StoredRun* run = nullptr;  // null: there is no comparison
  Snapshot state;
  std::string missing;  // reason why run is null although a fork was selected, or ""
};
ComparedRun compared_run(const RunsPanel& panel, const SessionState& now);

}  // namespace torsor::editor
