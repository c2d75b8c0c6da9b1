#pragma once
// The interface through which the owner of a run shows it to a prompt.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor {

// A run that a prompt can read and control. All functions are called on the thread of the prompt
// only, and may throw Error. Between two calls of act(), all values belong to the same state.
class LiveRun {
 public:
  virtual ~LiveRun() = default;

  // Returns null if no scene is loaded. Then only act() may be called.
  virtual const Experiment* experiment() = 0;
  virtual std::shared_ptr<const Model> model() = 0;  // includes the attached payloads
  virtual std::string solver() = 0;                  // id of the active solver
  virtual double time() = 0;                         // s
  virtual long long step() = 0;
  virtual bool playing() = 0;
  // Returns [n_q] values for "q", and [n_v] values for "v", "vdot", "tau", "friction" and
  // "constraint" (recorder.hpp).
  virtual std::vector<double> joint_values(std::string_view quantity) = 0;

  // Performs an action by name in the program that owns the run. Waits until the action is
  // complete.
  virtual void act(const std::string& action, const std::vector<std::string>& arguments) = 0;
  virtual void print(std::string_view text) = 0;  // may contain several lines
};

}  // namespace torsor
