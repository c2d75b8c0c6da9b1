#include "torsor/run/measured_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

// Returns the names of the robots whose positions q are recorded.
std::vector<std::string> robots_of(const Recording& recording) {
  std::vector<std::string> names;
  for (const Column& column : recording.columns)
    if (const size_t end = column.name.find(".q."); end != std::string::npos)
      if (names.empty() || names.back() != column.name.substr(0, end))
        names.push_back(column.name.substr(0, end));
  return names;
}

using UnitOf = std::string_view (*)(const JointDof& dof);

// One measured quantity. columns: indices of its recorded columns, in the order of the model's dof.
struct MeasuredQuantity {
  std::string quantity;
  UnitOf unit;  // null for q, whose units are those of the coordinates
  std::vector<double>& values;
  std::vector<size_t> columns = {};
  bool is_q() const { return unit == nullptr; }
};

// Returns the units of the entries of a quantity.
std::vector<std::string_view> units_of(const Model& model, const MeasuredQuantity& measured) {
  std::vector<std::string_view> out;
  for (const Joint& joint : model.joints) {
    if (measured.is_q())
      for (const JointCoordinate& each : traits(joint.kind).coordinates) out.push_back(each.unit);
    else
      for (const JointDof& dof : traits(joint.kind).dofs) out.push_back(measured.unit(dof));
  }
  return out;
}

// Throws Error if a column has another unit than its values must have.
void require_unit(const Column& column, std::string_view unit, const std::string& run) {
  if (column.unit == unit) return;
  throw Error(fmt::format("'{}': the unit of the column '{}' is [{}]; convert it to [{}]", run,
                          column.name, column.unit, unit));
}

// Signals and columns that the identification needs but that were not recorded.
struct MissingSignals {
  std::vector<std::string> columns, signals;
};

// Finds the columns of a quantity in the recording. Adds the missing columns and signals to
// `missing`.
void find_columns(const Recording& recording, const Model& model, MeasuredQuantity& measured,
                  MissingSignals& missing) {
  const std::vector<std::string> names =
      measured.is_q() ? model.coordinate_names() : model.dof_names();
  measured.columns.resize(names.size());
  for (const Robot& robot : model.robots) {
    const std::string signal = fmt::format("{}.{}", robot.name, measured.quantity);
    const int first = measured.is_q() ? robot.first_q : robot.first_v,
              count = measured.is_q() ? robot.n_q : robot.n_v;
    bool complete = true;
    for (size_t k = size_t(first); k < size_t(first + count); ++k) {
      const std::string own =
          model.robots.size() > 1 ? names[k].substr(robot.name.size() + 1) : names[k];
      const std::string name = fmt::format("{}.{}", signal, own);
      const auto found = std::ranges::find(recording.columns, name, &Column::name);
      measured.columns[k] = size_t(found - recording.columns.begin());
      if (found != recording.columns.end()) continue;
      missing.columns.push_back(name);
      complete = false;
    }
    if (!complete) missing.signals.push_back(signal);
  }
}

[[noreturn]] void fail_missing(const Recording& recording, const MissingSignals& missing,
                               const std::string& run) {
  const std::vector<std::string> robots = robots_of(recording);
  throw Error(fmt::format(
      "'{}' has no column '{}'; {}; identification needs q and tau of all joints, and v and vdot "
      "unless they follow from q: record "
      "\"{}\"",
      run, missing.columns.front(),
      robots.empty() ? "it has no joint positions"
                     : fmt::format("it has joint positions of {}", fmt::join(robots, ", ")),
      fmt::join(missing.signals, "\", \"")));
}

void require_units(const Recording& recording, const Model& model, const MeasuredQuantity& measured,
                   const std::string& run) {
  const std::vector<std::string_view> units = units_of(model, measured);
  for (size_t k = 0; k < units.size(); ++k)
    require_unit(recording.columns[measured.columns[k]], units[k], run);
}

void read_values(const Recording& recording, MeasuredQuantity& measured, const std::string& run) {
  measured.values.reserve(recording.rows() * measured.columns.size());
  for (size_t row = 0; row < recording.rows(); ++row)
    for (const size_t column : measured.columns) {
      measured.values.push_back(recording.values[row * recording.columns.size() + column]);
      if (!std::isfinite(measured.values.back()))
        throw Error(fmt::format("'{}': '{}' is not finite in row {}", run,
                                recording.columns[column].name, row + 1));
    }
}

std::vector<double> read_time(const Recording& recording, const std::string& run) {
  require_unit(recording.columns.front(), "s", run);
  std::vector<double> time;
  for (size_t row = 0; row < recording.rows(); ++row) {
    time.push_back(recording.values[row * recording.columns.size()]);
    if (!std::isfinite(time.back()))
      throw Error(fmt::format("'{}': the time is not finite in row {}", run, row + 1));
  }
  return time;
}

}  // namespace

MeasuredRun read_measured_run(const Recording& recording, const Model& model,
                              const std::string& name, const MeasuredRunOptions& options) {
  MeasuredRun out;
  MeasuredMotion& motion = out.motion;
  const UnitOf tau = [](const JointDof&dof) { return dof.tau_unit(); },
               v = [](const JointDof&dof) { return dof.v_unit(); },
               vdot = [](const JointDof&dof) { return dof.vdot_unit(); };
  const std::string q = options.measured_by.empty() ? "q" : options.measured_by + ".q_measured";
  MeasuredQuantity needed[] = {{q, nullptr, motion.q}, {"tau", tau, motion.tau}};
  MeasuredQuantity rates[] = {{"v", v, motion.v}, {"vdot", vdot, motion.vdot}};
  MissingSignals missing, missing_rates;
  for (MeasuredQuantity& measured : needed) find_columns(recording, model, measured, missing);
  const bool only_positions = options.only_positions || !options.measured_by.empty();
  if (!only_positions)
    for (MeasuredQuantity& measured : rates)
      find_columns(recording, model, measured, missing_rates);
  if (!missing.columns.empty()) {
    for (const auto list : {&MissingSignals::columns, &MissingSignals::signals})
      for (const std::string& each : missing_rates.*list) (missing.*list).push_back(each);
    fail_missing(recording, missing, name);
  }
  for (MeasuredQuantity& measured : needed) {
    if (measured.is_q() || !options.motor_signals) require_units(recording, model, measured, name);
    read_values(recording, measured, name);
  }
  out.time = read_time(recording, name);
  for (size_t row = 0; row < recording.rows(); ++row)
    normalise(model, std::span(motion.q).subspan(row * size_t(model.n_q), size_t(model.n_q)));
  if (!only_positions && missing_rates.columns.empty()) {
    for (MeasuredQuantity& measured : rates) {
      require_units(recording, model, measured, name);
      read_values(recording, measured, name);
    }
    return out;
  }
  try {
    out.filtered = filter_positions(model, out.time, motion.q, motion.tau, options.cutoffs);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  out.time = out.filtered->time;
  motion = out.filtered->motion;
  return out;
}

}  // namespace torsor
