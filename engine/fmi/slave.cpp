#include "torsor/fmi/slave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/fmi/state_bytes.hpp"
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

// Returns the value of setting_of(), of the same type as `like`.
SceneParameter value_of(const std::string& setting, const SceneParameter& like) {
  if (std::holds_alternative<bool>(like)) return setting == "true";
  if (std::holds_alternative<std::string>(like)) return setting;
  double number = 0;
  const char* last = setting.data() + setting.size();
  const auto [end, error] = std::from_chars(setting.data(), last, number);
  if (error != std::errc() || end != last)
    throw Error("the saved state is damaged; serialize it again");
  return number;
}

std::vector<SceneParameter> values_of(const Experiment& experiment) {
  std::vector<SceneParameter> out;
  for (const auto& [name, value] : experiment.parameters) out.push_back(value);
  return out;
}

// Returns whether importers that know the variables `a` may use `b`.
bool same(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::ranges::equal(a, b, [](const Variable& x, const Variable& y) {
    return x.kind == y.kind && x.index == y.index && x.name == y.name && x.unit == y.unit &&
           x.start.index() == y.start.index();
  });
}

// Throws Error if a variable has another type than a value.
void require_type(const Variable& variable, const SceneParameter& value) {
  constexpr const char* types[] = {"number", "Boolean", "string"};
  if (variable.start.index() != value.index())
    throw Error(fmt::format("variable '{}' is a {}, not a {}", variable.name,
                            types[variable.start.index()], types[value.index()]));
}

// Returns the end of the step of dt that contains a time.
long long end_of_step(double t, double dt) {
  const auto k = (long long)std::floor(t / dt);
  return double(k) * dt < t ? k + 1 : k;
}

}  // namespace

Slave::Slave(std::filesystem::path resources, Print print)
    : resources_(std::filesystem::absolute(resources)),  // the importer may change its folder
      print_(std::move(print)),
      package_(read_package(resources_)),
      plugins_(find_plugins(resources_)) {
  Experiment experiment = load_package(resources_, package_, *plugins_, {}, print_);
  variables_ = variables_of(experiment);
  own_ = parameters_ = values_of(experiment);
  own_inputs_.resize(size_t(experiment.model->n_v));
  for (const ReferenceInput& reference : reference_inputs(experiment)) {
    held_.push_back(std::make_shared<HeldReference>());
    own_inputs_.push_back(0);
    own_inputs_.insert(own_inputs_.end(), reference.start.begin(), reference.start.end());
  }
  inputs_ = applied_ = own_inputs_;
  adopt(std::move(experiment));
}

// Takes a loaded scene, with controls that follow the references of the importer.
void Slave::adopt(Experiment experiment) {
  references_ = reference_inputs(experiment);
  assert(references_.size() == held_.size());
  for (size_t k = 0; k < held_.size(); ++k)
    hold_reference(experiment.load.controls[references_[k].control], held_[k]);
  experiment_ = std::move(experiment);
}

const Variable& Slave::variable(uint32_t reference) const {
  if (reference >= variables_.size())
    throw Error(fmt::format("there is no value reference {}; modelDescription.xml lists 0 to {}",
                            reference, variables_.size() - 1));
  return variables_[reference];
}

double Slave::number(uint32_t reference) {
  const Variable& at = variable(reference);
  require_type(at, double());
  if (at.kind == Kind::time) return time();
  if (at.kind == Kind::input) return inputs_[at.index];
  if (at.kind == Kind::parameter) return std::get<double>(parameters_[at.index]);
  start();
  apply_inputs();
  if (row_.empty()) {
    const auto row = recorder_->sample(player_->simulation());
    row_.assign(row.begin(), row.end());
  }
  return row_[at.index];
}

bool Slave::flag(uint32_t reference) const {
  const Variable& at = variable(reference);
  require_type(at, bool());
  return at.kind == Kind::input ? inputs_[at.index] != 0 : std::get<bool>(parameters_[at.index]);
}

const std::string& Slave::text(uint32_t reference) const {
  const Variable& at = variable(reference);
  require_type(at, std::string());
  return std::get<std::string>(parameters_[at.index]);
}

