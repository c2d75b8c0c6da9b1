#include "torsor/fmi/slave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "torsor/base/error.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/model/model.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::fmi {

namespace {

using Kind = Variable::Kind;

// Returns the value of a parameter as `--set` takes it. Numbers keep all their bits.
std::string setting_of(const SceneParameter& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

std::vector<SceneParameter> values_of(const Experiment& experiment) {
  std::vector<SceneParameter> out;
  for (const auto& [name, value] : experiment.parameters) out.push_back(value);
  return out;
}

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> out;
  for (const Variable& variable : variables) out.push_back(variable.name);
  return out;
}

// Saved bytes: blocks, each with its length. A block is a string, or an array of numbers.
void put(std::vector<std::byte>& out, const void* data, size_t size) {
  const uint64_t length = size;
  const auto* head = reinterpret_cast<const std::byte*>(&length);
  const auto* first = static_cast<const std::byte*>(data);
  out.insert(out.end(), head, head + sizeof length);
  out.insert(out.end(), first, first + size);
}
void put(std::vector<std::byte>& out, const std::string& text) {
  put(out, text.data(), text.size());
}

// Removes a block from the front of the bytes and returns it.
std::span<const std::byte> take(std::span<const std::byte>& bytes) {
  uint64_t length = 0;
  if (bytes.size() >= sizeof length) {
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes = bytes.subspan(sizeof length);
    if (length <= bytes.size()) {
      const auto out = bytes.first(length);
      bytes = bytes.subspan(length);
      return out;
    }
  }
  throw Error("the saved state is not complete; serialize it again");
}
std::string take_text(std::span<const std::byte>& bytes) {
  const auto block = take(bytes);
  return {reinterpret_cast<const char*>(block.data()), block.size()};
}
void take_numbers(std::span<const std::byte>& bytes, std::vector<double>& out) {
  const auto block = take(bytes);
  if (block.size() != out.size() * sizeof(double))
    throw Error("the saved state is of a scene with other dof; serialize it again");
  std::memcpy(out.data(), block.data(), block.size());
}

}  // namespace

Slave::Slave(std::filesystem::path resources, Print print)
    : resources_(std::move(resources)),
      print_(std::move(print)),
      package_(read_package(resources_)),
      plugins_(find_plugins(resources_)),
      experiment_(load_package(resources_, package_, *plugins_, {}, print_)),
      variables_(variables_of(experiment_)),
      own_(values_of(experiment_)),
      parameters_(own_) {
  inputs_.resize(size_t(experiment_.model->n_v));
  applied_ = inputs_;
}

const Variable& Slave::variable(uint32_t reference) const {
  if (reference >= variables_.size())
    throw Error(fmt::format("there is no value reference {}; modelDescription.xml lists 0 to {}",
                            reference, variables_.size() - 1));
  return variables_[reference];
}

double Slave::number(uint32_t reference) {
  const Variable& at = variable(reference);
  if (at.kind == Kind::time) return time();
  if (at.kind == Kind::input) return inputs_[at.index];
  if (at.kind == Kind::parameter) {
    if (const auto* value = std::get_if<double>(&parameters_[at.index])) return *value;
    throw Error(fmt::format("variable '{}' is not a Float64", at.name));
  }
  if (!player_ || player_->simulation().steps() == 0) start();
  apply_inputs();
  if (row_.empty()) {
    const auto row = recorder_->sample(player_->simulation());
    row_.assign(row.begin(), row.end());
  }
  return row_[at.index];
}

void Slave::set_number(uint32_t reference, double value) {
  const Variable& at = variable(reference);
  if (!std::isfinite(value))
    throw Error(fmt::format("variable '{}': {} is not a finite number", at.name, value));
  if (at.kind == Kind::parameter) return set_parameter(reference, value);
  if (at.kind != Kind::input)
    throw Error(
        fmt::format("variable '{}' cannot be set: it is no input and no parameter", at.name));
  inputs_[at.index] = value;
}

const SceneParameter& Slave::parameter(uint32_t reference) const {
  const Variable& at = variable(reference);
  if (at.kind != Kind::parameter) throw Error(fmt::format("variable '{}' is a Float64", at.name));
  return parameters_[at.index];
}

void Slave::set_parameter(uint32_t reference, SceneParameter value) {
  const SceneParameter& present = parameter(reference);
  if (present.index() != value.index())
    throw Error(fmt::format("variable '{}' is a {}", variable(reference).name,
                            std::holds_alternative<double>(present) ? "Float64"
                            : std::holds_alternative<bool>(present) ? "Boolean"
                                                                    : "String"));
  if (present == value) return;
  parameters_[variable(reference).index] = std::move(value);
  is_new_ = false;
}

void Slave::start() {
  if (!player_ || !is_new_) build();
}

// Loads the scene with the present parameters, and starts its simulation.
void Slave::build() {
  Overrides changed;
  size_t k = 0;
  for (const auto& [name, value] : experiment_.parameters) {
    if (parameters_[k] != own_[k]) changed[name] = setting_of(parameters_[k]);
    ++k;
  }
  if (values_of(experiment_) != parameters_) {
    Experiment next = load_package(resources_, package_, *plugins_, changed, print_);
    if (names_of(variables_of(next)) != names_of(variables_))
      throw Error(
          "these parameters change the joints or the recorded signals of the scene; export an FMU "
          "for them with `torsor fmu SCENE --set NAME=VALUE`");
    experiment_ = std::move(next);
  }
  player_.emplace(experiment_, experiment_.changes);
  player_->simulation().acceleration();  // throws Error if M is singular
  player_->apply(experiment_.changes);
  recorder_.emplace(*experiment_.model, recorded_signals(experiment_), std::vector<std::string>(),
                    experiment_.load.controls, experiment_.load.sensors);
  const auto torque = player_->simulation().constant_torque();
  base_.assign(torque.begin(), torque.end());
  std::ranges::fill(applied_, 0.0);
  row_.clear();
  is_new_ = true;
}

