#pragma once
// The columns, rows and description of a recording for tests.

#include <fmt/format.h>

#include <cmath>

#include "torsor/signals/recorder.hpp"

namespace torsor::test {

inline constexpr int width = 16;  // number of columns

inline std::vector<std::string> signals() {
  return {"arm.q", "arm.twist.tip", "arm.twist.tip.b", "energy"};
}
// Returns the columns. There are frames named "tip" and "tip.b", and a joint name with a slash,
// quotes and a comma.
inline std::vector<Column> columns() {
  std::vector<Column> columns{
      {"time", "s", ""}, {"arm.q.a", "rad", ""}, {"arm.q.\xc3\xa9/\"b\", c", "m", ""}};
  for (const char* frame : {"tip", "tip.b"})
    for (const char* part : {"wx", "wy", "wz", "vx", "vy", "vz"})
      columns.push_back(
          {fmt::format("arm.twist.{}.{}", frame, part), part[0] == 'w' ? "rad/s" : "m/s", frame});
  columns.push_back({"energy.kinetic", "J", ""});
  return columns;
}
inline std::vector<double> row_of(int k) {
  std::vector<double> row;
  for (int c = 0; c < width; ++c) row.push_back(c == 0 ? 1e-3 * k : std::sin(k + 0.1 * c));
  return row;
}
inline std::string description(bool complete) {
  std::string text = fmt::format("{{\n \"complete\": {},\n", complete);
  if (!complete) text += " \"error\": \"it stopped\",\n";
  text +=
      " \"experiment\": {\"record\": [\"arm.q\", \"arm.twist.tip\", \"arm.twist.tip.b\", "
      "\"energy\"]},\n \"columns\": [";
  for (const Column& column : columns()) {
    std::string name;
    for (const char c : column.name) name += c == '"' ? "\\\"" : std::string(1, c);
    text += fmt::format(
        "{}{{\"name\": \"{}\", \"unit\": \"{}\"{}}}", text.ends_with('[') ? "" : ",\n  ", name,
        column.unit, column.frame.empty() ? "" : fmt::format(", \"frame\": \"{}\"", column.frame));
  }
  return text + "]\n}\n";
}

}  // namespace torsor::test
