#pragma once
// The robots to measure.

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

// Numbers of bodies of the robots "chains" and "trees".
inline constexpr int sizes[] = {1, 2, 5, 10, 25, 50, 100, 200, 500};
inline constexpr int largest_size = 500;

// Reads or generates robots by name:
// - "shipped": the robots in scripts/robots
// - "chains" or "trees": generated robots of all `sizes`
// - "chain:N" or "tree:N": a generated robot of N bodies
// - the path of a file with one robot
// `plugins` provides the forces of a scene. allow_plugins is the option --allow-plugins. Throws
// Error for any other name, a file that cannot be read, or a robot without moving joints.
std::vector<Robot> read_robots(const std::vector<std::string>& names, const Registry& plugins,
                               bool allow_plugins);

}  // namespace torsor::bench
