// The life of an instance: creation, initialization, steps.

#include <cmath>
#include <memory>

#include "torsor/fmi/binary/instance.hpp"

using namespace torsor;
using namespace torsor::fmi;

namespace {

std::unique_ptr<Instance> instantiate(std::unique_ptr<Instance> instance, fmi3String token,
                                      fmi3String resource_path) {
  if (!token) throw Error("instantiationToken is NULL");
  if (!resource_path)
    throw Error("resourcePath is NULL; give the folder resources of the unpacked FMU");
  Instance* at = instance.get();
  instance->slave.emplace(resource_path, [at](std::string_view line) {
    if (at->prints) log(*at, fmi3OK, "scene", std::string(line));
  });
  if (instance->slave->token() != token)
    throw Error(fmt::format("instantiationToken is '{}', but that of the FMU is '{}'", token,
                            instance->slave->token()));
  return instance;
}

fmi3Instance rejected(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
                      const char* message) {
  if (log_message) log_message(environment, fmi3Error, "logStatusError", message);
  return nullptr;
}

}  // namespace

const char* fmi3GetVersion(void) {
  return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t, const fmi3String[]) {
  return guarded(instance, "fmi3SetDebugLogging", [&](Instance& at) { at.prints = on; });
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token,
                                         fmi3String resource_path, fmi3Boolean,
                                         fmi3Boolean logging_on, fmi3Boolean, fmi3Boolean,
                                         const fmi3ValueReference[], size_t n_intermediate,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback) {
  try {
    if (n_intermediate > 0) throw Error("intermediate variables are not provided");
    auto instance = std::make_unique<Instance>();
    instance->name = name ? name : "";
    instance->environment = environment;
    instance->log_message = log_message;
    instance->prints = logging_on;
    return instantiate(std::move(instance), token, resource_path).release();
  } catch (const std::exception& error) {
    return rejected(environment, log_message,
                    fmt::format("fmi3InstantiateCoSimulation: {}", error.what()).c_str());
  }
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                          fmi3Boolean, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log_message) {
  return rejected(environment, log_message,
                  "fmi3InstantiateModelExchange: this FMU is for co-simulation only");
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                               fmi3Boolean, fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log_message,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  return rejected(environment, log_message,
                  "fmi3InstantiateScheduledExecution: this FMU is for co-simulation only");
}

void fmi3FreeInstance(fmi3Instance instance) {
  delete static_cast<Instance*>(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean, fmi3Float64,
                                       fmi3Float64 start_time, fmi3Boolean stop_time_defined,
                                       fmi3Float64 stop_time) {
  return guarded(instance, "fmi3EnterInitializationMode", [&](Instance& at) {
    require_phase(at, Phase::instantiated, "once after the creation or a reset");
    if (start_time != 0)
      throw Error(fmt::format("startTime is {} s; the scene starts at 0 s", start_time));
    at.stop_time = stop_time_defined ? std::optional(stop_time) : std::nullopt;
    at.slave->start();
    at.phase = Phase::initialization;
  });
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  return guarded(instance, "fmi3ExitInitializationMode", [](Instance& at) {
    require_phase(at, Phase::initialization, "in initialization mode");
    at.slave->start();
    at.phase = Phase::step;
  });
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
  return guarded(instance, "fmi3Terminate", [](Instance& at) { at.phase = Phase::terminated; });
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  return guarded(instance, "fmi3Reset", [](Instance& at) {
    at.slave->reset();
    at.phase = Phase::instantiated;
  });
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 communication_point, fmi3Float64 step_size,
                      fmi3Boolean, fmi3Boolean* event_handling_needed, fmi3Boolean* terminate,
                      fmi3Boolean* early_return, fmi3Float64* last_successful_time) {
  if (event_handling_needed) *event_handling_needed = false;
  if (terminate) *terminate = false;
  if (early_return) *early_return = false;
  const fmi3Status status = guarded(instance, "fmi3DoStep", [&](Instance& at) {
    require_phase(at, Phase::step, "after the initialization");
    const double end = communication_point + step_size;
    if (at.stop_time && end > *at.stop_time + 1e-9 * std::abs(*at.stop_time))
      throw Error(fmt::format("the step ends at {} s, after stopTime, {} s", end, *at.stop_time));
    at.slave->advance(communication_point, step_size);
  });
  if (instance && last_successful_time)
    *last_successful_time = static_cast<Instance*>(instance)->slave->time();
  return status;
}
