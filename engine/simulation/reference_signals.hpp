#pragma once
// What a control follows, as signals of a recording.

#include "torsor/simulation/recorder.hpp"

namespace torsor {

// Names of those that a control has beside its law's own: of a reference of joints q_ref, v_ref and error, the displacement from q to
// q_ref; of one of a frame pose_ref. None where it follows nothing.
std::vector<std::string> reference_signals(const Control& control);

struct ReferenceSignal {
  std::vector<Column> columns;
  std::function<void(Simulation&, double*& out)> write;  // may throw Error
};
// One of a simulation's control, by its place in the load, under the name that it is recorded by: always of the law that is in force.
ReferenceSignal reference_signal(const Model& model, const std::vector<Control>& controls, size_t control,
                                 const std::string& which, const std::string& name);

}  // namespace torsor
