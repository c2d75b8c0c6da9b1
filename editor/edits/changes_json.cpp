#include "editor/edits/changes_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "torsor/spatial/so3.hpp"

namespace torsor::editor {

namespace {

Vec3<double> as_point(const std::array<double, 3>& x) {
  return {x[0], x[1], x[2]};
}

FramePlace as_place(const nlohmann::json& json) {
  const std::array<double, 4> r = json.at("quaternion");
  return {json.at("frame"),
          {rotation(Quaternion{r[0], r[1], r[2], r[3]}), as_point(json.at("position"))}};
}

ParameterValue as_value(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.empty() && json[0].is_array()) return json.get<Rows>();
  if (!json.empty() && json[0].is_object()) {
    std::vector<FramePlace> out;
    for (const auto& each : json) out.push_back(as_place(each));
    return out;
  }
  return json.get<std::vector<double>>();
}

std::vector<Parameter> as_parameters(const nlohmann::json& json) {
  std::vector<Parameter> out;
  for (const auto& each : json) out.push_back({each.at("name"), as_value(each.at("value"))});
  return out;
}

std::optional<Pull> as_pull(const nlohmann::json& json) {
  if (json.is_null()) return std::nullopt;
  return Pull{json.at("frame"), as_point(json.at("point_m")), as_point(json.at("target_m")),
              json.at("stiffness_N_m"), json.at("damping_N_s_m")};
}

Change as_change(const nlohmann::json& json) {
  const long long step = json.at("step");
  if (json.contains("q"))
    return {step, StateChange{json.at("q"), json.at("v"),
                              json.value("hold", std::vector<std::string>())}};
  if (json.contains("tau")) return {step, TorqueChange{json.at("tau")}};
  if (json.contains("pull")) return {step, PullChange{as_pull(json.at("pull"))}};
  if (json.contains("solver")) return {step, SolverChange{json.at("solver").at("id")}};
  if (json.contains("constraint_solver")) {
    const auto& choice = json.at("constraint_solver");
    return {step,
            ConstraintSolverChange{{choice.at("id"), as_parameters(choice.at("parameters"))}}};
  }
  ParameterChange change;
  for (const auto& each : json.at("parameters"))
    change.controls.push_back(
        {each.at("control"), as_parameters(each.at("law")), as_parameters(each.at("reference"))});
  return {step, std::move(change)};
}

}  // namespace

std::vector<Change> changes_of(const nlohmann::json& json) {
  std::vector<Change> out;
  for (const auto& change : json) out.push_back(as_change(change));
  return out;
}

}  // namespace torsor::editor
