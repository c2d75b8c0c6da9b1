#include "torsor/scripting/values/read_trajectory.hpp"

#include "torsor/base/memory.hpp"
#include "torsor/base/text.hpp"
#include "torsor/handles/sequence.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/recording/csv_file.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/joint_values.hpp"
#include "torsor/scripting/values/read_force.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

namespace {

constexpr const char* trajectory_type = "trajectory";

Rows read_file(lua_State* L, const std::string& name, const Place& place) {
  const std::filesystem::path file = named_file(L, name);
  require_readable_by_script(L, file, "arm:trajectory");
  Sandbox::of(L).note_file(L, file);
  Rows rows;
  try {
    rows = read_csv_rows(file);
  } catch (const Error& error) {
    place.fail(fmt::format("cannot be read: {}", error.what()));
  }
  const size_t columns = rows.empty() ? 0 : rows.front().size();
  Sandbox::of(L).charge(L, (long long)(10 * rows.size() * columns));
  return rows;
}

// bytes_per_row: memory in bytes of one row (a vector and its heap block). numbers_per_entry:
// numbers stored per entry of a row, including derived numbers of the plugin such as spline
// coefficients.
constexpr double bytes_per_row = 100, numbers_per_entry = 6;

// Reads a list. Returns one row f(stack index, place) per entry.
template <class Function>
Rows read_rows(lua_State* L, int index, const Place& place, const char* needed, const Function& f) {
  if (!lua_istable(L, index) || count_keys(L, index) != lua_rawlen(L, index))
    place.fail(fmt::format("is a {}; it must be {}", luaL_typename(L, index), needed));
  require_own_entries(L, index, place, needed);
  Rows rows;
  for (lua_Integer i = 1; i <= lua_Integer(lua_rawlen(L, index)); ++i) {
    lua_rawgeti(L, index, i);
    rows.push_back(f(lua_gettop(L), Place{place.owner, fmt::format("{}[{}]", place.path, i)}));
    reserve_memory(place.owner + ": " + place.path,
                   bytes_per_row + numbers_per_entry * sizeof(double) * double(rows.back().size()));
    lua_pop(L, 1);
  }
  return rows;
}

Rows read_path(lua_State* L, int index, const Place& place, const Model& model) {
  if (lua_type(L, index) == LUA_TSTRING) return read_file(L, name_at(L, index, place), place);
  return read_rows(L, index, place, "a list of rows { time, position }, or the name of a CSV file",
                   [&](int row, const Place& entry) {
                     if (!lua_istable(L, row) || lua_rawlen(L, row) != 2 || count_keys(L, row) != 2)
                       entry.fail("is not a row { time, position }");
                     require_own_entries(L, row, entry, "a row { time, position }");
                     lua_rawgeti(L, row, 1);
                     const double t = number_at(L, lua_gettop(L), entry);
                     lua_rawgeti(L, row, 2);
                     std::vector<double> out = read_position(L, lua_gettop(L), entry, model);
                     out.insert(out.begin(), t);
                     lua_settop(L, row);
                     return out;
                   });
}

std::vector<double> numbers_of(const Pose<double>& X) {
  std::vector<double> out(X.R.m, X.R.m + 9);
  out.insert(out.end(), {X.p.x, X.p.y, X.p.z});
  return out;
}

ParameterValue read_value(lua_State* L, int index, const Place& place, int type,
                          const Model& model) {
  switch (type) {
    case TORSOR_CONFIGURATION:
      return read_position(L, index, place, model);
    case TORSOR_PATH:
      return read_path(L, index, place, model);
    case TORSOR_TABLE:
      return read_rows(L, index, place, "a list of rows of numbers",
                       [&](int row, const Place& entry) { return numbers_at(L, row, entry); });
    case TORSOR_POSE:
      return numbers_of(pose_at(L, index, place));
    case TORSOR_POSES:
      return read_rows(L, index, place, "a list of poses", [&](int row, const Place& entry) {
        return numbers_of(pose_at(L, row, entry));
      });
    default:
      return read_plain_value(L, index, place);
  }
}

std::vector<Parameter> read_parameters(lua_State* L, const PluginInfo& plugin, const Model& model) {
  const std::string owner =
      fmt::format("trajectory '{}'", plugin.id.substr(plugin.id.find('.') + 1));
  std::vector<Parameter> out;
  require_plain(L, 3, {owner, ""}, "parameters by their names");
  for (const Key& key : sorted_keys(L, 3)) {
    const auto* name = std::get_if<std::string_view>(&key);
    if (!name)
      throw Error(
          fmt::format("{}: has the key {}; keys must be parameter names", owner, quoted(key)));
    Sandbox::of(L).charge_memory(L, bytes_per_setting);
    const auto row =
        std::find_if(plugin.parameters.begin(), plugin.parameters.end(),
                     [&](const ParameterInfo& parameter) { return parameter.name == *name; });
    const int type = row == plugin.parameters.end() ? TORSOR_REAL : row->type;
    push_key(L, key);
    lua_rawget(L, 3);
    out.push_back({std::string(*name),
                   read_value(L, lua_gettop(L), Place{owner, std::string(*name)}, type, model)});
    lua_settop(L, 3);
  }
  return out;
}

// Implements move:at(t).
int at(lua_State* L) {
  const auto& self_ = self<TrajectoryObject>(L, trajectory_type, "move:at(t)");
  const double t = number_at(L, 2, {"move:at", "t"});
  Sandbox::of(L).charge(L, 100 + 20 * self_.trajectory->model().n_v);
  Reference out = self_.trajectory->make_reference();
  if (const Status status = self_.trajectory->evaluate(t, out); !status)
    throw Error(self_.trajectory->explain(status));
  push_reference(L, out, self_.trajectory->of_frame());
  return 1;
}

// Implements the fields of a trajectory, such as move.duration.
int index(lua_State* L) {
  const DesiredMotion& trajectory =
      *self<TrajectoryObject>(L, trajectory_type, "move:at(t)").trajectory;
  const std::string key =
      lua_type(L, 2) == LUA_TSTRING ? quotable(text(L, 2)) : luaL_typename(L, 2);
  if (key == "at")
    lua_pushcfunction(L, guarded<at>);
  else if (key == "duration")
    lua_pushnumber(L, trajectory.duration());
  else if (key == "breaks")
    push_list(L, trajectory.breaks());
  else if (key == "smoothness")
    lua_pushnumber(L,
                   trajectory.smoothness() == TORSOR_SMOOTH ? HUGE_VAL : trajectory.smoothness());
  else if (key == "order")
    lua_pushinteger(L, trajectory.order());
  else
    throw Error(
        fmt::format("a trajectory has no '{}'; it has at, breaks, duration, order, smoothness{}",
                    key, did_you_mean(key, {"at", "breaks", "duration", "order", "smoothness"})));
  return 1;
}

}  // namespace

