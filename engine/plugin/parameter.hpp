#pragma once
// Parameters of plugins by name: as a user gives them, and as a plugin then has them.

#include <string>
#include <variant>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// A frame by the name of one of the model's, or "world", and a pose in it.
struct FramePlace {
  std::string name;
  Pose<double> X = Pose<double>::identity();
  bool operator==(const FramePlace& other) const;
};
// Throws Error where the model has no such frame.
Frame frame_at(const Model& model, const FramePlace& place);

using Rows = std::vector<std::vector<double>>;

// A number or numbers for real and integer parameters, a bool for a flag, a name for a choice, a
// name or places for frames, numbers for a position q [n_q] of the joints and for a pose (12 of
// them, the rotation by rows), rows for a path (t and q each) and a table.
using ParameterValue =
    std::variant<double, bool, std::string, std::vector<double>, std::vector<FramePlace>, Rows>;

struct Parameter {
  std::string name;
  ParameterValue value;
  bool operator==(const Parameter&) const = default;
};

// What a plugin has of one of its rows: a number or a list as the row says, frames always as
// places. m: of the position in these.
struct Setting {
  std::string name, unit;
  ParameterValue value;
};

// What gives a plugin these settings but for the changes, each of which is of one of them.
std::vector<Parameter> with_changes(const std::vector<Setting>& settings,
                                    const std::vector<Parameter>& changes);

// Of all that makes a plugin act as it does: its id, version and settings, and where frames are on
// their bodies.
uint64_t fingerprint(const torsor_descriptor& descriptor, const Model& model,
                     const std::vector<Setting>& settings);

}  // namespace torsor
