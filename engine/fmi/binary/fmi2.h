/* fmi2.h: the types and functions of FMI 2.0 for co-simulation, in plain C.
 * See https://fmi-standard.org for their meaning. */
#ifndef TORSOR_FMI2_H
#define TORSOR_FMI2_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FMI2_API __attribute__((visibility("default")))

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;

/* The message is a format of printf, with its arguments. */
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment environment, fmi2String name,
                                   fmi2Status status, fmi2String category, fmi2String message, ...);
typedef void* (*fmi2CallbackAllocateMemory)(size_t n, size_t size);
typedef void (*fmi2CallbackFreeMemory)(void* memory);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
typedef struct {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished;
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

/* Versions, creation, and the phases of an instance */
FMI2_API const char* fmi2GetTypesPlatform(void);
FMI2_API const char* fmi2GetVersion(void);
FMI2_API fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean on, size_t n,
                                        const fmi2String categories[]);
FMI2_API fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                       fmi2String resource_location,
                                       const fmi2CallbackFunctions* functions, fmi2Boolean visible,
                                       fmi2Boolean logging_on);
FMI2_API void fmi2FreeInstance(fmi2Component component);
FMI2_API fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean tolerance_defined,
                                        fmi2Real tolerance, fmi2Real start_time,
                                        fmi2Boolean stop_time_defined, fmi2Real stop_time);
FMI2_API fmi2Status fmi2EnterInitializationMode(fmi2Component component);
FMI2_API fmi2Status fmi2ExitInitializationMode(fmi2Component component);
FMI2_API fmi2Status fmi2Terminate(fmi2Component component);
FMI2_API fmi2Status fmi2Reset(fmi2Component component);

/* Values of variables */
#define FMI2_DECLARE_VALUES(Type)                                                               \
  FMI2_API fmi2Status fmi2Get##Type(fmi2Component component,                                    \
                                    const fmi2ValueReference references[], size_t n_references, \
                                    fmi2##Type values[]);                                       \
  FMI2_API fmi2Status fmi2Set##Type(fmi2Component component,                                    \
                                    const fmi2ValueReference references[], size_t n_references, \
                                    const fmi2##Type values[]);
FMI2_DECLARE_VALUES(Real)
FMI2_DECLARE_VALUES(Integer)
FMI2_DECLARE_VALUES(Boolean)
FMI2_DECLARE_VALUES(String)
#undef FMI2_DECLARE_VALUES

/* Saved states */
FMI2_API fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state);
FMI2_API fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state);
FMI2_API fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state);
FMI2_API fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state,
                                               size_t* size);
FMI2_API fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state,
                                          fmi2Byte bytes[], size_t size);
FMI2_API fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[],
                                            size_t size, fmi2FMUstate* state);

/* Derivatives */
FMI2_API fmi2Status fmi2GetDirectionalDerivative(fmi2Component component,
                                                 const fmi2ValueReference unknowns[],
                                                 size_t n_unknowns,
                                                 const fmi2ValueReference knowns[], size_t n_knowns,
                                                 const fmi2Real seeds[], fmi2Real sensitivities[]);
FMI2_API fmi2Status fmi2SetRealInputDerivatives(fmi2Component component,
                                                const fmi2ValueReference references[], size_t n,
                                                const fmi2Integer orders[],
                                                const fmi2Real values[]);
FMI2_API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component,
                                                 const fmi2ValueReference references[], size_t n,
                                                 const fmi2Integer orders[], fmi2Real values[]);

/* Co-simulation */
FMI2_API fmi2Status fmi2DoStep(fmi2Component component, fmi2Real communication_point,
                               fmi2Real step_size, fmi2Boolean no_set_state_before);
FMI2_API fmi2Status fmi2CancelStep(fmi2Component component);
FMI2_API fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind,
                                  fmi2Status* value);
FMI2_API fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind,
                                      fmi2Real* value);
FMI2_API fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind kind,
                                         fmi2Integer* value);
FMI2_API fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind,
                                         fmi2Boolean* value);
FMI2_API fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind,
                                        fmi2String* value);

#ifdef __cplusplus
}
#endif
#endif