int make_trajectory(lua_State* L) {
  SceneContext& scene = scene_of(L);
  auto& robot = self<RobotObject>(L, robot_type, "arm:trajectory(name, {...})");
  if (lua_type(L, 2) != LUA_TSTRING || !lua_istable(L, 3))
    throw Error(
        "arm:trajectory takes the name of a trajectory plugin and a table of its parameters");
  lua_settop(L, 3);
  const std::string id = name_at(L, 2, {"arm:trajectory", "name"});
  const auto& plugins = scene_of(L).plugins;
  if (!plugins)
    throw Error(fmt::format(
        "trajectory '{}': plugins are not available where this scene is loaded; run it as a scene",
        id));
  const PluginInfo& plugin = plugins->find<Trajectory>(id);
  const std::shared_ptr<const Model>& model = own_model(L, robot);
  const std::vector<Parameter> parameters = read_parameters(L, plugin, *model);
  push_trajectory(L, scene, plugins->make<Trajectory>(plugin.id, model, parameters));
  return 1;
}

void push_trajectory(lua_State* L, SceneContext& scene,
                     std::shared_ptr<const DesiredMotion> motion) {
  scene.trajectories.push_back(
      std::make_unique<TrajectoryObject>(TrajectoryObject{std::move(motion)}));
  push_handle(L, scene.trajectories.back().get(), trajectory_type);
}

