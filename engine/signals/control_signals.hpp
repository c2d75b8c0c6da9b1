#pragma once
// Signals of a control in addition to the signals of its law: measurements and reference.

#include <functional>
#include <string>
#include <vector>

#include "torsor/signals/column.hpp"
#include "torsor/signals/signal_names.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

class Simulation;

struct ControlColumns {
  std::vector<Column> columns;
  std::function<void(Simulation&, double*& out)> write;  // may throw Error
};

// Returns the names of a control's measurement signals: q_measured and v_measured. Their values are
// those that its sensor returned at the last sample. A continuous-time control measures the exact
// values. Omits names that the law already uses for signals.
std::vector<std::string> measured_signals(const Control& control);

// Returns the names of a control's reference signals. Omits names that the law already uses for
// signals.
// - A reference of joints has q_ref, v_ref and error (the displacement from q to q_ref).
// - A reference of a frame has pose_ref.
// - A control without a reference has none.
std::vector<std::string> reference_signals(const Control& control);

// Make a signal from one of these lists. The values are those of the law that is active when a row
// is written.
// - k: index among all controls
// - which: name in the list
// - signal: name in the recording
ControlColumns measured_signal(const SignalNames& names, size_t k, const std::string& which,
                               const std::string& signal);
ControlColumns reference_signal(const SignalNames& names, size_t k, const std::string& which,
                                const std::string& signal);

// pose_columns() returns the columns of a pose in the world: x y z (m), then qw qx qy qz.
// write_pose() writes the values of these columns.
std::vector<Column> pose_columns(const std::string& signal);
void write_pose(const Vec3<double>& p, const Quaternion& q, double*& out);

}  // namespace torsor