void Slave::reset() {
  player_.reset();
  parameters_ = own_;
  std::ranges::fill(inputs_, 0.0);
  std::ranges::fill(applied_, 0.0);
  row_.clear();
}

double Slave::time() const {
  return player_ ? player_->simulation().time() : 0;
}

// Changes the torques of the motors to those of the scene plus the inputs. Changes nothing if the
// inputs are as before: a run without inputs is then that of the scene, bit by bit.
void Slave::apply_inputs() {
  if (applied_ == inputs_) return;
  std::vector<double> torque = base_;
  for (size_t k = 0; k < torque.size(); ++k) torque[k] += inputs_[k];
  player_->simulation().change_torque(torque);
  applied_ = inputs_;
  row_.clear();
}

void Slave::advance(double t, double h) {
  if (!player_) throw Error("the state has no simulation; enter the initialization mode first");
  Simulation& simulation = player_->simulation();
  const double dt = simulation.dt();
  // Importers add up their steps, so t has their rounding errors. They are far below a step.
  if (!(std::abs(t - time()) <= 1e-3 * dt))
    throw Error(
        fmt::format("the communication point is {} s, but the simulation is at {} s", t, time()));
  // h may be the difference of two such sums.
  const double steps = std::round(h / dt);
  if (!(steps >= 1 && steps < 1e15 && std::abs(h / dt - steps) <= 1e-3))
    throw Error(fmt::format(
        "the communication step is {} s; it must be a multiple of the scene's dt, {} s", h, dt));
  apply_inputs();
  row_.clear();
  is_new_ = false;
  const std::vector<Change>& changes = experiment_.changes;
  for (auto k = static_cast<long long>(steps); k > 0; --k) {
    try {
      player_->advance(changes);
    } catch (const Error& error) {
      throw Error(at_scene(package_.scene, error.what()));
    }
    const auto made = changes_at(changes, simulation.steps());
    if (std::ranges::none_of(
            made, [](const Change& c) { return std::holds_alternative<TorqueChange>(c.what); }))
      continue;
    // The scene has replaced the torques, without the inputs.
    const auto torque = simulation.constant_torque();
    base_.assign(torque.begin(), torque.end());
    std::ranges::fill(applied_, 0.0);
    apply_inputs();
  }
}

std::vector<std::byte> Slave::save() const {
  std::vector<std::byte> out;
  put(out, package_.token);
  for (const SceneParameter& value : parameters_) put(out, setting_of(value));
  put(out, inputs_.data(), inputs_.size() * sizeof(double));
  put(out, applied_.data(), applied_.size() * sizeof(double));
  const std::vector<std::byte> state =
      player_ ? player_->simulation().save() : std::vector<std::byte>();
  put(out, state.data(), state.size());
  return out;
}

void Slave::load(std::span<const std::byte> bytes) {
  const std::vector<std::byte> before = save();
  try {
    restore(bytes);
  } catch (const Error&) {
    restore(before);
    throw;
  }
}

void Slave::restore(std::span<const std::byte> bytes) {
  if (take_text(bytes) != package_.token)
    throw Error("the saved state is of another FMU; serialize it again");
  std::vector<SceneParameter> parameters = parameters_;
  for (SceneParameter& value : parameters) {
    const std::string text = take_text(bytes);
    if (std::holds_alternative<bool>(value)) {
      value = text == "true";
    } else if (std::holds_alternative<double>(value)) {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size())
        throw Error("the saved state is damaged; serialize it again");
      value = number;
    } else {
      value = text;
    }
  }
  std::vector<double> inputs = inputs_, applied = applied_;
  take_numbers(bytes, inputs);
  take_numbers(bytes, applied);
  for (const std::vector<double>& torques : {inputs, applied})
    if (!std::ranges::all_of(torques, [](double x) { return std::isfinite(x); }))
      throw Error("the saved state is damaged; serialize it again");
  const auto state = take(bytes);
  inputs_ = std::move(inputs);
  parameters_ = std::move(parameters);
  row_.clear();
  if (state.empty()) return player_.reset();
  if (!player_ || values_of(experiment_) != parameters_) build();
  restore_simulation(state);
  restore_torques(applied);
}

void Slave::restore_simulation(std::span<const std::byte> state) {
  player_->simulation().load(state);
  const Snapshot loaded = player_->simulation().snapshot();
  player_->show(experiment_.changes, loaded);
  is_new_ = loaded.step == 0;
}

// Sets the torques of the last step, without a change of the state.
void Slave::restore_torques(const std::vector<double>& applied) {
  Simulation& simulation = player_->simulation();
  const auto torque = simulation.constant_torque();
  base_.assign(torque.begin(), torque.end());
  applied_ = applied;
  if (std::ranges::all_of(applied_, [](double tau) { return tau == 0; })) return;
  std::vector<double> sum = base_;
  for (size_t k = 0; k < sum.size(); ++k) sum[k] += applied_[k];
  const Snapshot present = simulation.snapshot();
  simulation.restore_torque(sum);
  simulation.restore(present);
}

}  // namespace torsor::fmi
