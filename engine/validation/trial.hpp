#pragma once
// A plugin under test: its file, loaded in the process of one check, and the robots it is tested
// on.

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

// Counts of allocated and of live blocks of memory, see allocation_counter.hpp; empty if they are
// not counted.
struct AllocationCounts {
  std::function<long()> asked = {}, live = {};
};

// The file to test, and the settings.
struct Subject {
  std::filesystem::path file;
  Registry::ScriptLoader load_script;
  std::shared_ptr<const Registry> shipped;    // with the reference solvers
  std::vector<RobotDescription> robots = {};  // to test it on, instead of random ones
  // Of the first random robot; each further robot adds 1.
  uint64_t seed = 1;
  AllocationCounts allocations = {};

  bool is_script() const { return file.extension() == ".lua"; }
};

// A failed check; the text is a clause.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The plugin accepts no values of its parameters for a robot.
struct Refused : Failed {
  using Failed::Failed;
};
// A check that does not apply; the text is the reason.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A robot in a random state, with wrenches and gravity.
struct Case {
  uint64_t seed;
  RobotDescription robot;
  std::shared_ptr<const Model> model;
  RandomValues random;
  State state;

  std::vector<double> values(double size) { return random_values(random, model->n_v, size); }
};

struct TrialKind;

class Trial {
 public:
  // Loads the file. Throws Failed if it has no such plugin.
  Trial(const Subject& subject, const std::string& id, Stage& stage);

  const Subject& subject() const { return subject_; }
  const Registry& registry() const { return registry_; }  // of its file
  const Registry& shipped() const { return *subject_.shipped; }
  const PluginInfo& info() const { return *info_; }
  Stage& stage() const { return stage_; }
  const TrialKind& kind() const;

  // Return the solver under test, and a built-in solver. Throws Failed if the former rejects a
  // robot of its family.
  Solver solver(const Case& at) const;
  Solver reference(const Case& at) const;
  // Returns the dynamics that a controller of this robot may use.
  std::unique_ptr<DynamicsService> dynamics(const Case& at) const;

  // Calls the function with robots of the plugin's family; without a family, with random trees,
  // made of the given kinds of joints if there are any. Adds the robot's name and seed to a Failed
  // of the function.
  using ForCase = std::function<void(Case&)>;
  void on_robots(int count, const ForCase& function,
                 const std::vector<JointKind>& kinds = {}) const;
  // Returns one of these robots. A controller gets an arm with motors, and elastic joints in every
  // second case.
  Case one_case(uint64_t number) const;

  // Returns random parameters with which the plugin can be prepared: the required ones for number
  // 0, others too for higher numbers. Throws Refused if it accepts none of the random values.
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

// Throws Failed for a status other than success: "forward: ...".
void require(const Solver& solver, Status status, const char* what);

}  // namespace torsor::validation
