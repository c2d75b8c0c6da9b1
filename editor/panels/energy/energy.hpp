#pragma once
// The energy panel: the energy ledger of the run as stacked areas, and the power at the joints.

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
  // Zero of the potential energy: true at the world's origin, false at its minimum in the run.
  bool from_world = false;
  std::map<std::string, Range> value{};  // zoomed ranges by diagram; fitted if there is no entry

 private:
  bool drawn_ = false;    // true if the panel was drawn in this frame
  bool sampled_ = false;  // true if it was drawn in the last frame, so its signal is needed
};

}  // namespace torsor::editor
