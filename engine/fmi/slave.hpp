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

  // Return and change values. Parameters are converted from their text as `--set` does. A new
  // parameter takes effect in the next start(). Throw Error if the variable is of another type or
  // kind, or if the number is not finite.
  double number(uint32_t reference);
  void set_number(uint32_t reference, double value);
  const SceneParameter& parameter(uint32_t reference) const;
  void set_parameter(uint32_t reference, SceneParameter value);

  // Starts the simulation at time 0 with the present parameters, unless it is there already. The
  // inputs keep their values. Throws Error if the scene is invalid, or if other variables result
  // from the parameters.
  void start();
  // Returns to the values of the constructor.
  void reset();

  double time() const;
  // Steps from the time t by h, s. The inputs are constant during these steps. Throws Error if t is
  // not the present time or h is not a multiple of dt, and if a step fails. After a failed step,
  // the simulation is at its last good step.
  void advance(double t, double h);

  // Return and restore everything: parameters, inputs and the state. load() throws Error for bytes
  // of another FMU, and then changes nothing.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  void build();
  void apply_inputs();
  void restore(std::span<const std::byte> bytes);
  void restore_simulation(std::span<const std::byte> state);
  void restore_torques(const std::vector<double>& applied);

  std::filesystem::path resources_;
  Print print_;
  Package package_;
  std::shared_ptr<const Registry> plugins_;
  Experiment experiment_;
  std::vector<Variable> variables_;
  std::vector<SceneParameter> own_, parameters_;  // values of the package, present values
  std::vector<double> inputs_, applied_;  // [n_v] present values, and those of the last step
  std::vector<double> base_;              // [n_v] torques of the scene alone
  std::optional<Player> player_;
  std::optional<Recorder> recorder_;
  std::vector<double> row_;  // outputs at the present state; empty until they are read
  bool is_new_ = false;      // the simulation is at its start, with the present parameters
};

}  // namespace torsor::fmi
