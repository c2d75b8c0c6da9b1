#include "torsor/cli/pages/metrics_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torsor::cli {

namespace {

std::string cell(double value, const std::string& unit) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return "never";
  return fmt::format("{:.4g}{}{}", value, unit == "%" ? "" : " ", unit);
}

Cells metrics_heads() {
  return {"rms error",   "peak error", "settles at", "overshoot",
          "peak torque", "motor work", "net work",   "saturated"};
}

Cells metrics_cells(const MetricsRow& row) {
  return {cell(row.rms_error, row.error_unit),
          cell(row.peak_error, row.error_unit),
          cell(row.settling_time, "s"),
          cell(100 * row.overshoot, "%"),
          cell(row.peak_torque, row.torque_unit),
          cell(row.motor_work, "J"),
          cell(row.net_work, "J"),
          cell(100 * row.saturated, "%")};
}

// Appends one line per undefined metric, with the reason, to `lines`. Skips lines that `lines`
// already contains.
void add_reasons(const UndefinedMetrics& why, std::vector<std::string>& lines) {
  const std::pair<const char*, std::string_view> kinds[] = {
      {"rms error, peak error", why.errors}, {"settles at", why.settling_time},
      {"overshoot", why.overshoot},          {"peak torque", why.peak_torque},
      {"motor work, net work", why.work},    {"saturated", why.saturated}};
  for (const auto& [heads, reason] : kinds) {
    const std::string line = fmt::format("{}: {}", heads, reason);
    if (!reason.empty() && !std::ranges::count(lines, line)) lines.push_back(line);
  }
}

void print_reasons(const std::vector<std::string>& lines, const std::string& indent) {
  for (const std::string& line : lines) fmt::print("{}-  {}\n", indent, line);
}

}  // namespace

std::string table_text(const std::vector<Cells>& rows, size_t left, const std::string& indent) {
  std::string out;
  std::vector<size_t> width(rows[0].size());
  for (const Cells& row : rows)
    for (size_t k = 0; k < row.size(); ++k)
      if (row.size() == width.size() || k + 1 < row.size())
        width[k] = std::max(width[k], row[k].size());
  for (const Cells& row : rows) {
    std::string line = indent;
    for (size_t k = 0; k < row.size(); ++k) {
      const bool last = k + 1 == row.size();
      if (k > 0) line += "  ";
      if (row.size() < width.size() && last)
        line += row[k];
      else if (k < left)
        line += fmt::format("{:<{}}", row[k], width[k]);
      else
        line += fmt::format("{:>{}}", row[k], width[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void print_table(const std::vector<Cells>& rows, size_t left, const std::string& indent) {
  fmt::print("{}", table_text(rows, left, indent));
}

void print_metrics(const std::vector<ControlMetrics>& metrics) {
  for (const ControlMetrics& of : metrics) {
    fmt::print("metrics      of {}.{}\n", of.robot, of.control);
    std::vector<Cells> rows;
    const auto add = [&](const std::string& name, Cells cells) {
      cells.insert(cells.begin(), name);
      rows.push_back(std::move(cells));
    };
    add("", metrics_heads());
    for (const MetricsRow& row : of.rows) add(row.name, metrics_cells(row));
    add(of.all.name, metrics_cells(of.all));
    const std::string indent(13, ' ');
    print_table(rows, 1, indent);
    std::vector<std::string> reasons;
    add_reasons(of.why_undefined, reasons);
    print_reasons(reasons, indent);
  }
}

}  // namespace torsor::cli
