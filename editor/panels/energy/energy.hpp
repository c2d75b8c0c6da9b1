#pragma once
// Energy: the ledger of the run as stacked areas, and the power of what acts at the joints.

#include <map>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/plot/axis.hpp"

namespace torsor::editor {

struct EnergyPanel {
  enum class View { ledger, power } view = View::ledger;
  // Potential energy from the world's origin, else from its lowest in the run.
  bool from_world = false;
  std::map<std::string, Range> value{};  // by diagram, where it is not fitted

  bool drawn = false;    // in this frame
  bool sampled = false;  // it was in the last one: its signal is wanted
  const char* signal() const { return view == View::ledger ? "energy" : "power"; }
};

}  // namespace torsor::editor
