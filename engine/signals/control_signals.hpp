#pragma once
// Signals that a control has beside those of its law: what it measures, and what it follows.

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

// Names of what a control measures: q_measured and v_measured, as its sensor gave them at its last
// sample. A control that is continuous in time measures the joints exactly.
std::vector<std::string> measured_signals(const Control& control);

// Names of what a control follows: q_ref, v_ref and error (the displacement from q to q_ref) of a
// reference of joints, pose_ref of a reference of a frame; empty for a control without a reference.
// Names that its law uses itself are left out of both lists.
std::vector<std::string> reference_signals(const Control& control);

// Makes one of these signals. k: place of the control among all of them; which: its name in the
// list; signal: the name that it is recorded by. A reference is always that of the law that is
// active at the time.
ControlColumns measured_signal(const SignalNames& names, size_t k, const std::string& which,
                               const std::string& signal);
ControlColumns reference_signal(const SignalNames& names, size_t k, const std::string& which,
                                const std::string& signal);

// Columns of a pose, x y z (m) and qw qx qy qz, in the world; and its values.
std::vector<Column> pose_columns(const std::string& signal);
void write_pose(const Vec3<double>& p, const Quaternion& q, double*& out);

}  // namespace torsor
