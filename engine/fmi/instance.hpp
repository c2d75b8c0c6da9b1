#pragma once
// An instance of an FMU: a slave with its phase and the logger of the importer. The functions of
// FMI 2.0 and 3.0 (binary/) call it, and differ in their types only.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/fmi/slave.hpp"

namespace torsor::fmi {

// The values are those of fmi2Status and fmi3Status.
enum class CallStatus { ok, warning, discard, error, fatal };

enum class Phase : unsigned char { instantiated, initialization, event, step, terminated };

// The categories of messages. Errors are always logged.
struct LogCategory {
  const char *name, *description;
};
inline constexpr LogCategory error_log{"logStatusError", "errors"},
    discard_log{"logStatusDiscard", "status that is not available"},
    fatal_log{"logStatusFatal", "errors after which the instance cannot be used"},
    scene_log{"scene", "lines that the scene prints"};
inline constexpr LogCategory log_categories[] = {error_log, discard_log, fatal_log, scene_log};

// Passes a message to the importer.
using Logger =
    std::function<void(CallStatus status, const char* category, const std::string& message)>;
// Returns a message as importers read it: # begins the reference of a variable, and ## is #.
std::string log_text(const std::string& message);

// An Error that returns CallStatus::discard: the instance cannot answer, and is as before.
class Discarded : public Error {
 public:
  using Error::Error;
};

// The state that fmi3GetFMUState returns.
struct SavedInstance {
  Phase phase;
  std::optional<double> stop_time;
  std::vector<std::byte> bytes;  // of the slave
};

// Serialize a state with a checksum, and read it. deserialize() throws Error for damaged bytes.
std::vector<std::byte> serialize(const SavedInstance& state);
SavedInstance deserialize(std::span<const std::byte> bytes);

// The settings that an importer requests when it creates an instance.
struct Creation {
  const char* token;      // of modelDescription.xml
  const char* resources;  // the folder resources/, see resource_folder()
  bool prints = false;    // the lines that the scene prints are logged
  bool uses_events = false, allows_early_return = false;  // of FMI 3.0
};

class Instance {
 public:
  // Throws Error if an argument is NULL, if the token is that of another FMU, or if the scene
  // cannot be loaded.
  Instance(const Creation& creation, Logger log);
  Instance(const Instance&) = delete;

  const Logger& logger() const { return log_; }
  // Switches categories of messages on or off; all of them if none are given. Throws Error for
  // unknown ones.
  void set_logging(bool on, std::span<const char* const> categories);
  double time() const { return slave_->time(); }

  // The functions below throw Error if the phase does not allow them.
  void set_up(double start_time, std::optional<double> stop_time);
  void enter_initialization();
  void exit_initialization();
  void enter_event_mode();
  void enter_step_mode();
  // Returns the time of the next event that is known in advance.
  std::optional<double> update_discrete_states();
  struct Step {
    bool event, is_early;
  };
  Step step(double t, double h);
  void terminate();
  void reset();

  double number(uint32_t reference) { return slave_->number(reference); }
  bool flag(uint32_t reference) const { return slave_->flag(reference); }
  // Returns strings that are valid until the next call.
  std::vector<const char*> texts(std::span<const uint32_t> references);
  void set(uint32_t reference, const SceneParameter& value);

  SavedInstance save() const { return {phase_, stop_time_, slave_->save()}; }
  void load(const SavedInstance& state);

 private:
  void require(Phase phase, const char* when) const;

  Logger log_;
  bool prints_, uses_events_, allows_early_return_;
  Phase phase_ = Phase::instantiated;
  std::optional<double> stop_time_;
  std::optional<Slave> slave_;
  std::vector<std::string> texts_;
};

// Logs the exception that is being handled. Returns CallStatus::error, CallStatus::discard for
// Discarded, or CallStatus::fatal for an exception that is no std::exception. function: the
// function of FMI.
CallStatus log_exception(const Logger& log, const char* function) noexcept;

// Calls function(instance), whose exceptions do not leave this function (log_exception()).
template <class Function>
CallStatus guarded(void* handle, const char* name, Function function) noexcept {
  auto* instance = static_cast<Instance*>(handle);
  if (!instance) return CallStatus::error;
  try {
    function(*instance);
    return CallStatus::ok;
  } catch (...) {
    return log_exception(instance->logger(), name);
  }
}

inline void require_array(const void* pointer, size_t n, const char* name) {
  if (n > 0 && !pointer) throw Error(fmt::format("{} is NULL", name));
}

// Returns the state of a handle. Throws Error if it is NULL.
inline const SavedInstance& saved(const void* state) {
  require_array(state, 1, "FMUState");
  return *static_cast<const SavedInstance*>(state);
}

// The functions for saved states, which FMI 2.0 and 3.0 share. A state is a SavedInstance that the
// importer owns. get_state() and deserialize_state() replace the state if there is one.
void get_state(const Instance& instance, void** state);
void free_state(void** state);
void serialize_state(const void* state, void* bytes, size_t size);
void deserialize_state(const void* bytes, size_t size, void** state);

}  // namespace torsor::fmi
