#pragma once
// The definition of a plugin in Lua: the arguments of torsor.solver(name, {...}), torsor.force,
// torsor.controller or torsor.trajectory.

#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/sdk/ext/controller.h"

namespace torsor::lua {

struct PluginFunction {
  // Key of the function in Lua's registry.
  int key;
  // "file:line: inverse", for messages.
  std::string owner;
};

struct PluginDefinition {
  PluginDefinition() = default;
  PluginDefinition(const PluginDefinition&) = delete;  // the descriptor points into it

  std::string id, version, summary, family;
  std::string source;  // "file:line"
  std::map<std::string, PluginFunction, std::less<>> functions;

  struct Row {
    std::string name, unit, help;
    std::vector<std::string> choices;
    std::vector<const char*> choice_list;
  };
  std::vector<std::unique_ptr<Row>> rows;  // strings of parameters and signals
  std::vector<torsor_param> parameters;    // parameters whose strings are in rows
  torsor_descriptor descriptor{};

  // Numbers of continuous states and of memory entries. 0 if a function in `functions` computes the
  // number from the model.
  size_t n_x = 0, n_memory = 0;
  bool is_contact = false;             // for a force
  torsor_controller controller{};      // for a controller; its function pointers are not set
  std::vector<torsor_signal> signals;  // signals of the controller; their strings are in rows
  bool of_frame = false;               // for a trajectory

  const PluginFunction* function(std::string_view name) const {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }
};

// Reads the arguments of torsor.KIND from the stack. Throws Error for an unknown key, a value of a
// wrong type, or a definition that makes no valid plugin descriptor.
std::unique_ptr<PluginDefinition> read_plugin(lua_State* L, const std::string& kind,
                                              const std::string& source);

}  // namespace torsor::lua
