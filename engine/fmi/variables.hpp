#pragma once
// The variables of an FMU: what an importer sets and reads. A value reference is an index in the
// list of variables.

#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor::fmi {

struct Variable {
  // time: the independent variable. input: the torque that the importer applies to a dof.
  // parameter: a parameter of the scene. output: a column of the signals that the scene records.
  enum class Kind { time, input, parameter, output };
  Kind kind;
  // input: the dof. parameter: its place in Experiment::parameters. output: the column of the
  // recorder.
  size_t index;
  std::string name, unit, description;
  SceneParameter start;  // of inputs and parameters; other variables have a number that is not used
};

// Returns the names of the signals that the scene records, without comparisons of solvers.
std::vector<std::string> recorded_signals(const Experiment& experiment);

// Returns the time, the inputs, the parameters and the outputs, in this order. Names:
//   time, torque.DOF, parameters.NAME, and the names of columns of recordings
// The dof of prescribed joints and of joints without motors are no inputs. Throws Error if two
// variables have the same name.
std::vector<Variable> variables_of(const Experiment& experiment);

}  // namespace torsor::fmi
