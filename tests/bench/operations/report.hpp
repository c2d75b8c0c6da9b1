#pragma once
// The output of `torsor bench --operations`: the operations of the kernels, the bounds that follow
// from them, and the measured times.

#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "bench/operations/count.hpp"

namespace torsor::bench {

struct OperationsReport {
  struct Line {
    Operations operations;  // path: a number of operations
    Bounds bounds;
    double ns = 0;        // measured, from the poses on; 0 if it was not measured
    double batch_ns = 0;  // measured, a state of a batch, from q on; 0 if it was not measured
  };
  Robot robot;
  std::vector<Line> lines;
};

// The settings of the measurement that a report needs.
Settings operations_settings(const Settings& settings);
OperationsReport operations_report(const Result& result, const Machine& machine);
std::string machine_line(const Machine& machine);
std::string operations_table(const OperationsReport& report);
nlohmann::ordered_json operations_json(const std::vector<OperationsReport>& reports,
                                       const Machine& machine);

}  // namespace torsor::bench