namespace {

// Implements torsor.sequence{ motion, pause, .., smoothness = }.
int make_sequence(lua_State* L) {
  const lua_Integer n = lua_istable(L, 1) ? lua_Integer(lua_rawlen(L, 1)) : 0;
  const Place place{"torsor.sequence", ""};
  const TableReader table(L, 1, place, {"smoothness"}, int(n));
  const double continuous = table.number_or("smoothness", 1);
  if (!(continuous >= 1 && continuous <= double(TORSOR_MAX_ORDER)) ||
      continuous != std::floor(continuous))
    place.inside("smoothness")
        .fail(fmt::format("is {}; give a whole number from 1 to {}, the number of derivatives that "
                          "must be continuous where two motions join",
                          continuous, TORSOR_MAX_ORDER));
  std::vector<Sequence::Entry> entries;
  for (lua_Integer k = 1; k <= n; ++k) {
    lua_rawgeti(L, 1, k);
    const int at = lua_gettop(L);
    if (lua_type(L, at) == LUA_TNUMBER)
      entries.emplace_back(lua_tonumber(L, at));
    else if (const auto motion = trajectory_at(L, at))
      entries.emplace_back(motion);
    else
      place.fail(fmt::format("has a {} as entry {}; give trajectories and pauses in s",
                             luaL_typename(L, at), k));
    Sandbox::of(L).charge(L, 1000);
    lua_settop(L, at - 1);
  }
  push_trajectory(L, scene_of(L), std::make_shared<const Sequence>(entries, int(continuous)));
  return 1;
}

}  // namespace

void add_trajectory_functions(lua_State* L) {
  constexpr Function functions[] = {{"sequence", guarded<make_sequence>}};
  add_functions(L, functions);

  luaL_newmetatable(L, trajectory_type);
  lua_pushcfunction(L, guarded<index>);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

std::shared_ptr<const DesiredMotion> trajectory_at(lua_State* L, int index) {
  const auto* object = static_cast<const TrajectoryObject*>(object_at(L, index, trajectory_type));
  return object ? object->trajectory : nullptr;
}

namespace {

// Evaluates a trajectory for one joint. Each copy has its own buffer `reference`, so copies may be
// called from different threads.
struct Follow {
  std::shared_ptr<const DesiredMotion> trajectory;
  size_t first;
  Reference reference = trajectory->make_reference(2);

  Follow(std::shared_ptr<const DesiredMotion> of, size_t column)
      : trajectory(std::move(of)), first(column) {}
  Follow(const Follow& other) : Follow(other.trajectory, other.first) {}

  void operator()(double t, std::span<double> v, std::span<double> vdot) {
    if (const Status status = trajectory->evaluate(t, reference); !status)
      throw Error(trajectory->explain(status));
    std::copy_n(reference.v.begin() + long(first), v.size(), v.begin());
    std::copy_n(reference.vdot.begin() + long(first), vdot.size(), vdot.begin());
  }
};

}  // namespace

std::function<void(double, std::span<double>, std::span<double>)> motion_of_joint(
    const std::shared_ptr<const DesiredMotion>& trajectory, const std::string& joint,
    JointKind kind) {
  const std::vector<Joint>& joints = trajectory->model().joints;
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const Joint& each) { return each.name == joint; });
  if (trajectory->of_frame() || found == joints.end() || trajectory->order() < 2)
    throw Error(
        fmt::format("trajectory '{}' does not move joint '{}'; use a trajectory of this joint",
                    trajectory->id(), joint));
  if (found->kind != kind)
    throw Error(
        fmt::format("trajectory '{}' belongs to another robot, whose joint '{}' is {}, not {}",
                    trajectory->id(), joint, traits(found->kind).name, traits(kind).name));
  return Follow(trajectory, size_t(found->v_index));
}

}  // namespace torsor::lua
