#pragma once
// A plugin under test in the process of one check: the loaded file, and robots for the test.

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/loading/child.hpp"
#include "torsor/mechanics/random_state.hpp"

namespace torsor::validation {

// Functions that return the numbers of blocks allocated so far (asked) and not yet freed (live),
// see allocation_counter.hpp. Empty if allocations are not counted.
struct AllocationCounts {
  std::function<long()> asked = {}, live = {};
};

// The file to test, and the settings of the test.
struct Subject {
  std::filesystem::path file;
  Registry::ScriptLoader load_script;
  std::shared_ptr<const Registry> shipped;    // registry of the shipped plugins
  std::vector<RobotDescription> robots = {};  // robots for the test; empty: random robots
  // Seed of the first random robot. Each further robot adds 1 to it.
  uint64_t seed = 1;
  AllocationCounts allocations = {};

  bool is_script() const { return file.extension() == ".lua"; }
};

// Thrown if a check fails. what() is a clause that says what is wrong.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Thrown if the plugin rejects all parameter values that were tried for a robot.
struct Rejected : Failed {
  using Failed::Failed;
};
// Thrown if a check does not apply to the plugin. what() is the reason.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A robot in a random state.
struct Case {
  uint64_t seed;
  RobotDescription robot;
  std::shared_ptr<const Model> model;
  Random random;
  State state;

  std::vector<double> values(double size) { return random_values(random, model->n_v, size); }
};

struct TrialKind;

class Trial {
 public:
  // Loads the file. Throws Failed if it contains no plugin with this id.
  Trial(const Subject& subject, const std::string& id, Stage& stage);

  const Subject& subject() const { return subject_; }
  const Registry& registry() const { return registry_; }  // plugins of the file under test
  const Registry& shipped() const { return *subject_.shipped; }
  const PluginInfo& info() const { return *info_; }
  Stage& stage() const { return stage_; }
  const TrialKind& kind() const;

  // solver() returns the solver under test. Throws Failed if it rejects the robot, or NotApplicable
  // if the robot is a changed version of the robots that the user named. reference() returns a
  // shipped solver to compare with.
  Solver solver(const Case& at) const;
  Solver reference(const Case& at) const;
  // Returns the dynamics service for a controller of this robot.
  std::unique_ptr<DynamicsService> dynamics(const Case& at) const;

  // Calls `function` with `count` robots of the plugin's family. For a plugin without a family,
  // they are random trees with joints of the given kinds, or of all kinds if none are given.
  // Appends the robot and its seed to the message of a Failed.
  using ForCase = std::function<void(Case&)>;
  void on_robots(int count, const ForCase& function,
                 const std::vector<JointKind>& kinds = {}) const;
  // Returns a robot in a random state with wrenches. For a controller it is an arm with motors.
  // Every second arm has elastic joints.
  Case one_case(uint64_t number) const;

  // Returns random parameter values that the plugin accepts. For number 0, tries the required
  // parameters alone first. Throws Rejected if the plugin rejects all values that are tried.
  std::vector<Parameter> parameters(Case& at, uint64_t number) const;

 private:
  bool is_named_robot(const Model& model) const;
  void try_parameters(const Case& at, const std::vector<Parameter>& parameters) const;
  RobotDescription draw(uint64_t seed, int n, const std::vector<JointKind>& kinds) const;

  const Subject& subject_;
  Stage& stage_;
  Registry registry_;
  const PluginInfo* info_ = nullptr;
};

// Returns the state after the time t (s) at constant v.
State moved(const State& state, double t);

// Throws Failed with a message such as "inverse dynamics: ..." unless the status is success.
void require(const Solver& solver, Status status, const char* what);

}  // namespace torsor::validation
