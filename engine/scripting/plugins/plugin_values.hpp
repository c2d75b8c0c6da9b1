#pragma once
// Conversions between the plugin ABI and Lua values (described in scripts/README.md). In Lua, body
// 0 is the world and degrees of freedom count from 1.

#include <functional>
#include <initializer_list>
#include <lua.hpp>
#include <span>
#include <string>
#include <utility>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::lua {

// Pushes a model as { n_body, n_q, n_v, family, parent, columns, S_B, inertia, armature, X_PB0 }.
// n_body does not count the world.
void push_model(lua_State* L, const torsor_model& model);
// Pushes a state as { t, q, v, X_PB, V_W, A_W, F_B, min_pivot }.
void push_state(lua_State* L, const torsor_model& model, const torsor_state& state);

// Sets the field `key` of the table on top of the stack to a list with one entry per body.
// push(body) pushes one entry.
void set_bodies(lua_State* L, const char* key, const torsor_model& model,
                const std::function<void(int)>& push);

// Pushes a pose X [12] as { xyz = .., rotation = .. }.
void push_pose_numbers(lua_State* L, const double* X);
// Pushes a matrix as a list of rows. x: [rows x columns], row-major.
void push_rows(lua_State* L, const double* x, int rows, int columns);

// Reads a list of numbers, which may be infinite or NaN. Throws Error if the value is not such a
// list. The message begins with `owner`.
void read_numbers(lua_State* L, int index, const std::string& owner, std::span<double> out);
// Throws Error if the keys of the list are not 1 to its length. read_numbers() and read_tensor()
// call this function.
void check_keys(lua_State* L, int index, const std::string& owner, const char* needed);
// Reads a tensor from nested lists. `indices` is the nesting depth. Each list has n entries.
void read_tensor(lua_State* L, int index, const std::string& owner, int n, int indices,
                 double* out);

// The table returned by a Lua function, at stack index 1. All fields are optional. The constructor
// throws Error if the result is not a table or has an unknown field.
class ResultTable {
 public:
  ResultTable(lua_State* L, int results, const std::string& owner,
              std::span<const char* const> keys);
  ResultTable(lua_State* L, int results, const std::string& owner,
              std::initializer_list<const char*> keys)
      : ResultTable(L, results, owner, std::span(keys.begin(), keys.size())) {}
  const std::string& owner() const { return owner_; }
  bool has(const char* key) const;
  size_t length(const char* key) const;  // length of a list field, or 0 if it is missing
  void list(const char* key, std::span<double> out) const;
  void number(const char* key, double& out) const;
  // Returns the table in the field `key`. Throws Error if the field is missing.
  ResultTable table(const char* key, std::span<const char* const> keys) const;

 private:
  ResultTable(lua_State* L, int index, std::string owner)
      : L_(L), index_(index), owner_(std::move(owner)) {}
  lua_State* L_;
  int index_;
  std::string owner_;
};

}  // namespace torsor::lua
