#pragma once
// Slave: a simulation that an importer of an FMU steps.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/fmi/package.hpp"
#include "torsor/fmi/references.hpp"
#include "torsor/fmi/variables.hpp"
#include "torsor/run/player.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::fmi {

class Slave {
 public:
  using Print = std::function<void(std::string_view)>;

  // Loads the scene of a folder resources/. Throws Error.
  Slave(std::filesystem::path resources, Print print);
  Slave(const Slave&) = delete;

  const std::string& token() const { return package_.token; }
  // Returns the variable of a value reference. Throws Error if there is none.
  const Variable& variable(uint32_t reference) const;

  // Return and change values. A new parameter ends the simulation, and takes effect in the next
  // start(). A new input takes effect in the next step. Throw Error if the variable is of another
  // type or cannot be set, or if a number is not finite.
  double number(uint32_t reference);
  bool flag(uint32_t reference) const;
  const std::string& text(uint32_t reference) const;
  void set(uint32_t reference, const SceneParameter& value);

  // Starts a simulation at time 0 with the present parameters, unless there is one already. The
  // inputs keep their values. Throws Error if the scene is invalid, or if other variables result
  // from the parameters.
  void start();
  // Returns to the values of the constructor.
  void reset();

  double time() const;
  // Returns the largest difference of times, s, that counts as rounding of the importer, who may
  // add up the steps.
  double rounding() const;
  // Returns the number of steps of dt from the time t on that make h, s. Throws Error if t is not
  // the present time or h is not a multiple of dt, both up to rounding().
  long long steps_of(double t, double h) const;
  // Returns the time after these steps, s.
  double time_after(long long steps) const;
  struct Advance {
    long long steps;  // that were made
    bool event;       // a located event (Simulation::events()) or a change of the scene occurred
  };
  // Makes steps of dt. The inputs are constant during these steps. stops_at_event: ends after the
  // step with the first event. Throws Error if a step fails. The simulation is then at its last
  // good step.
  Advance advance(long long steps, bool stops_at_event);
  // Returns the end of the step of dt with the next event that is known in advance, s: a change of
  // the scene, or a payload that is attached or released.
  std::optional<double> next_event() const;

  // Return and restore everything: parameters, inputs and the state. load() throws Error for bytes
  // of another FMU, and then changes nothing.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  void adopt(Experiment experiment);
  void build();
  void hold_references();
  void apply_inputs();
  bool step();
  std::span<const double> reference_part(const std::vector<double>& inputs) const;
  void restore(std::span<const std::byte> bytes);
  void restore_simulation(std::span<const std::byte> state, const std::vector<double>& applied);
  void restore_torques(const std::vector<double>& applied);

  std::filesystem::path resources_;
  Print print_;
  Package package_;
  std::shared_ptr<const Registry> plugins_;
  Experiment experiment_;
  std::vector<Variable> variables_;
  std::vector<ReferenceInput> references_;
  std::vector<std::shared_ptr<HeldReference>> held_;  // [references_] that the controls read
  std::vector<SceneParameter> own_, parameters_;      // values of the package, present values
  // Inputs, in the order of variables_of(): values at the start, present values, and those of the
  // last step
  std::vector<double> own_inputs_, inputs_, applied_;
  std::vector<double> base_;  // [n_v] torques of the scene alone
  std::optional<Player> player_;
  std::optional<Recorder> recorder_;
  std::vector<double> row_;  // outputs at the present state; empty until they are read
};

}  // namespace torsor::fmi
