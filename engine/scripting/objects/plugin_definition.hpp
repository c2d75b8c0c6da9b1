#pragma once
// A plugin definition in Lua, read from the arguments of torsor.solver(name, {...}), torsor.force,
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
  bool is_contact = false;             // force plugins only
  torsor_controller controller{};      // controllers only; the function pointers are null
  std::vector<torsor_signal> signals;  // controllers only; the strings are owned by `rows`
  bool of_frame = false;               // trajectories only: a frame's motion

  const PluginFunction* function(std::string_view name) const {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }
};

}  // namespace torsor::lua
