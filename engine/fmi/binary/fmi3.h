/* fmi3.h: the types and functions of FMI 3.0 that an FMU of Torsor has, in plain C.
 * See https://fmi-standard.org for their meaning. */
#ifndef TORSOR_FMI3_H
#define TORSOR_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FMI3_API __attribute__((visibility("default")))

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean* early_return_requested,
                                               fmi3Float64* early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* Versions, creation, and the phases of an instance */
FMI3_API const char* fmi3GetVersion(void);
FMI3_API fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n,
                                        const fmi3String categories[]);
FMI3_API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                   fmi3String resource_path, fmi3Boolean visible,
                                                   fmi3Boolean logging_on,
                                                   fmi3InstanceEnvironment environment,
                                                   fmi3LogMessageCallback log_message);
FMI3_API fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resource_path, fmi3Boolean visible,
    fmi3Boolean logging_on, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate_variables[], size_t n_intermediate_variables,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
    fmi3IntermediateUpdateCallback intermediate_update);
FMI3_API fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resource_path, fmi3Boolean visible,
    fmi3Boolean logging_on, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log_message,
    fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock);
FMI3_API void fmi3FreeInstance(fmi3Instance instance);
FMI3_API fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                                fmi3Boolean tolerance_defined,
                                                fmi3Float64 tolerance, fmi3Float64 start_time,
                                                fmi3Boolean stop_time_defined,
                                                fmi3Float64 stop_time);
FMI3_API fmi3Status fmi3ExitInitializationMode(fmi3Instance instance);
FMI3_API fmi3Status fmi3EnterEventMode(fmi3Instance instance);
FMI3_API fmi3Status fmi3Terminate(fmi3Instance instance);
FMI3_API fmi3Status fmi3Reset(fmi3Instance instance);
FMI3_API fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance);
FMI3_API fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance);

/* Values: one pair of functions for each type */
#define FMI3_DECLARE_VALUES(Type)                                                                 \
  FMI3_API fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference references[], \
                                    size_t n_references, fmi3##Type values[], size_t n_values);   \
  FMI3_API fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference references[], \
                                    size_t n_references, const fmi3##Type values[],               \
                                    size_t n_values)
FMI3_DECLARE_VALUES(Float32);
FMI3_DECLARE_VALUES(Float64);
FMI3_DECLARE_VALUES(Int8);
FMI3_DECLARE_VALUES(UInt8);
FMI3_DECLARE_VALUES(Int16);
FMI3_DECLARE_VALUES(UInt16);
FMI3_DECLARE_VALUES(Int32);
FMI3_DECLARE_VALUES(UInt32);
FMI3_DECLARE_VALUES(Int64);
FMI3_DECLARE_VALUES(UInt64);
FMI3_DECLARE_VALUES(Boolean);
FMI3_DECLARE_VALUES(String);
#undef FMI3_DECLARE_VALUES
FMI3_API fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                                  size_t n_references, size_t sizes[], fmi3Binary values[],
                                  size_t n_values);
FMI3_API fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                                  size_t n_references, const size_t sizes[],
                                  const fmi3Binary values[], size_t n_values);
FMI3_API fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[],
                                 size_t n_references, fmi3Clock values[]);
FMI3_API fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[],
                                 size_t n_references, const fmi3Clock values[]);

/* Dependencies and derivatives */
FMI3_API fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                                        fmi3ValueReference reference, size_t* n);
FMI3_API fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                                size_t elements_of_dependent[],
                                                fmi3ValueReference independents[],
                                                size_t elements_of_independents[],
                                                fmi3DependencyKind kinds[], size_t n);
FMI3_API fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance,
                                                 const fmi3ValueReference unknowns[],
                                                 size_t n_unknowns,
                                                 const fmi3ValueReference knowns[], size_t n_knowns,
                                                 const fmi3Float64 seed[], size_t n_seed,
                                                 fmi3Float64 sensitivity[], size_t n_sensitivity);
