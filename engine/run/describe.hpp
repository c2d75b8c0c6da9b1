#pragma once
// Describes an experiment and its run as JSON, for the description of a recording.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor {

class RunComparison;

// The identity of a solver plugin: its id, its version, the hash of its file, and the processor
// level for which the file is built (PluginInfo).
struct SolverIdentity {
  std::string id, version, sha256, level = "";
};
using SolverIdentifier = std::function<SolverIdentity(const std::string& id)>;

nlohmann::ordered_json describe(const SolverIdentity& solver);
// Describes a model: its robots, joints with units and limits, links, and warnings.
nlohmann::ordered_json describe(const Model& model);
// Describes an experiment as it was run.
nlohmann::ordered_json describe(const Experiment& experiment);
// Describes the changes made during a run.
nlohmann::ordered_json describe(const std::vector<Change>& changes,
                                const SolverIdentifier& identify);
// Describes a comparison: for each compared solver and quantity, the worst disagreement over the
// rows.
nlohmann::ordered_json describe(const RunComparison& comparison);
// Describes metrics. Undefined values, and the settling time of a control that has not settled, are
// null.
nlohmann::ordered_json describe(const std::vector<ControlMetrics>& metrics);

}  // namespace torsor
