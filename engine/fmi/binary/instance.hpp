#pragma once
// An instance of an FMU: a slave with its phase and the logger of the importer. No exception leaves
// the functions of FMI.

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/fmi/binary/fmi3.h"
#include "torsor/fmi/slave.hpp"

namespace torsor::fmi {

enum class Phase { instantiated, initialization, step, terminated };

struct Instance {
  std::string name;
  fmi3InstanceEnvironment environment = nullptr;
  fmi3LogMessageCallback log_message = nullptr;
  bool prints = false;  // the lines that the scene prints are logged
  Phase phase = Phase::instantiated;
  std::optional<double> stop_time = {};
  std::optional<Slave> slave = {};
  std::vector<std::string> texts = {};  // strings that the last fmi3GetString has returned
};

// The state that fmi3GetFMUState returns.
struct SavedInstance {
  Phase phase;
  std::vector<std::byte> bytes;
};

// Passes a message to the importer, if it has a logger.
inline void log(const Instance& instance, fmi3Status status, const char* category,
                const std::string& message) {
  if (instance.log_message)
    instance.log_message(instance.environment, status, category, message.c_str());
}

// Calls function(instance) and converts its exceptions to messages and fmi3Error. name: the
// function of FMI.
template <class Function>
fmi3Status guarded(fmi3Instance handle, const char* name, Function function) noexcept {
  auto* instance = static_cast<Instance*>(handle);
  if (!instance) return fmi3Error;
  std::string message;
  try {
    function(*instance);
    return fmi3OK;
  } catch (const std::exception& error) {
    message = error.what();
  }
  log(*instance, fmi3Error, "logStatusError", fmt::format("{}: {}", name, message));
  return fmi3Error;
}

inline void require(const void* pointer, size_t n, const char* name) {
  if (n > 0 && !pointer) throw Error(fmt::format("{} is NULL", name));
}

inline void require_phase(const Instance& instance, Phase phase, const char* when) {
  if (instance.phase != phase) throw Error(fmt::format("it may be called only {}", when));
}

}  // namespace torsor::fmi
