#pragma once
// The robots that are measured.

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

// Bodies of the generated chains and trees.
inline constexpr int sizes[] = {1, 2, 5, 10, 25, 50, 100, 200};
inline constexpr int largest_size = 400;

// Reads or generates robots. Each name is "shipped" (the robots of the scripts' folder), "chains"
// or "trees" (generated, of those sizes), "chain:N" or "tree:N" (one of N bodies), or a file with
// one robot; a scene's forces come from these plugins. allow_plugins: --allow-plugins. Throws Error
// for any other name.
std::vector<Robot> read_robots(const std::vector<std::string>& names, const Registry& plugins,
                               bool allow_plugins);

}  // namespace torsor::bench
