#pragma once
// Signals of a control in addition to those of its law: its measurements and its reference.

#include <functional>

#include "torsor/signals/signal_names.hpp"
#include "torsor/simulation/simulation.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

struct Column;

struct ControlColumns {
  std::vector<Column> columns;
  std::function<void(Simulation&, double*& out)> write;  // may throw Error
};

// Returns the names of a control's measurements: q_measured and v_measured, as its sensor returned
// them at its last sample. A continuous-time control measures the joints exactly.
std::vector<std::string> measured_signals(const Control& control);

// Returns the names of a control's reference signals. A reference of joints has q_ref, v_ref and
// error (the displacement from q to q_ref). A reference of a frame has pose_ref. A control without
// a reference has none. Both lists omit names that the law uses itself.
std::vector<std::string> reference_signals(const Control& control);

// Make one of these signals. k: index among all controls. which: name in the list. signal: name in
// the recording. A reference is always evaluated for the law that is active at the time.
ControlColumns measured_signal(const SignalNames& names, size_t k, const std::string& which,
                               const std::string& signal);
ControlColumns reference_signal(const SignalNames& names, size_t k, const std::string& which,
                                const std::string& signal);

// pose_columns() returns the columns of a pose in the world, x y z (m) and qw qx qy qz.
// write_pose() writes their values.
std::vector<Column> pose_columns(const std::string& signal);
void write_pose(const Vec3<double>& p, const Quaternion& q, double*& out);

}  // namespace torsor
