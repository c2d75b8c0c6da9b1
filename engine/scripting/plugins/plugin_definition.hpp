#pragma once
// What torsor.solver(name, {...}), torsor.force, torsor.controller and torsor.trajectory say: a
// plugin whose functions are Lua's.

#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/sdk/ext/controller.h"

namespace torsor::lua {

struct PluginFunction {
  int key;            // in Lua's registry
  std::string owner;  // "file:line: inverse", in messages
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
  std::vector<std::unique_ptr<Row>> rows;  // texts of parameters and signals
  std::vector<torsor_param> parameters;    // of these rows
  torsor_descriptor descriptor{};

  // How many states and numbers of memory it has, where no function of the model says so.
  size_t n_x = 0, n_memory = 0;
  bool is_contact = false;             // a force
  torsor_controller controller{};      // but for its function
  std::vector<torsor_signal> signals;  // of it, whose texts are rows'
  bool of_frame = false;               // a trajectory

  const PluginFunction* function(std::string_view name) const {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }
};

// Reads the arguments of torsor.KIND on the stack. Throws Error: an unknown key, a value of a wrong
// type, what no plugin may be.
std::unique_ptr<PluginDefinition> read_plugin(lua_State* L, const std::string& kind,
                                              const std::string& source);

}  // namespace torsor::lua
