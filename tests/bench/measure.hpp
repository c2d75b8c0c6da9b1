#pragma once
// Measurement of every subject on one robot, after a comparison of its values.

#include <optional>

#include "bench/peers/peer.hpp"
#include "bench/robots.hpp"
#include "bench/solver_subject.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::bench {

struct Settings {
  std::vector<Work> works;
  std::vector<std::string> solvers;  // ids
  int repetitions = 9;
  double min_time = 0.005;  // time of one repetition, s
  double slowest = 0.02;    // s; a call that takes longer is not measured
};

enum class Maker { engine, solver, peer };

struct Column {
  std::string name;  // name of the solver without "solver.", or of the library
  Maker maker;
  Form form;
  bool operator==(const Column&) const = default;
};

// The reason why a cell has no time: the subject has no such quantity, does not support the robot,
// fails in some state, takes too long, or gives other values than the reference.
enum class Gap { none, lacking, refused, failed, slow, differs };

// Processor time per call in ns for each repetition; empty if there is a gap.
struct Cell {
  std::vector<double> ns;
  // True if the host derived the quantity because the solver does not offer it.
  bool derived = false;
  Gap gap = Gap::none;
  std::string reason;  // of the gap
  // True if the subject is at fault: it differs, breaks, or fails although the reference does not.
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
  std::string reference;  // the solver that values were compared with
};

// Returns the columns of total time in any of the results: engine, solvers, libraries.
std::vector<Column> total_columns(const std::vector<Result>& results);

// Returns the ratio of the medians, or nullopt if one was not measured.
std::optional<double> ratio(const Cell& cell, const Cell& other);
// Returns the column of the first library that supports the robot. Tables show ratios to it.
std::optional<size_t> first_peer(const Result& result);

// Measures the robots, in the same states in every run. All repetitions on all robots are in random
// order, so that a temporary slowdown of the machine affects all alike. Throws Error if no solver
// supports a robot.
std::vector<Result> measure(std::span<const Robot> robots, const Registry& registry,
                            const Settings& settings);

}  // namespace torsor::bench
