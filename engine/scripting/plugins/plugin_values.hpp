#pragma once
// What functions of plugins in Lua get and return, see scripts/README.md. Bodies have their
// numbers, the world is 0; columns count from 1.

#include <functional>
#include <initializer_list>
#include <lua.hpp>
#include <span>
#include <string>
#include <utility>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::lua {

// { n_body, n_q, n_v, family, parent, columns, S_B, inertia, armature, X_PB0 }; n_body does not
// count the world.
void push_model(lua_State* L, const torsor_model& model);
// { t, q, v, X_PB, V_W, A_W, F_B, min_pivot }
void push_state(lua_State* L, const torsor_model& model, const torsor_state& state);

// A field of the table on top: a list with an entry for each body, which push makes.
void set_bodies(lua_State* L, const char* key, const torsor_model& model,
                const std::function<void(int)>& push);

// [12], as { xyz =, rotation = }.
void push_pose_numbers(lua_State* L, const double* X);
void push_rows(lua_State* L, const double* x, int rows, int columns);  // rows x columns

// A list of n numbers, which need not be finite. Throws Error, which the owner begins.
void read_numbers(lua_State* L, int index, const std::string& owner, std::span<double> out);
// Throws Error for a list with keys besides 1 to its length: read_numbers() and read_tensor() do.
void check_keys(lua_State* L, int index, const std::string& owner, const char* needed);
// Lists of lists, n of each, `indices` deep.
void read_tensor(lua_State* L, int index, const std::string& owner, int n, int indices,
                 double* out);

// The one table that a function has returned, at index 1: each field may be there or not. Throws
// Error for what is no table, and for a field that nobody knows.
class ResultTable {
 public:
  ResultTable(lua_State* L, int results, const std::string& owner,
              std::span<const char* const> keys);
  ResultTable(lua_State* L, int results, const std::string& owner,
              std::initializer_list<const char*> keys)
      : ResultTable(L, results, owner, std::span(keys.begin(), keys.size())) {}
  const std::string& owner() const { return owner_; }
  bool has(const char* key) const;
  size_t length(const char* key) const;  // of a list; 0 where there is none
  void list(const char* key, std::span<double> out) const;
  void number(const char* key, double& out) const;
  // A field that must be there.
  ResultTable table(const char* key, std::span<const char* const> keys) const;

 private:
  ResultTable(lua_State* L, int index, std::string owner)
      : L_(L), index_(index), owner_(std::move(owner)) {}
  lua_State* L_;
  int index_;
  std::string owner_;
};

}  // namespace torsor::lua
