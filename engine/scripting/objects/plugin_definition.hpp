#pragma once
// A plugin definition in Lua, read from the arguments of torsor.KIND(name, {...}), such as
// torsor.solver or torsor.force.

#include <any>
#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::lua {

struct PluginFunction {
  // Key of the function in the Lua registry.
  int key;
  // Place and name of the function for error messages, such as "file:line: inverse".
  std::string owner;
};

struct PluginDefinition {
  PluginDefinition() = default;
  // Not copyable, because `descriptor` points into this object.
  PluginDefinition(const PluginDefinition&) = delete;

  std::string id, version, summary, family;
  std::string source;  // place of the definition, "file:line"
  std::map<std::string, PluginFunction, std::less<>> functions;

  struct Row {
    std::string name, unit, help;
    std::vector<std::string> choices;
    std::vector<const char*> choice_list;
  };
  std::vector<std::unique_ptr<Row>> rows;  // own the strings of parameters and signals
  std::vector<torsor_param> parameters;    // their strings are owned by `rows`
  torsor_descriptor descriptor{};

  // Number of continuous states and number of memory entries. 0 if the definition computes the
  // number in a function.
  size_t n_x = 0, n_memory = 0;
  // The entries of this kind only. LuaKind::read writes them.
  std::any of_kind;

  const PluginFunction* function(std::string_view name) const {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }
};

}  // namespace torsor::lua
