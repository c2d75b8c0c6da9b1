#pragma once
// Times every subject on one robot, after its values were compared.

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
  double min_time = 0.005;  // seconds of one repetition
  double slowest = 0.02;    // seconds: a call that takes longer is not measured
};

enum class Maker { engine, solver, peer };

struct Column {
  std::string name;  // of the solver without "solver.", or of the library
  Maker maker;
  Form form;
  bool operator==(const Column&) const = default;
};

// Why a cell has no time: the subject has no such quantity, does not take the robot, fails in some
// state, takes too long, or gives other values than the reference.
enum class Gap { none, lacking, refused, failed, slow, differs };

// Nanoseconds of processor time per call in each repetition; empty where there is a gap.
struct Cell {
  std::vector<double> ns;
  bool derived = false;  // the solver does not offer it: the host derived it
  Gap gap = Gap::none;
  std::string reason;  // of the gap
  // Of the subject: it differs, or breaks or fails where the reference does not.
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

// Of the medians; nothing where either was not measured.
std::optional<double> ratio(const Cell& cell, const Cell& other);
// The column of the first library that takes the robot: tables show ratios to it.
std::optional<size_t> first_peer(const Result& result);

// The states are the same in every run. All repetitions on all these robots are in random order, so
// that what slows the machine for a while falls on all alike. Throws Error where no solver takes a
// robot.
std::vector<Result> measure(std::span<const Robot> robots, const Registry& registry,
                            const Settings& settings);

}  // namespace torsor::bench
