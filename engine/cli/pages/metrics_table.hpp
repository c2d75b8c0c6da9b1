#pragma once
// Prints tables of strings, and the metrics of controls.

#include <string>
#include <vector>

#include "torsor/signals/metrics.hpp"

namespace torsor::cli {

using Cells = std::vector<std::string>;

// Returns a table with an indent. The first row contains the column heads. The first `left` columns
// are left-aligned, the others right-aligned. A row may have fewer cells than the first row. The
// last cell of such a row may be wider than its column.
std::string table_text(const std::vector<Cells>& rows, size_t left, const std::string& indent);
// Prints that table.
void print_table(const std::vector<Cells>& rows, size_t left, const std::string& indent);

// Prints the metrics of each control of a run, by joint. "-" means that the metric is undefined,
// and "never" that the error has not settled before the end of the run. Lines below each table
// state the reasons for undefined metrics.
void print_metrics(const std::vector<ControlMetrics>& metrics);

}  // namespace torsor::cli
