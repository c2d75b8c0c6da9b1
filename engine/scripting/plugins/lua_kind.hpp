#pragma once
// The kinds of plugins that scripts can define, one row each.

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "torsor/scripting/plugins/plugin_definition.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// A table of the plugin ABI and the id of its interface.
struct LuaInterface {
  const char* id;
  std::shared_ptr<const void> table;
};

struct LuaKind {
  const char* name;                    // a script calls torsor.NAME(..)
  std::vector<const char*> functions;  // functions that a definition may have
  std::vector<const char*> needed;     // functions that it must have
  std::vector<const char*> keys;       // other entries that it may have
  bool has_dynamics;                   // its functions receive model.dynamics and model.drives
  // Reads the entries `keys` of a definition and checks its functions. Throws Error.
  void (*read)(const TableReader& table, PluginDefinition& out);
  // Returns the interfaces that the definition has functions for.
  std::vector<LuaInterface> (*interfaces)(const PluginDefinition& definition);
};

LuaKind solver_kind();
LuaKind controller_kind();
LuaKind force_kind();
LuaKind trajectory_kind();

const std::vector<LuaKind>& lua_kinds();
// Returns the row of a kind. name: must be in lua_kinds().
const LuaKind& lua_kind(std::string_view name);

// Returns the number of the word at a key of a definition, 0 if there is none. Throws Error for
// another word.
int word(const TableReader& table, const char* key, std::initializer_list<const char*> words);

}  // namespace torsor::lua