void Slave::set(uint32_t reference, const SceneParameter& value) {
  const Variable& at = variable(reference);
  if (at.kind != Kind::input && at.kind != Kind::parameter)
    throw Error(
        fmt::format("variable '{}' cannot be set: it is no input and no parameter", at.name));
  require_type(at, value);
  const auto* number = std::get_if<double>(&value);
  if (number && !std::isfinite(*number))
    throw Error(fmt::format("variable '{}': {} is not a finite number", at.name, *number));
  if (at.kind == Kind::input) {
    inputs_[at.index] = number ? *number : std::get<bool>(value);
  } else if (parameters_[at.index] != value) {
    parameters_[at.index] = value;
    player_.reset();
    row_.clear();
  }
}

void Slave::start() {
  if (!player_) build();
}

// Loads the scene with the present parameters, and starts its simulation. The first samples of
// controls already follow the references of the importer.
void Slave::build() {
  Overrides changed;
  size_t k = 0;
  for (const auto& [name, value] : experiment_.parameters) {
    if (parameters_[k] != own_[k]) changed[name] = setting_of(parameters_[k]);
    ++k;
  }
  if (values_of(experiment_) != parameters_) {
    Experiment next = load_package(resources_, package_, *plugins_, changed, print_);
    if (next.model->n_v != experiment_.model->n_v || !same(variables_of(next), variables_))
      throw Error(
          "these parameters change the joints, the references or the recorded signals of the "
          "scene; export an FMU for them with `torsor fmu SCENE --set NAME=VALUE`");
    player_.reset();
    adopt(std::move(next));
  }
  hold_references();
  try {
    player_.emplace(experiment_, experiment_.changes);
    player_->simulation().acceleration();  // throws Error if M is singular
    player_->apply(experiment_.changes);
  } catch (...) {
    player_.reset();
    throw;
  }
  recorder_.emplace(*experiment_.model, recorded_signals(experiment_), std::vector<std::string>(),
                    experiment_.load.controls, experiment_.load.sensors);
  const auto torque = player_->simulation().constant_torque();
  base_.assign(torque.begin(), torque.end());
  applied_ = inputs_;
  std::fill_n(applied_.begin(), base_.size(), 0.0);
  row_.clear();
}

void Slave::reset() {
  player_.reset();
  parameters_ = own_;
  inputs_ = applied_ = own_inputs_;
  row_.clear();
}

double Slave::time() const {
  return player_ ? player_->simulation().time() : 0;
}

// Sets the references that the controls follow to the present inputs.
void Slave::hold_references() {
  std::vector<HeldReference> next;
  auto values = reference_part(inputs_);
  for (const ReferenceInput& reference : references_) {
    HeldReference& held = next.emplace_back();
    held.is_active = values[0] != 0;
    const size_t n = reference.entries.size();
    try {
      if (held.is_active)
        set_reference(*experiment_.model, experiment_.load.controls[reference.control],
                      values.subspan(1, n), held);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", reference.name, error.what()));
    }
    values = values.subspan(1 + n);
  }
  for (size_t k = 0; k < next.size(); ++k) *held_[k] = std::move(next[k]);
}

std::span<const double> Slave::reference_part(const std::vector<double>& inputs) const {
  return std::span(inputs).subspan(size_t(experiment_.model->n_v));
}

// Changes the references of the controls, and the torques of the motors to those of the scene plus
// the inputs. Changes nothing if the inputs are as before: a run without inputs is then that of the
// scene, bit by bit.
void Slave::apply_inputs() {
  if (applied_ == inputs_) return;
  if (!std::ranges::equal(reference_part(applied_), reference_part(inputs_))) {
    if (player_->simulation().steps() == 0) {
      build();
    } else {
      hold_references();
      // Decides again where friction sticks.
      player_->simulation().change_laws(
          std::vector<std::shared_ptr<const ControlLaw>>(experiment_.load.controls.size()));
    }
  }
  const size_t n_v = base_.size();
  if (!std::equal(applied_.begin(), applied_.begin() + std::ptrdiff_t(n_v), inputs_.begin())) {
    std::vector<double> torque = base_;
    for (size_t k = 0; k < n_v; ++k) torque[k] += inputs_[k];
    player_->simulation().change_torque(torque);
  }
  applied_ = inputs_;
  row_.clear();
}

// A sum of k numbers that is t has an error of at most k u t, where u is half the distance from 1
// to the next number. Within a quarter of dt, the nearest step is certain.
double Slave::rounding() const {
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  const double k = player_ ? double(player_->simulation().steps()) : 0;
  return std::min(1e-3 * experiment_.dt + k * u * time(), experiment_.dt / 4);
}

