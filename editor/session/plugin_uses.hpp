#pragma once
// Where a scene uses plugins, in words.

#include <map>
#include <string>
#include <vector>

#include "editor/session/moment.hpp"

namespace torsor::editor {

// By whole id: "moves the run", "control 'pd' of 'arm' (scene.lua:12)". solver: that is in force.
std::map<std::string, std::vector<std::string>> plugin_uses(const Scene& scene, const std::string& solver);

}  // namespace torsor::editor
