#pragma once
// The variables of an FMU: what an importer sets and reads. A value reference is an index in the
// list of variables.

#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor::fmi {

struct Variable {
  // time: the independent variable. input: a torque that the importer applies to a dof, a value of
  // a reference, or the switch of a reference. parameter: a parameter of the scene. output: a
  // column of the signals that the scene records.
  enum class Kind { time, input, parameter, output };
  Kind kind;
  // input: its place among the inputs (see below). parameter: its place in Experiment::parameters.
  // output: the column of the recorder.
  size_t index;
  std::string name, unit, description;
  // Value at the start and type of the variable. The start of the time and of outputs is not used.
  SceneParameter start;
};

// Returns the names of the signals that the scene records, without comparisons of solvers.
std::vector<std::string> recorded_signals(const Experiment& experiment);

// Returns the time, the inputs, the parameters and the outputs, in this order. Names:
//   time, torque.DOF, reference.ROBOT.CONTROL.active, reference.ROBOT.CONTROL.PART,
//   parameters.NAME, and the names of columns of recordings
// The places of inputs are: [n_v] torques of all dof, then for each ReferenceInput its switch and
// its entries. The dof of prescribed joints and of joints without motors are no inputs. Throws
// Error if two variables have the same name.
std::vector<Variable> variables_of(const Experiment& experiment);

}  // namespace torsor::fmi
