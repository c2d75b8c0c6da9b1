#pragma once
// The memory of the states and the prepared solvers of a robot.

#include <map>
#include <string>
#include <vector>

#include "bench/robots.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::bench {

// All sizes are in bytes.
struct Memory {
  struct OfSolver {
    size_t prepared = 0;  // of a prepared solver, without the model: on the heap
    size_t work = 0;      // its work area, which the plugin requests; part of `prepared`
    size_t batch = 0;     // of a BatchSolver, in addition: on the heap
  };
  size_t model = 0;           // of a Model, on the heap
  size_t state = 0;           // of a State, on the heap
  size_t state_of_batch = 0;  // of each further state of a StateBatch
  std::map<std::string, OfSolver> solvers;
};

// solvers: ids. Leaves out solvers that do not support the robot.
Memory memory_of(const Robot& robot, const Registry& registry,
                 const std::vector<std::string>& solvers);

}  // namespace torsor::bench
