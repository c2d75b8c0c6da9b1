#pragma once
// A plugin under test: its file, loaded in the process of one check, and the robots for the test.

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

// Functions that return the numbers of allocated and of live memory blocks
// (allocation_counter.hpp). They are empty if blocks are not counted.
struct AllocationCounts {
  std::function<long()> asked = {}, live = {};
};

// The file to test, and the settings.
struct Subject {
  std::filesystem::path file;
  Registry::ScriptLoader load_script;
  std::shared_ptr<const Registry> shipped;    // includes the reference solvers
  std::vector<RobotDescription> robots = {};  // robots for the test; random ones if empty
  // Seed of the first random robot; each further robot adds 1
  uint64_t seed = 1;
  AllocationCounts allocations = {};

  bool is_script() const { return file.extension() == ".lua"; }
};

// Thrown for a failed check. what() is a clause.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Thrown if the plugin accepts no values of its parameters for a robot.
struct Rejected : Failed {
  using Failed::Failed;
};
// Thrown for a check that does not apply. what() is the reason.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A robot in a random state, with wrenches and gravity.
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
  // Loads the file. Throws Failed if it has no such plugin.
  Trial(const Subject& subject, const std::string& id, Stage& stage);

  const Subject& subject() const { return subject_; }
  const Registry& registry() const { return registry_; }  // registry of the file under test
  const Registry& shipped() const { return *subject_.shipped; }
  const PluginInfo& info() const { return *info_; }
  Stage& stage() const { return stage_; }
  const TrialKind& kind() const;

  // Return the solver under test, and a built-in solver. Throw Failed if the solver under test
  // rejects a robot of its family.
  Solver solver(const Case& at) const;
  Solver reference(const Case& at) const;
  // Returns the dynamics that a controller of this robot may use.
  std::unique_ptr<DynamicsService> dynamics(const Case& at) const;

  // Calls the function with robots of the plugin's family. A plugin without a family gets random
  // trees, made of the given kinds of joints if there are any. Adds the robot's name and seed to
  // the message of a Failed.
  using ForCase = std::function<void(Case&)>;
  void on_robots(int count, const ForCase& function,
                 const std::vector<JointKind>& kinds = {}) const;
  // Returns one of these robots. A controller gets an arm with motors, and elastic joints in every
  // second case.
  Case one_case(uint64_t number) const;

  // Returns random parameters with which the plugin can be prepared. Number 0 has only the required
  // parameters; higher numbers have others too. Throws Rejected if the plugin accepts none of the
  // random values.
  std::vector<Parameter> parameters(Case& at, uint64_t number) const;

 private:
  void try_parameters(const Case& at, const std::vector<Parameter>& parameters) const;
  RobotDescription draw(uint64_t seed, int n, const std::vector<JointKind>& kinds) const;

  const Subject& subject_;
  Stage& stage_;
  Registry registry_;
  const PluginInfo* info_ = nullptr;
};

// Returns the state after a time t at constant v.
State moved(const State& state, double t);

// Throws Failed with a message such as "forward: ..." for a status other than success.
void require(const Solver& solver, Status status, const char* what);

}  // namespace torsor::validation
