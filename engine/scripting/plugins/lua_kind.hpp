#pragma once
// The table of the plugin kinds that scripts can define.

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "torsor/scripting/objects/plugin_definition.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// A function table of the plugin ABI and the id of the interface that it implements.
struct LuaInterface {
  const char* id;
  std::shared_ptr<const void> table;
};

struct LuaKind {
  const char* name;                    // scripts call torsor.NAME(..)
  std::vector<const char*> functions;  // names of all functions that a definition may contain
  std::vector<const char*> needed;     // names of the functions that a definition must contain
  std::vector<const char*> keys;       // names of the other entries of a definition
  bool has_dynamics;  // true: the functions receive model.dynamics and model.drives
  // Reads the entries listed in `keys` from a definition into out.of_kind, and checks the functions
  // of the definition. Throws Error if an entry is invalid.
  void (*read)(const TableReader& table, PluginDefinition& out);
  // Returns the interfaces that the functions of the definition implement.
  std::vector<LuaInterface> (*interfaces)(const PluginDefinition& definition);
};

const std::vector<LuaKind>& lua_kinds();
// Returns the kind with this name, which must be one of lua_kinds().
const LuaKind& lua_kind(std::string_view name);

// Reads a string entry of a definition. Returns the index of the string in `words`. Returns 0 if
// the entry is missing, so the first word is the default. Throws Error if the string is not in
// `words`.
int word(const TableReader& table, const char* key, std::initializer_list<const char*> words);

}  // namespace torsor::lua
