#pragma once
// Measures every subject on each robot, after a comparison of its values.

#include <optional>

#include "bench/memory.hpp"
#include "bench/peers/peer.hpp"
#include "bench/robots.hpp"
#include "bench/solver_subject.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::bench {

struct Settings {
  std::vector<Work> works;
  std::vector<std::string> solvers;  // ids of solver plugins
  int repetitions = 9;
  double min_time = 0.005;  // minimum time of one repetition, s
  double slowest = 0.02;    // limit of the time of one call, s; a slower call is not measured
};

enum class Maker { engine, solver, peer };

struct Column {
  std::string name;  // name of the solver without "solver.", or of the library
  Maker maker;
  Form form;
  bool operator==(const Column&) const = default;
};

// The reason why a cell has no time: the subject has no such quantity, does not support the robot,
// fails in some state (or the reference does), is too slow, or returns wrong values.
enum class Gap { none, lacking, rejected, failed, slow, differs };

// The measurement of one quantity of one subject. `ns` is the processor time per call in ns of each
// repetition; it is empty if there is a gap.
struct Cell {
  std::vector<double> ns;
  // True if the host derived the quantity because the solver does not offer it.
  bool derived = false;
  Gap gap = Gap::none;
  std::string reason;  // of the gap
  // True if the subject is at fault: its values are wrong, it cannot be created, or it fails
  // although the reference does not.
  bool is_fault = false;
  double median() const;
};

struct Row {
  Work work;
  std::vector<Cell> cells;  // one for each column
};

struct Result {
  Robot robot;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string reference;  // name of the solver whose values are the reference
  Memory memory;
};

// Returns every column of total times that occurs in the results, once each.
std::vector<Column> total_columns(const std::vector<Result>& results);

// Returns the ratio of the medians, or nullopt if a cell has no time.
std::optional<double> ratio(const Cell& cell, const Cell& other);
// Return the column with the shortest measured total time of a row, or nullopt: that of a library,
// and that of Torsor's solvers and engine.
std::optional<size_t> fastest_peer(const Result& result, const Row& row);
std::optional<size_t> fastest_subject(const Result& result, const Row& row);

// Measures the robots. The states are the same in every run. The repetitions of all robots are in
// random order, so that a temporary slowdown of the machine does not affect only one of them.
// Throws Error if no solver supports a robot.
std::vector<Result> measure(std::span<const Robot> robots, const Registry& registry,
                            const Settings& settings);

}  // namespace torsor::bench
