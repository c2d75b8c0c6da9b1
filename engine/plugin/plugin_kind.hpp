#pragma once
// The table of the kinds of plugins, one row each.

#include <string>
#include <string_view>
#include <vector>

#include "torsor/plugin/plugin.hpp"

namespace torsor {

struct PluginKind {
  std::string_view name;  // first part of a plugin id: "force"
  const char* interface;  // id of the interface that a plugin of this kind must offer
  // Returns the first defect of a plugin's interfaces as a clause ("its evaluate is NULL"), or "".
  std::string (*flaw)(const Plugin& plugin);
};

std::vector<std::string> plugin_kind_names();

// Returns the kind of a plugin id, such as "force" for "force.ground", or null for an unknown kind.
const PluginKind* kind_of(std::string_view id);

// Returns the first defect of a plugin's interfaces as a clause, or "" (see PluginKind::flaw).
std::string interface_flaw(const Plugin& plugin);

}  // namespace torsor
