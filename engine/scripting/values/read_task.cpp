#include "torsor/scripting/values/read_task.hpp"

#include <cmath>

#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

std::vector<double> positions_at(lua_State* L, int index, const Place& place, const Model& model) {
  std::vector<double> q = numbers_at(L, index, place, size_t(model.n_q));
  try {
    normalise(model, q);
  } catch (const Error& error) {
    place.fail(fmt::format("is not a position: {}", error.what()));
  }
  return q;
}

Twist<double> read_twist(const TableReader& parent, const char* key, Components& counts) {
  const TableReader table = parent.table(key, {"angular", "linear"});
  if (!table.has("angular") && !table.has("linear"))
    table.fail("has neither angular nor linear; give at least one");
  Twist<double> out{};
  if (table.has("angular")) out.w = table.vector("angular");
  if (table.has("linear")) out.v = table.vector("linear");
  for (size_t k = 0; k < 6; ++k) counts[k] = table.has(k < 3 ? "angular" : "linear");
  return out;
}

Components read_components(const TableReader& table, const Components& given) {
  if (!table.has("components")) return given;
  try {
    return named_components(table.texts("components"), given);
  } catch (const Error& error) {
    table.place().inside("components").fail(fmt::format("is wrong: {}", error.what()));
  }
}

const Frame& read_frame(const TableReader& table, const Model& model) {
  const std::string name = table.text("frame");
  try {
    return model.frames[size_t(model.frame(name))];
  } catch (const Error& error) {
    table.fail(error.what());
  }
}

int joint_named(const Place& place, const Model& model, const std::string& name) {
  try {
    return model.joint(name);
  } catch (const Error& error) {
    place.fail(fmt::format("is unknown: {}", error.what()));
  }
}

PoseTarget read_target(const TableReader& table, const Model& model) {
  const std::string key = table.one_of({"pose", "position", "orientation"});
  PoseTarget out{read_frame(table, model), Pose<double>::identity()};
  if (key == "position") {
    out.X_WF.p = table.vector("position");
    out.components = position_components;
  } else {
    out.X_WF = read_pose(table, key.c_str());
    const TableReader given =
        table.table(key.c_str(), {"xyz", "rpy", "rpy_deg", "rotation", "quaternion"});
    if (!given.has("rpy") && !given.has("rpy_deg") && !given.has("rotation") &&
        !given.has("quaternion"))
      given.fail("has no rotation; use 'position' for a position without orientation");
    if (key == "pose" && !given.has("xyz"))
      given.fail("has no xyz; use 'orientation' for an orientation without position");
    if (key == "orientation" && given.has("xyz"))
      given.fail("has xyz; use 'pose' for position and orientation");
    if (key == "orientation") out.components = orientation_components;
  }
  out.components = read_components(table, out.components);
  return out;
}

namespace {

// Reads a table of positions by joint name into q. Returns the indices of these joints.
std::vector<int> read_positions(const TableReader& table, const char* key, const Model& model,
                                std::vector<double>& q) {
  std::vector<int> joints;
  table.each(key, [&](const std::string& name, int value, const Place& place) {
    const int j = joint_named(place, model, name);
    const Joint& joint = model.joints[size_t(j)];
    const size_t n = size_t(traits(joint.kind).n_q);
    const bool one = n == 1 && lua_type(table.state(), value) == LUA_TNUMBER;
    const std::vector<double> given = one ? std::vector{number_at(table.state(), value, place)}
                                          : numbers_at(table.state(), value, place, n);
    std::copy(given.begin(), given.end(), q.begin() + joint.q_index);
    joints.push_back(j);
  });
  return joints;
}

int max_iterations(const TableReader& table) {
  constexpr int most = 10000;
  const double given = table.number_or("max_iterations", SearchSettings{}.max_iterations);
  if (!(given >= 1 && given <= most && given == std::floor(given)))
    table.place()
        .inside("max_iterations")
        .fail(fmt::format("is {}; it must be a whole number from 1 to {}", given, most));
  return int(given);
}

}  // namespace

SearchSettings read_search(const TableReader& table, const Model& model, std::vector<double>& q) {
  if (table.has("start")) {
    if (table.is_list("start"))
      q = table.numbers("start", size_t(model.n_q));
    else
      read_positions(table, "start", model, q);
  }
  SearchSettings out;
  if (table.has("hold")) out.locked = read_positions(table, "hold", model, q);
  out.tolerance = table.number_or("tolerance", out.tolerance);
  if (!(out.tolerance > 0))
    table.place()
        .inside("tolerance")
        .fail(fmt::format("is {}; it must be positive", out.tolerance));
  out.max_iterations = max_iterations(table);
  return out;
}

}  // namespace torsor::lua
