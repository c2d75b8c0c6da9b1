#pragma once
// Parameters of plugins: values as the user sets them by name, and values as the plugin receives
// them.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

// A frame that the user specifies: the name of a frame of the model, or "world", and a pose X
// relative to it.
struct FramePlace {
  std::string name;
  Pose<double> X = Pose<double>::identity();
  bool operator==(const FramePlace& other) const;
};
// Returns the body-fixed frame at a place. Throws Error if the model has no frame with this name.
Frame frame_at(const Model& model, const FramePlace& place);

using Rows = std::vector<std::vector<double>>;

// The value of a parameter, by its type:
//   real, integer   one number, or several
//   flag            a bool
//   choice          a name
//   frames          a name, or places
//   configuration   q [n_q]
//   pose            12 numbers: the rotation by rows, then the position
//   path, table     rows; a row of a path is t and q
using ParameterValue =
    std::variant<double, bool, std::string, std::vector<double>, std::vector<FramePlace>, Rows>;

struct Parameter {
  std::string name;
  ParameterValue value;
  bool operator==(const Parameter&) const = default;
};

// The value of a parameter as the plugin receives it. The row of the parameter determines whether
// it is a number or a list. Frames are lists of FramePlace with positions in m.
struct Setting {
  std::string name, unit;
  ParameterValue value;
};

// An object of a plugin whose parameters are set. The handles of plugins are made from it.
struct ConfiguredPlugin {
  std::unique_ptr<Plugin> plugin;
  std::vector<Setting> settings = {};
  // Base q_0 [n_q] of its position coordinates (base_of() of the host), or empty
  std::vector<double> base = {};
};

// Returns parameters that reproduce the settings with some changes. Omits settings with an empty
// value.
std::vector<Parameter> with_changes(const std::vector<Setting>& settings,
                                    const std::vector<Parameter>& changes);

// Returns a hash of everything that determines the behaviour of a plugin: its id, version and
// settings. Frames are hashed by their body and pose.
uint64_t fingerprint(const torsor_descriptor& descriptor, const Model& model,
                     const std::vector<Setting>& settings);

}  // namespace torsor
