#pragma once
// The kinds of plugins, one row each.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/plugin/plugin.hpp"

namespace torsor {

struct PluginKind {
  std::string_view name;  // the part of an id before the dot: "force"
  const char* interface;  // id of the interface that each plugin of the kind offers
  // Returns what is wrong with the interfaces of a plugin as a clause ("its evaluate is NULL"), or
  // "".
  std::string (*flaw)(const Plugin& plugin);
};

std::span<const PluginKind> plugin_kinds();
std::vector<std::string> plugin_kind_names();

// Returns the kind of a plugin, "force" for "force.ground", or null for an unknown one.
const PluginKind* kind_of(std::string_view id);

// Returns what is wrong with the interfaces of a plugin, as PluginKind::flaw does.
std::string interface_flaw(const Plugin& plugin);

}  // namespace torsor
