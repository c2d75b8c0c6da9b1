#pragma once
// A run, as its owner shows it to a prompt beside it.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor {

// Asked on the thread of the prompt alone; all may throw Error. What it says of the run is of one
// moment, until act().
class LiveRun {
 public:
  virtual ~LiveRun() = default;

  // Null where there is none: then nothing else but act() is asked.
  virtual const Experiment* experiment() = 0;
  virtual std::shared_ptr<const Model> model() = 0;  // with the payloads that are attached
  virtual std::string solver() = 0;                  // in force, its id
  virtual double time() = 0;                         // s
  virtual long long step() = 0;
  virtual bool playing() = 0;
  // [n_q] for "q", [n_v] for "v", "vdot", "tau", "friction" and "constraint" (recorder.hpp).
  virtual std::vector<double> joint_values(std::string_view quantity) = 0;

  // Does an action of the owner's by its name and waits until it is done.
  virtual void act(const std::string& action, const std::vector<std::string>& arguments) = 0;
  virtual void print(std::string_view text) = 0;  // may have several lines
};

}  // namespace torsor
