#pragma once
// Lists the plugins that a scene uses and their purposes.

#include <map>
#include <string>
#include <vector>

#include "editor/session/moment.hpp"

namespace torsor::editor {

// Returns the uses of each plugin by full id: "solver of the run", "control 'pd' of 'arm'
// (scene.lua:12)". solver is the active solver.
std::map<std::string, std::vector<std::string>> plugin_uses(const Scene& scene,
                                                            const std::string& solver);

}  // namespace torsor::editor
