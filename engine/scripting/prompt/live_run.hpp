#pragma once
// The interface between a prompt and the program that owns the run, for example the editor.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor {

// A run that a prompt can read and control. All functions are called only on the prompt's thread
// and may throw Error. Between two calls of act(), all returned values belong to the same
// simulation state.
class LiveRun {
 public:
  virtual ~LiveRun() = default;

  // Returns the experiment, or null if no scene is loaded. Without a scene, only act() may be
  // called.
  virtual const Experiment* experiment() = 0;
  virtual std::shared_ptr<const Model> model() = 0;  // includes the attached payloads
  virtual std::string solver() = 0;                  // id of the active solver
  virtual double time() = 0;                         // s
  virtual long long step() = 0;
  virtual bool playing() = 0;
  // Returns the values of a joint quantity. "q" has n_q values. "v", "vdot", "tau",
  // "friction" and "constraint" have n_v values. See recorder.hpp.
  virtual std::vector<double> joint_values(std::string_view quantity) = 0;

  // Performs the named action in the program that owns the run. Returns when the action is
  // complete.
  virtual void act(const std::string& action, const std::vector<std::string>& arguments) = 0;
  virtual void print(std::string_view text) = 0;  // text may contain several lines
};

}  // namespace torsor
