#pragma once
// The scenes whose steps are measured: files, and generated piles of boxes.

#include <memory>
#include <string>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::bench {

// Generated scenes. stacks: stacks of five boxes, apart from each other, with four contact points
// between two boxes. wall: a wall of bricks of five courses. Each brick lies on two others, so that
// all bricks are connected.
enum class PileFamily { none, stacks, wall };

struct Scene {
  std::string name;
  PileFamily family;
  int boxes;  // 0 if it is a file
  Experiment experiment;
};

// Numbers of boxes of the scenes "stacks" and "walls". The largest ones have about 2000 contact
// points.
inline constexpr int stack_sizes[] = {5, 10, 25, 50, 100, 250, 500};
inline constexpr int wall_sizes[] = {5, 10, 25, 50, 100, 275};
inline constexpr int largest_pile = 2000;

// Reads or generates scenes by name:
// - "stacks" or "walls": all sizes
// - "stacks:N" or "walls:N": N boxes
// - the path of a file with an experiment
// `plugins` provides the solvers. allow_plugins is the option --allow-plugins. Throws Error for any
// other name, and for a file that cannot be read or has no experiment.
std::vector<Scene> read_scenes(const std::vector<std::string>& names, const Registry& plugins,
                               bool allow_plugins);

}  // namespace torsor::bench