FMI3_API fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance,
                                             const fmi3ValueReference unknowns[], size_t n_unknowns,
                                             const fmi3ValueReference knowns[], size_t n_knowns,
                                             const fmi3Float64 seed[], size_t n_seed,
                                             fmi3Float64 sensitivity[], size_t n_sensitivity);

/* States */
FMI3_API fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state);
FMI3_API fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state);
FMI3_API fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state);
FMI3_API fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                               size_t* size);
FMI3_API fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                          fmi3Byte bytes[], size_t size);
FMI3_API fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[],
                                            size_t size, fmi3FMUState* state);

/* Clocks and discrete states */
FMI3_API fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance,
                                           const fmi3ValueReference references[], size_t n,
                                           fmi3Float64 intervals[],
                                           fmi3IntervalQualifier qualifiers[]);
FMI3_API fmi3Status fmi3GetIntervalFraction(fmi3Instance instance,
                                            const fmi3ValueReference references[], size_t n,
                                            fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                            fmi3IntervalQualifier qualifiers[]);
FMI3_API fmi3Status fmi3GetShiftDecimal(fmi3Instance instance,
                                        const fmi3ValueReference references[], size_t n,
                                        fmi3Float64 shifts[]);
FMI3_API fmi3Status fmi3GetShiftFraction(fmi3Instance instance,
                                         const fmi3ValueReference references[], size_t n,
                                         fmi3UInt64 counters[], fmi3UInt64 resolutions[]);
FMI3_API fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance,
                                           const fmi3ValueReference references[], size_t n,
                                           const fmi3Float64 intervals[]);
FMI3_API fmi3Status fmi3SetIntervalFraction(fmi3Instance instance,
                                            const fmi3ValueReference references[], size_t n,
                                            const fmi3UInt64 counters[],
                                            const fmi3UInt64 resolutions[]);
FMI3_API fmi3Status fmi3SetShiftDecimal(fmi3Instance instance,
                                        const fmi3ValueReference references[], size_t n,
                                        const fmi3Float64 shifts[]);
FMI3_API fmi3Status fmi3SetShiftFraction(fmi3Instance instance,
                                         const fmi3ValueReference references[], size_t n,
                                         const fmi3UInt64 counters[],
                                         const fmi3UInt64 resolutions[]);
FMI3_API fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance);
FMI3_API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* need_update,
                                             fmi3Boolean* terminate, fmi3Boolean* nominals_changed,
                                             fmi3Boolean* values_changed,
                                             fmi3Boolean* next_event_time_defined,
                                             fmi3Float64* next_event_time);

/* Co-simulation */
FMI3_API fmi3Status fmi3EnterStepMode(fmi3Instance instance);
FMI3_API fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                             const fmi3ValueReference references[],
                                             size_t n_references, const fmi3Int32 orders[],
                                             fmi3Float64 values[], size_t n_values);
FMI3_API fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 communication_point,
                               fmi3Float64 step_size, fmi3Boolean no_set_state_before,
                               fmi3Boolean* event_handling_needed, fmi3Boolean* terminate,
                               fmi3Boolean* early_return, fmi3Float64* last_successful_time);

/* Model exchange and scheduled execution. An FMU has the functions of all types; here, they return
 * fmi3Error. */
FMI3_API fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance);
FMI3_API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                                fmi3Boolean no_set_state_before,
                                                fmi3Boolean* enter_event_mode,
                                                fmi3Boolean* terminate);
FMI3_API fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time);
FMI3_API fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[],
                                            size_t n);
FMI3_API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance,
                                                      fmi3Float64 derivatives[], size_t n);
FMI3_API fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[],
                                           size_t n);
FMI3_API fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t n);
FMI3_API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                                      size_t n);
FMI3_API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* n);
FMI3_API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* n);
FMI3_API fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock,
                                               fmi3Float64 time);

#ifdef __cplusplus
}
#endif
#endif
