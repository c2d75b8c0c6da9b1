#pragma once
// Metrics in words, and tables of texts.

#include <string>
#include <vector>

#include "torsor/simulation/metrics.hpp"

namespace torsor::cli {

using Cells = std::vector<std::string>;

// What the columns of a row of metrics are, and a row: "-" is not defined, "never" has not settled by the end.
Cells metrics_heads();
Cells metrics_cells(const MetricsRow& row);

// Rows under each other, the first the heads, with blanks before each. The first so many columns are set left, the others right; a
// row may have fewer cells, whose last then takes what it needs.
void print_table(const std::vector<Cells>& rows, size_t left, const std::string& indent);

// Of each control of a run, by joint.
void print_metrics(const std::vector<ControlMetrics>& metrics);

}  // namespace torsor::cli