long long Slave::steps_of(double t, double h) const {
  if (!player_) throw Error("the state has no simulation; enter the initialization mode first");
  const double dt = experiment_.dt;
  if (!(std::abs(t - time()) <= rounding()))
    throw Error(fmt::format(
        "the communication point is {} s, but the simulation is at {} s; they may differ by {:.3g} "
        "s, a thousandth of the scene's dt and the rounding of a sum",
        t, time(), rounding()));
  // h may be the difference of two sums.
  const double steps = std::round(h / dt);
  if (!(steps >= 1 && steps < 1e15 && std::abs(h - steps * dt) <= rounding()))
    throw Error(fmt::format(
        "the communication step is {} s; it must be a multiple of the scene's dt, {} s", h, dt));
  return static_cast<long long>(steps);
}

double Slave::time_after(long long steps) const {
  return player_ ? double(player_->simulation().steps() + steps) * experiment_.dt : 0;
}

Slave::Advance Slave::advance(long long steps, bool stops_at_event) {
  apply_inputs();
  row_.clear();
  Advance out{};
  while (out.steps < steps && !(out.event && stops_at_event)) {
    out.event = step() || out.event;
    ++out.steps;
  }
  return out;
}

// Makes a step of dt and the changes of the scene at its end. Returns whether an event occurred.
bool Slave::step() {
  Simulation& simulation = player_->simulation();
  const long long events = simulation.events();
  try {
    player_->advance(experiment_.changes);
  } catch (const Error& error) {
    throw Error(at_scene(package_.scene, error.what()));
  }
  const auto made = changes_at(experiment_.changes, simulation.steps());
  if (std::ranges::any_of(
          made, [](const Change& c) { return std::holds_alternative<TorqueChange>(c.what); })) {
    // The scene has replaced the torques, without the inputs.
    const auto torque = simulation.constant_torque();
    base_.assign(torque.begin(), torque.end());
    std::fill_n(applied_.begin(), base_.size(), 0.0);
    apply_inputs();
  }
  return simulation.events() != events || !made.empty();
}

std::optional<double> Slave::next_event() const {
  if (!player_) return std::nullopt;
  const long long now = player_->simulation().steps();
  std::vector<long long> steps;
  for (const Change& change : experiment_.changes) steps.push_back(change.step);
  for (const double t : changes(round_to_steps(experiment_.payloads, experiment_.dt)))
    if (std::isfinite(t)) steps.push_back(end_of_step(t, experiment_.dt));
  std::erase_if(steps, [now](long long step) { return step <= now; });
  if (steps.empty()) return std::nullopt;
  return double(std::ranges::min(steps)) * experiment_.dt;
}

std::vector<std::byte> Slave::save() const {
  std::vector<std::byte> out;
  put_text(out, package_.token);
  for (const SceneParameter& value : parameters_) put_text(out, setting_of(value));
  put_numbers(out, inputs_);
  put_numbers(out, applied_);
  put_block(out, player_ ? player_->simulation().save() : std::vector<std::byte>());
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
  for (SceneParameter& value : parameters) value = value_of(take_text(bytes), value);
  std::vector<double> inputs = take_numbers(bytes, inputs_.size()),
                      applied = take_numbers(bytes, applied_.size());
  const auto state = take_block(bytes);
  parameters_ = std::move(parameters);
  row_.clear();
  if (state.empty()) {
    player_.reset();
    applied_ = std::move(applied);
  } else {
    inputs_ = applied;
    restore_simulation(state, applied);
  }
  inputs_ = std::move(inputs);
}

// Sets the simulation to a state at which the inputs `applied` act.
void Slave::restore_simulation(std::span<const std::byte> state,
                               const std::vector<double>& applied) {
  if (!player_ || values_of(experiment_) != parameters_) build();
  hold_references();
  player_->simulation().load(state);
  const Snapshot loaded = player_->simulation().snapshot();
  player_->show(experiment_.changes, loaded);
  restore_torques(applied);
}

// Sets the torques of the last step, without a change of the state.
void Slave::restore_torques(const std::vector<double>& applied) {
  Simulation& simulation = player_->simulation();
  const auto torque = simulation.constant_torque();
  base_.assign(torque.begin(), torque.end());
  applied_ = applied;
  const auto torques = std::span(applied_).first(base_.size());
  if (std::ranges::all_of(torques, [](double tau) { return tau == 0; })) return;
  std::vector<double> sum = base_;
  for (size_t k = 0; k < sum.size(); ++k) sum[k] += torques[k];
  const Snapshot present = simulation.snapshot();
  simulation.restore_torque(sum);
  simulation.restore(present);
}

}  // namespace torsor::fmi
