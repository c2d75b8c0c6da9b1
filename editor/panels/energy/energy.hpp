#pragma once
// Energy: the ledger of the run as stacked areas, and the power of what acts at the joints.

#include <map>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/plot/axis.hpp"

namespace torsor::editor {

struct EnergyPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::vector<std::string> wanted_signals(const Editor& editor) override;
  void begin_frame(Editor& editor) override;

  enum class View { ledger, power } view = View::ledger;
  // Potential energy from the world's origin, else from its lowest in the run.
  bool from_world = false;
  std::map<std::string, Range> value{};  // by diagram, where it is not fitted

 private:
  bool drawn_ = false;    // in this frame
  bool sampled_ = false;  // it was drawn in the last frame: its signal is wanted
};

}  // namespace torsor::editor
