#pragma once
// Metrics as text, and tables of strings.

#include <string>
#include <vector>

#include "torsor/signals/metrics.hpp"

namespace torsor::cli {

using Cells = std::vector<std::string>;

// Return the column heads of metrics, and a row. In a row, "-" means undefined, and "never" means
// that the error has not settled by the end.
Cells metrics_heads();
Cells metrics_cells(const MetricsRow& row);

// Prints rows with an indent. The first row contains the heads. The first `left` columns are
// aligned left, the others right. A row may have fewer cells; its last cell may then be wider than
// its column.
void print_table(const std::vector<Cells>& rows, size_t left, const std::string& indent);

// Appends a line with the reason for each undefined metric in the row `all`. Lines that are already
// in `lines` are not repeated.
void add_reasons(const UndefinedMetrics& why, std::vector<std::string>& lines);
// Prints the reasons below a table, each after the "-" that it explains.
void print_reasons(const std::vector<std::string>& lines, const std::string& indent);

// Prints the metrics of each control of a run, by joint.
void print_metrics(const std::vector<ControlMetrics>& metrics);

}  // namespace torsor::cli
