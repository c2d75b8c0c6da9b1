#pragma once
// Lists the plugins that a scene uses and their purposes.

#include <map>
#include <string>
#include <vector>

namespace torsor::editor {

struct Scene;

// Returns the uses of each plugin by its full id, such as "solver of the run" or "control 'pd' of
// 'arm' (scene.lua:12)". solver: the active solver.
std::map<std::string, std::vector<std::string>> plugin_uses(const Scene& scene,
                                                            const std::string& solver);

}  // namespace torsor::editor
