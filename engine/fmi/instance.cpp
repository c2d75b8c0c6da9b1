#include "torsor/fmi/instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>

#include "torsor/base/text.hpp"
#include "torsor/fmi/resource_folder.hpp"
#include "torsor/fmi/state_bytes.hpp"

namespace torsor::fmi {

namespace {

void replace_state(void** state, SavedInstance next) {
  if (*state)
    *static_cast<SavedInstance*>(*state) = std::move(next);
  else
    *state = new SavedInstance(std::move(next));
}

}  // namespace

CallStatus log_exception(const Logger& log, const char* function) noexcept {
  CallStatus status = CallStatus::error;
  try {
    const LogCategory* category = &error_log;
    std::string message;
    try {
      throw;
    } catch (const Discarded& error) {
      status = CallStatus::discard;
      category = &discard_log;
      message = error.what();
    } catch (const std::bad_alloc&) {
      message = "there is not enough memory";
    } catch (const std::exception& error) {
      message = error.what();
    } catch (...) {
      status = CallStatus::fatal;
      category = &fatal_log;
      message = "an unknown exception; free the instance and report this error";
    }
    if (log) log(status, category->name, one_line(fmt::format("{}: {}", function, message)));
  } catch (...) {
    // The message itself, or the logger of the importer, has failed. The status is reported.
  }
  return status;
}

std::string log_text(const std::string& message) {
  std::string out;
  for (const char c : message) out += c == '#' ? "##" : std::string(1, c);
  return out;
}

std::vector<std::byte> serialize(const SavedInstance& state) {
  std::vector<std::byte> content = {std::byte(state.phase), std::byte(state.stop_time.has_value())};
  put_numbers(content, {state.stop_time.value_or(0)});
  content.insert(content.end(), state.bytes.begin(), state.bytes.end());
  return sealed(content);
}

SavedInstance deserialize(std::span<const std::byte> bytes) {
  auto content = unsealed(bytes);
  if (content.size() < 2 || content[0] > std::byte(Phase::terminated))
    throw Error("the serialized state has no phase; serialize it again");
  const auto phase = Phase(content[0]);
  const bool has_stop_time = content[1] != std::byte(0);
  content = content.subspan(2);
  const double stop_time = take_numbers(content, 1)[0];
  return {phase,
          has_stop_time ? std::optional(stop_time) : std::nullopt,
          {content.begin(), content.end()}};
}

Instance::Instance(const Creation& creation, Logger log)
    : log_(std::move(log)),
      prints_(creation.prints),
      uses_events_(creation.uses_events),
      allows_early_return_(creation.allows_early_return) {
  if (!creation.token) throw Error("the token of the FMU is NULL");
  if (!creation.resources)
    throw Error("the resources are NULL; give the folder resources of the unpacked FMU");
  slave_.emplace(resource_folder(creation.resources), [this](std::string_view line) {
    if (prints_ && log_) log_(CallStatus::ok, scene_log.name, std::string(line));
  });
  if (slave_->token() != creation.token)
    throw Error(
        fmt::format("the token is '{}', but that of the FMU is '{}'; use modelDescription.xml and "
                    "the resources "
                    "of the same FMU",
                    creation.token, slave_->token()));
}

void Instance::set_logging(bool on, std::span<const char* const> categories) {
  bool has_scene = categories.empty();
  for (const char* name : categories) {
    require_array(name, 1, "a category");
    const auto found =
        std::ranges::find(log_categories, std::string_view(name), &LogCategory::name);
    if (found == std::end(log_categories))
      throw Error(fmt::format("there is no category '{}'; modelDescription.xml lists them", name));
    has_scene = has_scene || std::string_view(name) == scene_log.name;
  }
  if (has_scene) prints_ = on;
}

void Instance::require(Phase phase, const char* when) const {
  if (phase_ != phase) throw Error(fmt::format("it may be called only {}", when));
}

void Instance::set_up(double start_time, std::optional<double> stop_time) {
  require(Phase::instantiated, "after the creation or a reset");
  if (start_time != 0)
    throw Error(fmt::format("startTime is {} s; the scene starts at 0 s", start_time));
  if (stop_time && !(*stop_time >= start_time))
    throw Error(fmt::format("stopTime is {} s; it must not be before startTime", *stop_time));
  // An infinite time is none.
  stop_time_ = stop_time && std::isfinite(*stop_time) ? stop_time : std::nullopt;
}

void Instance::enter_initialization() {
  require(Phase::instantiated, "once after the creation or a reset");
  slave_->start();
  phase_ = Phase::initialization;
}

void Instance::exit_initialization() {
  require(Phase::initialization, "in initialization mode");
  slave_->start();
  phase_ = uses_events_ ? Phase::event : Phase::step;
}

void Instance::enter_event_mode() {
  if (!uses_events_) throw Error("eventModeUsed was false at the creation; create the FMU with it");
  require(Phase::step, "in step mode");
  phase_ = Phase::event;
}

void Instance::enter_step_mode() {
  require(Phase::event, "in event mode");
  phase_ = Phase::step;
}

std::optional<double> Instance::update_discrete_states() {
  require(Phase::event, "in event mode");
  return slave_->next_event();
}

Instance::Step Instance::step(double t, double h) {
  require(Phase::step, "in step mode, after the initialization");
  const long long steps = slave_->steps_of(t, h);
  if (stop_time_ && slave_->time_after(steps) > *stop_time_ + slave_->rounding())
    throw Error(fmt::format("the step ends at {} s, after stopTime, {} s", t + h, *stop_time_));
  const Slave::Advance made = slave_->advance(steps, uses_events_ && allows_early_return_);
  return {uses_events_ && made.event, made.steps < steps};
}

void Instance::terminate() {
  if (phase_ != Phase::event) require(Phase::step, "after the initialization, and once");
  phase_ = Phase::terminated;
}

void Instance::reset() {
  slave_->reset();
  stop_time_.reset();
  phase_ = Phase::instantiated;
}

std::vector<const char*> Instance::texts(std::span<const uint32_t> references) {
  std::vector<std::string> next;
  for (const uint32_t reference : references) next.push_back(slave_->text(reference));
  texts_ = std::move(next);
  std::vector<const char*> out;
  for (const std::string& text : texts_) out.push_back(text.c_str());
  return out;
}

void Instance::set(uint32_t reference, const SceneParameter& value) {
  const Variable& variable = slave_->variable(reference);
  if (phase_ == Phase::terminated)
    throw Error(fmt::format("variable '{}': the simulation has been terminated", variable.name));
  const bool runs = phase_ == Phase::event || phase_ == Phase::step;
  if (runs && variable.kind == Variable::Kind::parameter)
    throw Error(fmt::format(
        "variable '{}': a fixed parameter can be set only before the end of the initialization",
        variable.name));
  if (uses_events_ && phase_ == Phase::step && std::holds_alternative<bool>(variable.start))
    throw Error(
        fmt::format("variable '{}': a discrete input can be set only in event mode; enter it first",
                    variable.name));
  slave_->set(reference, value);
}

void Instance::load(const SavedInstance& state) {
  slave_->load(state.bytes);
  stop_time_ = state.stop_time;
  phase_ = state.phase == Phase::event && !uses_events_ ? Phase::step : state.phase;
}

void get_state(const Instance& instance, void** state) {
  require_array(state, 1, "FMUState");
  replace_state(state, instance.save());
}

void free_state(void** state) {
  if (!state) return;
  delete static_cast<SavedInstance*>(*state);
  *state = nullptr;
}

void serialize_state(const void* state, void* bytes, size_t size) {
  const std::vector<std::byte> out = serialize(saved(state));
  require_array(bytes, 1, "serializedState");
  if (size != out.size())
    throw Error(fmt::format("size is {}; the state has {} bytes", size, out.size()));
  std::memcpy(bytes, out.data(), size);
}

void deserialize_state(const void* bytes, size_t size, void** state) {
  require_array(bytes, 1, "serializedState");
  require_array(state, 1, "FMUState");
  replace_state(state, deserialize({static_cast<const std::byte*>(bytes), size}));
}

}  // namespace torsor::fmi
