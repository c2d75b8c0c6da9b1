#include "torsor/scripting/values/reference_values.hpp"

#include <algorithm>

#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/values/joint_values.hpp"

namespace torsor::lua {

namespace {

constexpr const char* twists[] = {"twist", "twist_dot", "twist_ddot", "twist_dddot"};

void push_pose(lua_State* L, const Pose<double>& X) {
  lua_createtable(L, 0, 2);
  set_list(L, "xyz", {&X.p.x, 3});
  lua_createtable(L, 3, 0);
  for (int row = 0; row < 3; ++row) {
    push_list(L, {X.R.m + 3 * row, 3});
    lua_rawseti(L, -2, row + 1);
  }
  lua_setfield(L, -2, "rotation");
}

Twist<double> read_twist(const TableReader& parent, const char* key) {
  Twist<double> V{};
  if (!parent.has(key)) return V;
  const TableReader table = parent.table(key, {"angular", "linear"});
  if (table.has("angular")) V.w = table.vector("angular");
  if (table.has("linear")) V.v = table.vector("linear");
  return V;
}

}  // namespace

void set_list(lua_State* L, const char* name, std::span<const double> values) {
  push_list(L, values);
  lua_setfield(L, -2, name);
}

void push_reference(lua_State* L, const Reference& reference, bool of_frame) {
  lua_createtable(L, 0, 5);
  if (!of_frame) {
    set_list(L, "q", reference.q);
    const std::pair<const char*, const std::vector<double>*> rates[] = {
        {"v", &reference.v},
        {"vdot", &reference.vdot},
        {"vddot", &reference.vddot},
        {"vdddot", &reference.vdddot}};
    for (int k = 0; k < reference.order; ++k) set_list(L, rates[k].first, *rates[k].second);
    return;
  }
  push_pose(L, reference.X_WF);
  lua_setfield(L, -2, "pose");
  for (int k = 0; k < reference.order; ++k) {
    const Twist<double>& V = reference.V[size_t(k)];
    lua_createtable(L, 0, 2);
    set_list(L, "angular", {&V.w.x, 3});
    set_list(L, "linear", {&V.v.x, 3});
    lua_setfield(L, -2, twists[k]);
  }
}

void read_reference(lua_State* L, int index, const Place& place, bool of_frame, Reference& out) {
  if (of_frame) {
    const TableReader table(L, index, place,
                            {"pose", "twist", "twist_dot", "twist_ddot", "twist_dddot"});
    (void)table.one_of({"pose"});
    out.X_WF = read_pose(table, "pose");
    for (int k = 0; k < TORSOR_MAX_ORDER; ++k) out.V[size_t(k)] = read_twist(table, twists[k]);
    return;
  }
  const TableReader table(L, index, place, {"q", "v", "vdot", "vddot", "vdddot"});
  const std::pair<const char*, std::vector<double>*> parts[] = {{"q", &out.q},
                                                                {"v", &out.v},
                                                                {"vdot", &out.vdot},
                                                                {"vddot", &out.vddot},
                                                                {"vdddot", &out.vdddot}};
  for (const auto& [key, part] : parts)
    if (part == &out.q || table.has(key))
      *part = table.numbers(key, part->size());
    else
      std::fill(part->begin(), part->end(), 0.0);
}

std::vector<double> read_position(lua_State* L, int index, const Place& place, const Model& model) {
  if (!lua_istable(L, index))
    place.fail(fmt::format(
        "is a {}; it must be a position of the joints: a list of coordinates, or a table with "
        "joint names as keys",
        luaL_typename(L, index)));
  require_own_entries(L, index, place,
                      "a list of coordinates, or a table with joint names as keys");
  if (lua_rawlen(L, index) > 0 || sorted_keys(L, index).empty()) return numbers_at(L, index, place);
  std::vector<double> q = neutral(model), v(size_t(model.n_v));
  mark_missing(model, q, v);
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) names.push_back(joint.name);
  for (const Key& key : sorted_keys(L, index)) {
    const auto* name = std::get_if<std::string_view>(&key);
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const Joint& each) { return name && each.name == *name; });
    if (joint == model.joints.end())
      place.fail(fmt::format("has the key {}, which is not a moving joint{}", quoted(key),
                             name ? did_you_mean(*name, names) : ""));
    const size_t n = size_t(traits(joint->kind).n_q);
    push_key(L, key);
    lua_rawget(L, index);
    const Place entry = place.inside(joint->name);
    const std::vector<double> given = lua_istable(L, -1)
                                          ? numbers_at(L, lua_gettop(L), entry, n)
                                          : std::vector{number_at(L, lua_gettop(L), entry)};
    if (given.size() != n)
      entry.fail(fmt::format("is one number; this joint has {} coordinates", n));
    std::copy(given.begin(), given.end(), q.begin() + joint->q_index);
    lua_pop(L, 1);
  }
  fill_missing(model, q, v);
  return q;
}

}  // namespace torsor::lua
