#pragma once
// The output of `torsor inspect --control`: the linear analysis of each joint under PID.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "torsor/analysis/joint_loop.hpp"
#include "torsor/control/control.hpp"
#include "torsor/model/model.hpp"

namespace torsor::cli {

struct ControlledDof {
  std::string name;
  bool turns;
  JointLoop loop;
  LoopAnalysis analysis;
};

// Reads the settings of --control, NAME=VALUE,.., and returns the loop of each dof with a motor,
// except for those that follow others (model/rotor_body.hpp), whose friction belongs to their
// leaders. inertia [n_v]: that of largest_inertias(). A value is one number for all dof, or one for
// each:
//   kp, kd, ki   gains
//   resonance    frequency, rad/s: triple pole at half of it, as the controller pid does
//   pole         triple pole at -pole rad/s
//   double_pole  double pole at -double_pole rad/s, without integral term
// A single word without "=" names a control of the scene, ROBOT.CONTROL, with the controller pid.
// Its gains or resonance are used. Throws Error for unknown or contradictory settings, for controls
// with another law, and if no joint has a motor.
std::vector<ControlledDof> controlled_dofs(const Model& model, const std::vector<double>& inertia,
                                           const std::vector<std::string>& settings,
                                           const std::vector<Control>& controls);

std::string control_text(const std::vector<ControlledDof>& dofs, const std::string& file);
nlohmann::ordered_json control_json(const std::vector<ControlledDof>& dofs,
                                    const std::string& file);
// Draws the gain and phase of the open loops, the closed loops, the step responses and the root
// loci as a .svg or .png file.
void draw_control(const std::vector<ControlledDof>& dofs, const std::filesystem::path& out);

}  // namespace torsor::cli
