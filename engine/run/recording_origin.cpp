#include "torsor/run/recording_origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"

namespace torsor {

using Json = nlohmann::ordered_json;

std::optional<RecordingOrigin> read_origin(const Recording& recording, const std::string& run) {
  if (recording.description.empty()) return std::nullopt;
  const Json description = Json::parse(recording.description);
  if (!description.contains("experiment")) return std::nullopt;
  try {
    const Json &experiment = description.at("experiment"), &g = experiment.at("gravity");
    RecordingOrigin out{.scene = description.at("scene"),
                        .settings = {},
                        .gravity_W = {g.at(0), g.at(1), g.at(2)},
                        .prescribed_joints = experiment.at("prescribed_joints"),
                        .forces = !experiment.at("forces").empty(),
                        .payloads = !experiment.at("payloads").empty()};
    for (const auto& [name, value] : experiment.at("parameters").items())
      out.settings[name] = value.is_string() ? value.get<std::string>() : value.dump();
    return out;
  } catch (const Json::exception&) {
    throw Error(fmt::format(
        "{}: the description of the run is damaged: the scene, or a part of 'experiment', is "
        "missing or of another type; record the run again",
        run));
  }
}

std::vector<int> unmeasured_dofs(const std::optional<RecordingOrigin>& origin, const Model& model) {
  std::vector<int> out;
  if (!origin) return out;
  // In a recording of several robots, the names of joints begin with that of their robot.
  const std::string prefix = model.robots.size() == 1 ? model.robots[0].name + "." : "";
  for (const std::string& name : origin->prescribed_joints) {
    const auto joint = std::ranges::find_if(model.joints, [&](const Joint& each) {
      return each.name == name || prefix + each.name == name;
    });
    if (joint == model.joints.end()) continue;
    for (int k = 0; k < traits(joint->kind).n_v; ++k) out.push_back(joint->v_index + k);
  }
  return out;
}

std::vector<std::string> load_warnings(const std::optional<RecordingOrigin>& origin, bool loaded,
                                       const std::string& run, const std::string& distorted) {
  std::vector<std::string> out;
  if (!origin) return out;
  if (loaded || origin->forces)
    out.push_back(
        fmt::format("'{}': wrenches or forces acted in this run that are not in tau: they distort "
                    "{}",
                    run, distorted));
  if (origin->payloads)
    out.push_back(fmt::format(
        "'{}': the robot carried a payload in this run: it distorts {}, unless the robot carried "
        "it throughout and it counts as a part of the robot",
        run, distorted));
  return out;
}

}  // namespace torsor
