#pragma once
// Other libraries that compute the same quantities. Each library has files in this folder that
// begin with its name. No type of a library is used in other files.

#include <functional>

#include "bench/peers/robot.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::bench {

// A simulation that is advanced step by step.
class SteppedRun {
 public:
  virtual ~SteppedRun() = default;
  virtual void step() = 0;
  // Writes the present q and v to a state of the experiment's model.
  virtual void observe(State& state) = 0;
  // Returns the work of everything but gravity and springs on the mechanism in all steps since the
  // first observe(), J. Each of these steps must be followed by observe().
  virtual double work() const = 0;
};

// A way in which a library simulates contacts.
struct ContactMethod {
  std::string name;
  std::function<std::unique_ptr<SteppedRun>(const Experiment& experiment)> start;
};

// Many runs of an experiment whose joints have one degree of freedom each. It has at most one
// control, computed torque with the model of its robot.
class Rollouts {
 public:
  virtual ~Rollouts() = default;
  // Makes this number of runs on several threads. Returns the wall time, s.
  virtual double run(unsigned threads, int runs) = 0;
  // Makes one run. Returns q at its end, [n_q] of the experiment's model.
  virtual std::vector<double> final_q() = 0;
};

// Returns whether only springs, dampers, gravity and constant torques act on the mechanism of an
// experiment. Its energy, with that of the torques, then never grows.
bool is_passive(const Experiment& experiment);

struct Peer {
  std::string name, version;
  // Creates the subject. Throws Error if the library does not support this robot. The message
  // continues the name of the library ("has no ...").
  MakeSubject* make;
  // Starts a simulation of the experiment by an integrator of order 1 or 4. Throws Error like make.
  // Null if the library does not simulate closed loops.
  std::unique_ptr<SteppedRun> (*start)(const Experiment& experiment, int order) = nullptr;
  // Empty if the library is not compared in scenes with contacts. They throw Error like make.
  std::vector<ContactMethod> contact_methods = {};
  // frequency: of the computed torque, rad/s. Throws Error like make. Null if the library is not
  // compared in studies.
  std::unique_ptr<Rollouts> (*rollouts)(const Experiment& experiment, double frequency) = nullptr;
};

Peer mujoco_peer();
Peer kdl_peer();
Peer dart_peer();

// Return the libraries that are built in, and the names of missing libraries that --peers installs
// (not Pinocchio and RBDL, which are built from their sources).
std::vector<Peer> peers();
std::vector<std::string> missing_peers();

}  // namespace torsor::bench
