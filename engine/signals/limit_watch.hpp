#pragma once
// Monitors joint limits that the simulation does not enforce, and stores when the motion first
// exceeded them.

#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

class Simulation;

class LimitWatch {
 public:
  explicit LimitWatch(const Model& model);
  // Checks the limits at the present state.
  void check_state(Simulation& simulation);
  // Copies the results of another watch, whose model must have the same joints.
  void continue_from(const LimitWatch& last) { limits_ = last.limits_; }
  // Returns one line for each exceeded limit, in the order of the joints. Example: "joint 'elbow'
  // passed its velocity limit of 2 rad/s at t = 0.3 s (2.1 rad/s)".
  std::vector<std::string> passed() const;

 private:
  enum class Limited : unsigned char { position, velocity, effort };
  struct Limit {
    int joint;
    Limited limited;
    double lower, upper;
    bool passed = false;
    double time = 0, value = 0;  // time and value when the limit was first exceeded
  };
  const Model& model_;
  std::vector<Limit> limits_;
};

}  // namespace torsor
