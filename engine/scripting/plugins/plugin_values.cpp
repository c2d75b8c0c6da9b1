#include "torsor/scripting/plugins/plugin_values.hpp"

#include "torsor/base/error.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

namespace {

void set_integer(lua_State* L, const char* key, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

void set_six(lua_State* L, const char* key, const double* x) {
  set_list(L, key, {x, 6});
}

void push_inertia(lua_State* L, const double* inertia) {
  lua_createtable(L, 0, 3);
  lua_pushnumber(L, inertia[0]);
  lua_setfield(L, -2, "mass");
  set_list(L, "first_moment", {inertia + 1, 3});
  const double *I = inertia + 4, rows[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  push_rows(L, rows, 3, 3);
  lua_setfield(L, -2, "about_origin");
}

}  // namespace

void set_bodies(lua_State* L, const char* key, const torsor_model& model,
                const std::function<void(int)>& push) {
  lua_createtable(L, model.n_body - 1, 0);
  for (int i = 1; i < model.n_body; ++i) {
    push(i);
    lua_rawseti(L, -2, i);
  }
  lua_setfield(L, -2, key);
}

void push_rows(lua_State* L, const double* x, int rows, int columns) {
  lua_createtable(L, rows, 0);
  for (int i = 0; i < rows; ++i) {
    push_list(L, {x + size_t(i) * size_t(columns), size_t(columns)});
    lua_rawseti(L, -2, i + 1);
  }
}

void push_pose_numbers(lua_State* L, const double* X) {
  lua_createtable(L, 0, 2);
  set_list(L, "xyz", {X + 9, 3});
  push_rows(L, X, 3, 3);
  lua_setfield(L, -2, "rotation");
}

void push_model(lua_State* L, const torsor_model& model) {
  lua_createtable(L, 0, 12);
  set_integer(L, "n_body", model.n_body - 1);
  set_integer(L, "n_q", model.n_q);
  set_integer(L, "n_v", model.n_v);
  lua_pushstring(L, model.family);
  lua_setfield(L, -2, "family");
  set_bodies(L, "parent", model, [&](int i) { lua_pushinteger(L, model.parent[i]); });
  set_bodies(L, "columns", model, [&](int i) {
    lua_createtable(L, model.v_count[i], 0);
    for (int k = 0; k < model.v_count[i]; ++k) {
      lua_pushinteger(L, model.v_index[i] + k + 1);
      lua_rawseti(L, -2, k + 1);
    }
  });
  push_rows(L, model.S_B, model.n_v, 6);
  lua_setfield(L, -2, "S_B");
  set_bodies(L, "inertia", model,
             [&](int i) { push_inertia(L, model.inertia_B + 10 * size_t(i)); });
  set_list(L, "armature", {model.armature, size_t(model.n_v)});
  set_bodies(L, "X_PB0", model, [&](int i) { push_pose_numbers(L, model.X_PB0 + 12 * size_t(i)); });
}

void push_state(lua_State* L, const torsor_model& model, const torsor_state& state) {
  lua_createtable(L, 0, 10);
  lua_pushnumber(L, state.time);
  lua_setfield(L, -2, "t");
  set_list(L, "q", {state.q, size_t(model.n_q)});
  set_list(L, "v", {state.v, size_t(model.n_v)});
  set_bodies(L, "X_PB", model, [&](int i) { push_pose_numbers(L, state.X_PB + 12 * size_t(i)); });
  set_six(L, "V_W", state.V_W);
  set_six(L, "A_W", state.A_W);
  if (state.F_B)
    set_bodies(L, "F_B", model, [&](int i) { push_list(L, {state.F_B + 6 * size_t(i), 6}); });
  if (state.min_pivot)
    set_bodies(L, "min_pivot", model, [&](int i) { lua_pushnumber(L, state.min_pivot[i]); });
}

void check_keys(lua_State* L, int index, const std::string& owner, const char* needed) {
  if (const std::string key = first_extra_key(L, index, lua_rawlen(L, index)); !key.empty())
    throw Error(fmt::format("{} returns a list with the unknown key {}; it must return {}", owner,
                            key, needed));
}

void read_numbers(lua_State* L, int index, const std::string& owner, std::span<double> out) {
  if (!lua_istable(L, index))
    throw Error(fmt::format(
        "{} returns {}; it must return a list of {} numbers", owner,
        lua_isnoneornil(L, index) ? "nothing" : fmt::format("a {}", luaL_typename(L, index)),
        out.size()));
  if (const size_t n = lua_rawlen(L, index); n != out.size())
    throw Error(fmt::format("{} returns a list of {}; it must return a list of {} numbers", owner,
                            n, out.size()));
  for (size_t k = 0; k < out.size(); ++k) {
    lua_rawgeti(L, index, lua_Integer(k) + 1);
    if (lua_type(L, -1) != LUA_TNUMBER)
      throw Error(fmt::format("{} returns a list whose entry {} is a {}; it must be a number",
                              owner, k + 1, luaL_typename(L, -1)));
    out[k] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  check_keys(L, index, owner, "a list of numbers");
}

void read_tensor(lua_State* L, int index, const std::string& owner, int n, int indices,
                 double* out) {
  if (indices == 1) return read_numbers(L, index, owner, {out, size_t(n)});
  luaL_checkstack(L, 4, "nested lists");
  if (!lua_istable(L, index) || lua_rawlen(L, index) != size_t(n))
    throw Error(
        fmt::format("{} returns {}; it must return a list of {} rows", owner,
                    lua_istable(L, index)       ? fmt::format("a list of {}", lua_rawlen(L, index))
                    : lua_isnoneornil(L, index) ? "nothing"
                                                : fmt::format("a {}", luaL_typename(L, index)),
                    n));
  size_t stride = 1;
  for (int k = 1; k < indices; ++k) stride *= size_t(n);
  for (int i = 0; i < n; ++i) {
    lua_rawgeti(L, index, i + 1);
    read_tensor(L, lua_gettop(L), owner, n, indices - 1, out + size_t(i) * stride);
    lua_pop(L, 1);
  }
  check_keys(L, index, owner, "a list of rows");
}

ResultTable::ResultTable(lua_State* L, int results, const std::string& owner,
                         std::span<const char* const> keys)
    : L_(L), index_(1), owner_(owner) {
  if (results != 1 || !lua_istable(L, 1))
    throw Error(fmt::format("{} returns {}; it must return one table", owner,
                            results == 0   ? "nothing"
                            : results == 1 ? fmt::format("a {}", luaL_typename(L, 1))
                                           : fmt::format("{} values", results)));
  (void)TableReader(L, 1, {owner, "the result"}, keys);
}

bool ResultTable::has(const char* key) const {
  const bool out = lua_getfield(L_, index_, key) != LUA_TNIL;
  lua_pop(L_, 1);
  return out;
}

size_t ResultTable::length(const char* key) const {
  lua_getfield(L_, index_, key);
  if (!lua_isnoneornil(L_, -1) && !lua_istable(L_, -1))
    throw Error(fmt::format("{}, as {}, returns a {}; it must return a list of numbers", owner_,
                            key, luaL_typename(L_, -1)));
  const size_t out = lua_istable(L_, -1) ? size_t(lua_rawlen(L_, -1)) : 0;
  lua_pop(L_, 1);
  return out;
}

void ResultTable::list(const char* key, std::span<double> out) const {
  if (lua_getfield(L_, index_, key) != LUA_TNIL)
    read_numbers(L_, lua_gettop(L_), fmt::format("{}, as {},", owner_, key), out);
  lua_pop(L_, 1);
}

void ResultTable::number(const char* key, double& out) const {
  if (const int type = lua_getfield(L_, index_, key); type != LUA_TNIL) {
    if (type != LUA_TNUMBER)
      throw Error(fmt::format("{}, as {}, returns a {}; it must return a number", owner_, key,
                              luaL_typename(L_, -1)));
    out = lua_tonumber(L_, -1);
  }
  lua_pop(L_, 1);
}

ResultTable ResultTable::table(const char* key, std::span<const char* const> keys) const {
  if (lua_getfield(L_, index_, key) != LUA_TTABLE)
    throw Error(fmt::format("{} returns no {}; it must return a table of them", owner_, key));
  (void)TableReader(L_, lua_gettop(L_), {owner_, key}, keys);
  return ResultTable(L_, lua_gettop(L_), fmt::format("{}, in {},", owner_, key));
}

}  // namespace torsor::lua
