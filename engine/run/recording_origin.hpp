#pragma once
// The simulation run that made a recording, for the identification of its robot.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/recording/recording.hpp"

namespace torsor {

struct RecordingOrigin {
  std::string scene;
  std::map<std::string, std::string> settings;  // parameter values of the scene
  Vec3<double> gravity_W;
  std::vector<std::string> prescribed_joints;
  bool forces, payloads;
};

// Reads the run from the recording's description. `run` is the name of the recording in messages.
// Returns nullopt if the description contains no run, for example because a real robot was
// recorded. Throws Error if the description is damaged.
std::optional<RecordingOrigin> read_origin(const Recording& recording, const std::string& run);

// Returns the dof of the model whose joints had a prescribed motion. Their torques are not
// measured. Joints of other robots of the recording are omitted.
std::vector<int> unmeasured_dofs(const std::optional<RecordingOrigin>& origin, const Model& model);

// Returns warnings about loads of the robot that tau does not include. loaded: true if the scene
// that provides the model has such loads. distorted: the results that they distort.
std::vector<std::string> load_warnings(const std::optional<RecordingOrigin>& origin, bool loaded,
                                       const std::string& run, const std::string& distorted);

}  // namespace torsor
