#pragma once
// Converts metrics to tables of strings, and prints tables.

#include <string>
#include <vector>

#include "torsor/signals/metrics.hpp"

namespace torsor::cli {

using Cells = std::vector<std::string>;

// metrics_heads() returns the column heads of a table of metrics. metrics_cells() returns the cells
// of a row. "-" means that the metric is undefined. "never" means that the error has not settled
// before the end of the run.
Cells metrics_heads();
Cells metrics_cells(const MetricsRow& row);

// Returns a table with an indent. The first row contains the column heads. The first `left` columns
// are left-aligned, the others right-aligned. A row may have fewer cells than the first row. The
// last cell of such a row may be wider than its column.
std::string table_text(const std::vector<Cells>& rows, size_t left, const std::string& indent);
// Prints that table.
void print_table(const std::vector<Cells>& rows, size_t left, const std::string& indent);

// Appends one line per undefined metric, with the reason, to `lines`. Skips lines that `lines`
// already contains.
void add_reasons(const UndefinedMetrics& why, std::vector<std::string>& lines);
// Prints the reasons for undefined metrics below a table. Each line begins with "-", the symbol of
// an undefined metric in the table.
void print_reasons(const std::vector<std::string>& lines, const std::string& indent);

// Prints the metrics of each control of a run, by joint.
void print_metrics(const std::vector<ControlMetrics>& metrics);

}  // namespace torsor::cli
