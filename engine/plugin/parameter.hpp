#pragma once
// Parameters of plugins by name: as a user sets them, and as a plugin receives them.

#include <string>
#include <variant>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// A place in the model: the name of a frame, or "world", and a pose X in that frame.
struct FramePlace {
  std::string name;
  Pose<double> X = Pose<double>::identity();
  bool operator==(const FramePlace& other) const;
};
// Returns the frame at a place. Throws Error if the model has no frame of this name.
Frame frame_at(const Model& model, const FramePlace& place);

using Rows = std::vector<std::vector<double>>;

// The value of a parameter, by type:
//   real, integer: one number, or several
//   flag: a bool
//   choice: a name
//   frames: a name, or places
//   configuration: q [n_q]
//   pose: 12 numbers, the rotation by rows, then the position
//   path, table: rows; a row of a path is t and q
using ParameterValue =
    std::variant<double, bool, std::string, std::vector<double>, std::vector<FramePlace>, Rows>;

struct Parameter {
  std::string name;
  ParameterValue value;
  bool operator==(const Parameter&) const = default;
};

// The value of a parameter as the plugin receives it. The plugin's parameter row determines if it
// is a number or a list. Frames are always places, with positions in m.
struct Setting {
  std::string name, unit;
  ParameterValue value;
};

// Returns the parameters that give a plugin these settings with some of them changed. Settings with
// an empty value are left out.
std::vector<Parameter> with_changes(const std::vector<Setting>& settings,
                                    const std::vector<Parameter>& changes);

// Returns a hash of everything that determines the behaviour of a plugin: its id, version and
// settings, and the places of frames on their bodies.
uint64_t fingerprint(const torsor_descriptor& descriptor, const Model& model,
                     const std::vector<Setting>& settings);

}  // namespace torsor
