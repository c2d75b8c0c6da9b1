// The functions of FMI 2.0 for co-simulation.

#include "torsor/fmi/binary/fmi2.h"

#include <memory>

#include "torsor/fmi/instance.hpp"

using namespace torsor;
using namespace torsor::fmi;

namespace {

template <class Function>
fmi2Status call2(fmi2Component component, const char* name, Function function) {
  return fmi2Status(guarded(component, name, function));
}

// Calls function(instance, k, reference) for each value.
template <class Function>
fmi2Status each2(fmi2Component component, const char* name, const fmi2ValueReference* references,
                 size_t n, const void* values, Function function) {
  return call2(component, name, [&](Instance& at) {
    require_array(references, n, "vr");
    require_array(values, n, "value");
    for (size_t k = 0; k < n; ++k) function(at, k, references[k]);
  });
}

fmi2Status reject2(fmi2Component component, const char* name, size_t n, const char* why) {
  return call2(component, name, [&](Instance&) {
    if (n > 0) throw Error(why);
  });
}

constexpr const char* no_integers = "this FMU has no variables of this type";
constexpr const char* no_derivatives = "this FMU has no derivatives of inputs and outputs";
constexpr const char* no_status = "this FMU has no asynchronous steps";

fmi2Status no_such_status(fmi2Component component, const char* name) {
  return call2(component, name, [](Instance&) { throw Discarded(no_status); });
}

Logger logger_of(const fmi2CallbackFunctions* functions, fmi2String name) {
  if (!functions || !functions->logger) return {};
  return [logger = functions->logger, environment = functions->componentEnvironment,
          name = std::string(name ? name : "")](CallStatus status, const char* category,
                                                const std::string& message) {
    logger(environment, name.c_str(), fmi2Status(status), category, "%s",
           log_text(message).c_str());
  };
}

}  // namespace

const char* fmi2GetTypesPlatform(void) {
  return "default";
}

const char* fmi2GetVersion(void) {
  return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n,
                               const fmi2String categories[]) {
  return call2(component, "fmi2SetDebugLogging", [&](Instance& at) {
    require_array(categories, n, "categories");
    at.set_logging(on != 0, {categories, n});
  });
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resource_location, const fmi2CallbackFunctions* functions,
                              fmi2Boolean, fmi2Boolean logging_on) {
  const Logger log = logger_of(functions, name);
  try {
    if (type != fmi2CoSimulation) throw Error("this FMU is for co-simulation only");
    return std::make_unique<Instance>(Creation{guid, resource_location, logging_on != 0}, log)
        .release();
  } catch (...) {
    log_exception(log, "fmi2Instantiate");
    return nullptr;
  }
}

void fmi2FreeInstance(fmi2Component component) {
  delete static_cast<Instance*>(component);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean, fmi2Real, fmi2Real start_time,
                               fmi2Boolean stop_time_defined, fmi2Real stop_time) {
  return call2(component, "fmi2SetupExperiment", [&](Instance& at) {
    at.set_up(start_time, stop_time_defined ? std::optional(stop_time) : std::nullopt);
  });
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return call2(component, "fmi2EnterInitializationMode",
               [](Instance& at) { at.enter_initialization(); });
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return call2(component, "fmi2ExitInitializationMode",
               [](Instance& at) { at.exit_initialization(); });
}

fmi2Status fmi2Terminate(fmi2Component component) {
  return call2(component, "fmi2Terminate", [](Instance& at) { at.terminate(); });
}

fmi2Status fmi2Reset(fmi2Component component) {
  return call2(component, "fmi2Reset", [](Instance& at) { at.reset(); });
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t n,
                       fmi2Real values[]) {
  return each2(component, "fmi2GetReal", references, n, values,
               [&](Instance& at, size_t k, uint32_t at_k) { values[k] = at.number(at_k); });
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t n,
                       const fmi2Real values[]) {
  return each2(component, "fmi2SetReal", references, n, values,
               [&](Instance& at, size_t k, uint32_t at_k) { at.set(at_k, values[k]); });
}

fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t n,
                          fmi2Boolean values[]) {
  return each2(component, "fmi2GetBoolean", references, n, values,
               [&](Instance& at, size_t k, uint32_t at_k) { values[k] = at.flag(at_k); });
}

fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t n,
                          const fmi2Boolean values[]) {
  return each2(component, "fmi2SetBoolean", references, n, values,
               [&](Instance& at, size_t k, uint32_t at_k) { at.set(at_k, values[k] != 0); });
}

fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference references[], size_t n,
                         fmi2String values[]) {
  std::vector<const char*> texts;
  return each2(component, "fmi2GetString", references, n, values,
               [&](Instance& at, size_t k, uint32_t) {
                 if (k == 0) texts = at.texts({references, n});
                 values[k] = texts[k];
               });
}

fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference references[], size_t n,
                         const fmi2String values[]) {
  return each2(component, "fmi2SetString", references, n, values,
               [&](Instance& at, size_t k, uint32_t at_k) {
                 require_array(values[k], 1, "a string");
                 at.set(at_k, std::string(values[k]));
               });
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference[], size_t n,
                          fmi2Integer[]) {
  return reject2(component, "fmi2GetInteger", n, no_integers);
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference[], size_t n,
                          const fmi2Integer[]) {
  return reject2(component, "fmi2SetInteger", n, no_integers);
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return call2(component, "fmi2GetFMUstate", [&](Instance& at) { get_state(at, state); });
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return call2(component, "fmi2SetFMUstate", [&](Instance& at) { at.load(saved(state)); });
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return call2(component, "fmi2FreeFMUstate", [&](Instance&) { free_state(state); });
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
  return call2(component, "fmi2SerializedFMUstateSize", [&](Instance&) {
    require_array(size, 1, "size");
    *size = serialize(saved(state)).size();
  });
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
  return call2(component, "fmi2SerializeFMUstate",
               [&](Instance&) { serialize_state(state, bytes, size); });
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate* state) {
  return call2(component, "fmi2DeSerializeFMUstate",
               [&](Instance&) { deserialize_state(bytes, size, state); });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference[],
                                        size_t n, const fmi2ValueReference[], size_t,
                                        const fmi2Real[], fmi2Real[]) {
  return reject2(component, "fmi2GetDirectionalDerivative", n, no_derivatives);
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference[],
                                       size_t n, const fmi2Integer[], const fmi2Real[]) {
  return reject2(component, "fmi2SetRealInputDerivatives", n, no_derivatives);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference[],
                                        size_t n, const fmi2Integer[], fmi2Real[]) {
  return reject2(component, "fmi2GetRealOutputDerivatives", n, no_derivatives);
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real communication_point, fmi2Real step_size,
                      fmi2Boolean) {
  return call2(component, "fmi2DoStep",
               [&](Instance& at) { at.step(communication_point, step_size); });
}

fmi2Status fmi2CancelStep(fmi2Component component) {
  return reject2(component, "fmi2CancelStep", 1, no_status);
}

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind, fmi2Status*) {
  return no_such_status(component, "fmi2GetStatus");
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value) {
  return call2(component, "fmi2GetRealStatus", [&](Instance& at) {
    require_array(value, 1, "value");
    if (kind != fmi2LastSuccessfulTime) throw Discarded(no_status);
    *value = at.time();
  });
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind, fmi2Integer*) {
  return no_such_status(component, "fmi2GetIntegerStatus");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind,
                                fmi2Boolean* value) {
  return call2(component, "fmi2GetBooleanStatus", [&](Instance&) {
    require_array(value, 1, "value");
    if (kind != fmi2Terminated) throw Discarded(no_status);
    *value = false;
  });
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind, fmi2String*) {
  return no_such_status(component, "fmi2GetStringStatus");
}
