#pragma once
// What `torsor compare` found, and how it is printed.

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "torsor/dynamics/derivative_comparison.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

// Two solvers and a quantity, over all states.
struct PairResult {
  std::variant<Compared, Derivative> quantity;
  int a, b;  // solvers
  Disagreement worst;
  int state = 1;            // of the worst, from 1
  int singular_states = 0;  // where both say that M is singular
  std::string failure;      // why a solver gave nothing there, or ""
};

struct Timing {
  double ns;  // per call; NaN where the call fails
  Capability capability;
};

struct CompareReport {
  struct NotApplicable {
    std::string id, reason;
  };
  std::string file, subject;  // subject: "scene" or "robot"
  int columns = 0;            // of the model
  int states = 0;
  uint64_t seed = 0;
  std::vector<PluginInfo> solvers;
  std::vector<NotApplicable> not_applicable;
  std::vector<PairResult> pairs;
  std::vector<Quantity> timed;
  std::vector<std::vector<Timing>> timings;  // of each solver, of what is timed
};

std::string as_text(const CompareReport& report);
nlohmann::ordered_json as_json(const CompareReport& report);
// One line for the results that break the rule, the first by name; "" where all agree.
std::string broken_line(const CompareReport& report);

}  // namespace torsor::cli
