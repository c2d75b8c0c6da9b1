// The functions of FMI 3.0: creation, phases, steps and saved states.

#include "torsor/fmi/binary/fmi3.h"

#include <memory>

#include "torsor/fmi/instance.hpp"

using namespace torsor;
using namespace torsor::fmi;

namespace {

template <class Function>
fmi3Status call3(fmi3Instance instance, const char* name, Function function) {
  return fmi3Status(guarded(instance, name, function));
}

Logger logger_of(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message) {
  if (!log_message) return {};
  return [=](CallStatus status, const char* category, const std::string& message) {
    log_message(environment, fmi3Status(status), category, log_text(message).c_str());
  };
}

fmi3Instance rejected(const Logger& log, const char* name) {
  try {
    throw Error("this FMU is for co-simulation only");
  } catch (...) {
    log_exception(log, name);
  }
  return nullptr;
}

void set(fmi3Boolean* flag, bool value) {
  if (flag) *flag = value;
}

}  // namespace

const char* fmi3GetVersion(void) {
  return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n,
                               const fmi3String categories[]) {
  return call3(instance, "fmi3SetDebugLogging", [&](Instance& at) {
    require_array(categories, n, "categories");
    at.set_logging(on, {categories, n});
  });
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String, fmi3String token, fmi3String resource_path, fmi3Boolean, fmi3Boolean logging_on,
    fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed, const fmi3ValueReference[],
    size_t n_intermediate, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
    fmi3IntermediateUpdateCallback) {
  const Logger log = logger_of(environment, log_message);
  try {
    if (n_intermediate > 0) throw Error("intermediate variables are not provided");
    return std::make_unique<Instance>(
               Creation{token, resource_path, logging_on, event_mode_used, early_return_allowed},
               log)
        .release();
  } catch (...) {
    log_exception(log, "fmi3InstantiateCoSimulation");
    return nullptr;
  }
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                          fmi3Boolean, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log_message) {
  return rejected(logger_of(environment, log_message), "fmi3InstantiateModelExchange");
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                               fmi3Boolean, fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log_message,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  return rejected(logger_of(environment, log_message), "fmi3InstantiateScheduledExecution");
}

void fmi3FreeInstance(fmi3Instance instance) {
  delete static_cast<Instance*>(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean, fmi3Float64,
                                       fmi3Float64 start_time, fmi3Boolean stop_time_defined,
                                       fmi3Float64 stop_time) {
  return call3(instance, "fmi3EnterInitializationMode", [&](Instance& at) {
    at.set_up(start_time, stop_time_defined ? std::optional(stop_time) : std::nullopt);
    at.enter_initialization();
  });
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return call3(instance, "fmi3ExitInitializationMode",
               [](Instance& at) { at.exit_initialization(); });
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  return call3(instance, "fmi3EnterEventMode", [](Instance& at) { at.enter_event_mode(); });
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return call3(instance, "fmi3EnterStepMode", [](Instance& at) { at.enter_step_mode(); });
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* need_update,
                                    fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                    fmi3Boolean* states_changed, fmi3Boolean* next_event_defined,
                                    fmi3Float64* next_event_time) {
  for (fmi3Boolean* flag : {need_update, terminate, nominals_changed, states_changed})
    set(flag, false);
  set(next_event_defined, false);
  return call3(instance, "fmi3UpdateDiscreteStates", [&](Instance& at) {
    const std::optional<double> next = at.update_discrete_states();
    set(next_event_defined, next.has_value());
    if (next && next_event_time) *next_event_time = *next;
  });
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 communication_point, fmi3Float64 step_size,
                      fmi3Boolean, fmi3Boolean* event_handling_needed, fmi3Boolean* terminate,
                      fmi3Boolean* early_return, fmi3Float64* last_successful_time) {
  for (fmi3Boolean* flag : {event_handling_needed, terminate, early_return}) set(flag, false);
  const fmi3Status status = call3(instance, "fmi3DoStep", [&](Instance& at) {
    const Instance::Step step = at.step(communication_point, step_size);
    set(event_handling_needed, step.event);
    set(early_return, step.is_early);
  });
  if (instance && last_successful_time)
    *last_successful_time = static_cast<Instance*>(instance)->time();
  return status;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
  return call3(instance, "fmi3Terminate", [](Instance& at) { at.terminate(); });
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  return call3(instance, "fmi3Reset", [](Instance& at) { at.reset(); });
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return call3(instance, "fmi3GetFMUState", [&](Instance& at) { get_state(at, state); });
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  return call3(instance, "fmi3SetFMUState", [&](Instance& at) { at.load(saved(state)); });
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  return call3(instance, "fmi3FreeFMUState", [&](Instance&) { free_state(state); });
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  return call3(instance, "fmi3SerializedFMUStateSize", [&](Instance&) {
    require_array(size, 1, "size");
    *size = serialize(saved(state)).size();
  });
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size) {
  return call3(instance, "fmi3SerializeFMUState",
               [&](Instance&) { serialize_state(state, bytes, size); });
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState* state) {
  return call3(instance, "fmi3DeserializeFMUState",
               [&](Instance&) { deserialize_state(bytes, size, state); });
}
