#pragma once
// The measured robots.

#include <memory>
#include <string>
#include <vector>

#include "torsor/host/registry.hpp"

namespace torsor::bench {

enum class Family { file, chain, tree };

struct Robot {
  std::string name;
  Family family;
  std::shared_ptr<const Model> model;
};

// Numbers of bodies of the generated chains and trees.
inline constexpr int sizes[] = {1, 2, 5, 10, 25, 50, 100, 200};
inline constexpr int largest_size = 400;

// Reads or generates robots. Throws Error for any other name than these:
// - "shipped": the robots of the scripts' folder
// - "chains" or "trees": generated ones of those sizes
// - "chain:N" or "tree:N": a generated one of N bodies
// - a file with one robot
// The forces of a scene come from these plugins. allow_plugins is the option --allow-plugins.
std::vector<Robot> read_robots(const std::vector<std::string>& names, const Registry& plugins,
                               bool allow_plugins);

}  // namespace torsor::bench
