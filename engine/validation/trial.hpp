#pragma once
// A plugin on trial: its file, loaded in the process of one check, and the robots that it is tried on.

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/dynamics/random_state.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/validation/child.hpp"

namespace torsor::validation {

// How many blocks of memory were asked for and how many live, see allocation_counter.hpp; empty where nobody counts.
struct AllocationCounts {
  std::function<long()> asked = {}, live = {};
};

// What is tried, and how.
struct Subject {
  std::filesystem::path file;
  Registry::ScriptLoader load_script;
  std::shared_ptr<const Registry> shipped;    // with the solvers that it is held against
  std::vector<RobotDescription> robots = {};  // to try it on, in place of random ones
  uint64_t seed = 1;                          // of the first random robot; the next has the next
  AllocationCounts allocations = {};

  bool is_script() const { return file.extension() == ".lua"; }
};

// What a check found wrong, as a clause.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// It takes no values of its parameters with a robot.
struct Refused : Failed {
  using Failed::Failed;
};
// Why a check has nothing to say of this plugin.
struct NotApplicable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A robot somewhere, moving, loaded and in a field of gravity.
struct Case {
  uint64_t seed;
  RobotDescription robot;
  std::shared_ptr<const Model> model;
  RandomValues random;
  State state;

  std::vector<double> values(double size) { return random_values(random, model->n_v, size); }
};

class Trial {
 public:
  // Loads the file. Throws Failed where it holds no such plugin.
  Trial(const Subject& subject, const std::string& id, Stage& stage);

  const Subject& subject() const { return subject_; }
  const Registry& registry() const { return registry_; }  // of its file
  const Registry& shipped() const { return *subject_.shipped; }
  const PluginInfo& info() const { return *info_; }
  Stage& stage() const { return stage_; }
  bool is(std::string_view kind) const { return info_->id.starts_with(std::string(kind) + "."); }

  // Its solver, and another of the shipped ones. Throws Failed where it refuses a robot that it is for.
  Solver solver(const Case& at) const;
  Solver reference(const Case& at) const;
  // What a controller is given of its robot.
  std::unique_ptr<DynamicsService> dynamics(const Case& at) const;

  // Robots of the plugin's family one after the other; without a family trees, of the given joints where there are any.
  // A Failed of the function is thrown on with the robot's name and seed.
  using ForCase = std::function<void(Case&)>;
  void on_robots(int count, const ForCase& function, const std::vector<JointKind>& kinds = {}) const;
  // One of them; for a controller an arm with motors at every joint, elastic ones in every second.
  Case one_case(uint64_t number) const;

  // Random values for its parameters with which it can be prepared: of those alone that it must be given for the first number, of others
  // too for the next. Throws Refused where it takes none that is drawn.
  std::vector<Parameter> parameters(Case& at, uint64_t number) const;

 private:
  void try_parameters(const Case& at, const std::vector<Parameter>& parameters) const;
  RobotDescription draw(uint64_t seed, int n, const std::vector<JointKind>& kinds) const;

  const Subject& subject_;
  Stage& stage_;
  Registry registry_;
  const PluginInfo* info_ = nullptr;
};

// The state a time t on, with v as it is.
State moved(const State& state, double t);

// Throws Failed of a status that is none of success: "forward fails: ...".
void require(const Solver& solver, Status status, const char* what);

}  // namespace torsor::validation
