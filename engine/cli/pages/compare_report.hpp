#pragma once
// The results of `torsor compare`, as text and JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "torsor/analysis/derivative_comparison.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

// The largest disagreement of two solvers in one quantity, over all states.
struct PairResult {
  std::variant<Compared, Derivative> quantity;
  int a, b;  // indices of the solvers
  Disagreement worst;
  int state = 1;            // number of the state with the largest disagreement, counted from 1
  int singular_states = 0;  // number of states at which both solvers report a singular M
  std::string failure;      // why a solver failed at this state, or ""
};

struct Timing {
  double ns;  // time per call in ns; NaN if the call fails
  Capability capability;
};

struct CompareReport {
  struct NotApplicable {
    std::string id, reason;
  };
  std::string file, subject;  // subject: "scene" or "robot"
  int columns = 0;            // number of degrees of freedom of the model
  int states = 0;
  uint64_t seed = 0;
  std::vector<PluginInfo> solvers;
  std::vector<NotApplicable> not_applicable;
  std::vector<PairResult> pairs;
  std::vector<Quantity> timed;
  std::vector<std::vector<Timing>> timings;  // one row per solver, one entry per timed quantity
};

std::string as_text(const CompareReport& report);
nlohmann::ordered_json as_json(const CompareReport& report);
// Returns a message that describes the first disagreement above its tolerance and states how many
// others there are. Returns "" if no disagreement is above its tolerance.
std::string broken_line(const CompareReport& report);

}  // namespace torsor::cli
