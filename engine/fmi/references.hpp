#pragma once
// References of controls as inputs of an FMU. The importer sets a reference, and a switch selects
// it or the reference of the scene.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"
#include "torsor/signals/column.hpp"

namespace torsor::fmi {

// The inputs for the reference of one control:
//   a motion of joints   q [n_q], v [n_v] and vdot [n_v] of the robot
//   a motion of a frame  its pose (x, y, z, qw, qx, qy, qz), its velocity V [6] and Vdot [6], as in
//                        Reference
struct ReferenceInput {
  size_t control;               // index in Load::controls
  std::string name;             // "reference.ROBOT.CONTROL"
  std::vector<Column> entries;  // with complete names
  std::vector<double> start;    // [entries] the reference of the scene at time 0
};

// Returns the inputs of all controls with a reference. Controls that need higher derivatives of
// their reference (those of elastic joints) have none.
std::vector<ReferenceInput> reference_inputs(const Experiment& experiment);

// A reference that the importer has set. The control follows it while it is active.
struct HeldReference {
  bool is_active = false;
  Reference value = {};
};

// Writes the values [entries] of an input to the reference. Throws Error if the norm of a
// quaternion differs from 1 by more than 1 %.
void set_reference(const Model& model, const Control& control, std::span<const double> values,
                   HeldReference& out);

// Makes a control follow `held` while it is active, and the reference of the scene otherwise. This
// includes laws that later changes of parameters make. Integrators still end their internal steps
// at the breaks of the scene's reference.
void hold_reference(Control& control, const std::shared_ptr<const HeldReference>& held);

}  // namespace torsor::fmi
