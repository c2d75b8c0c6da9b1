#pragma once
// Outcomes: the numbers to which a study reduces each run.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "torsor/run/run.hpp"
#include "torsor/study/sampling/plan.hpp"
#include "torsor/study/signal_rows.hpp"

namespace torsor {

struct Outcome {
  std::string name, unit;
  double value;
  // True if NaN is a valid value, such as the overshoot of a control without a reference.
  bool may_be_undefined = false;
};

// A run that has ended.
struct FinishedRun {
  const SignalRows& rows;
  const Run& run;
  std::string failure;  // why the run is not complete, or ""
};

// A function that reduces a run. It is also called for failed runs. It may throw Error.
using OutcomeFunction = std::function<std::vector<Outcome>(const FinishedRun& run)>;

// A scene, and how it declares its study.
struct StudyScene {
  Experiment experiment;
  std::vector<StudyParameter> parameters;
  OutcomeFunction outcome;  // empty: default_outcomes()
};

// A function that loads the scene with these values of parameters.
using SceneSource = std::function<StudyScene(const StudySettings& settings)>;

// Changes an experiment whose scene has no outcome function, so that it records only what
// default_outcomes() needs. Adds metrics if there are controls.
void prepare_default_outcomes(Experiment& experiment);
// Returns the final q and v, unless there are hundreds of them, the energy error, and the metrics
// of each control.
std::vector<Outcome> default_outcomes(const FinishedRun& run);

}  // namespace torsor
