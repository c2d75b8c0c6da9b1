#pragma once
// Metrics in words, and tables of texts.

#include <string>
#include <vector>

#include "torsor/signals/metrics.hpp"

namespace torsor::cli {

using Cells = std::vector<std::string>;

// Return the heads of the columns of metrics, and a row: "-" is undefined, "never" has not settled
// by the end.
Cells metrics_heads();
Cells metrics_cells(const MetricsRow& row);

// Prints rows with an indent; the first row has the heads. The first `left` columns are aligned
// left, the others right. A row may have fewer cells; its last cell is then as wide as it needs.
void print_table(const std::vector<Cells>& rows, size_t left, const std::string& indent);

// Adds a line for each metric of all joints that is not defined, with the reason, unless lines has
// it.
void add_reasons(const UndefinedMetrics& why, std::vector<std::string>& lines);
// Prints the reasons below a table, each after the "-" that it explains.
void print_reasons(const std::vector<std::string>& lines, const std::string& indent);

// Prints the metrics of each control of a run, by joint.
void print_metrics(const std::vector<ControlMetrics>& metrics);

}  // namespace torsor::cli
