#pragma once
// The handle torsor_scene.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "torsor/capi/boundary.hpp"
#include "torsor/run/experiment.hpp"

struct torsor_scene {
  std::string file;
  std::shared_ptr<const torsor::Registry> found;  // plugins that the script may use
  torsor::Experiment experiment;
  std::vector<std::pair<std::string, std::string>> parameters;  // names and values
  std::string warnings;
};

namespace torsor::capi {

// Calls a progress function of the caller about ten times per second.
class ProgressCalls {
 public:
  ProgressCalls(torsor_progress function, void* user) : function_(function), user_(user) {}
  // Returns false if the caller wants to stop.
  bool next(uint64_t done, uint64_t all);

 private:
  torsor_progress function_;
  void* user_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Adds functions of the caller to an experiment. Throw Error for unknown names.
void add_control(Experiment& experiment, const torsor_control& control);
void add_force(Experiment& experiment, const torsor_external_force& force);

}  // namespace torsor::capi
