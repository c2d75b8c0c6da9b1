// Functions of parts of FMI 3.0 that this FMU does not offer, as its modelDescription.xml says. The
// standard requires that they exist. They return fmi3Error with a message.

#include "torsor/fmi/binary/fmi3.h"
#include "torsor/fmi/instance.hpp"

using namespace torsor;
using namespace torsor::fmi;

namespace {

fmi3Status not_offered(fmi3Instance instance, const char* name, const char* what) {
  return fmi3Status(guarded(
      instance, name, [&](Instance&) { throw Error(fmt::format("this FMU has no {}", what)); }));
}

constexpr const char* clocks = "clocks";
constexpr const char* evaluation = "providesEvaluateDiscreteStates; call fmi3UpdateDiscreteStates";
constexpr const char* configuration = "structural parameters";
constexpr const char* derivatives = "derivatives of outputs";
constexpr const char* exchange = "model exchange; it is for co-simulation only";
constexpr const char* scheduled = "scheduled execution; it is for co-simulation only";
constexpr const char* dependencies = "arrays, whose dependencies this function returns";

}  // namespace

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return not_offered(instance, "fmi3EvaluateDiscreteStates", evaluation);
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return not_offered(instance, "fmi3EnterConfigurationMode", configuration);
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return not_offered(instance, "fmi3ExitConfigurationMode", configuration);
}
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference, size_t*) {
  return not_offered(instance, "fmi3GetNumberOfVariableDependencies", dependencies);
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference, size_t[],
                                       fmi3ValueReference[], size_t[], fmi3DependencyKind[],
                                       size_t) {
  return not_offered(instance, "fmi3GetVariableDependencies", dependencies);
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                        const fmi3ValueReference[], size_t, const fmi3Float64[],
                                        size_t, fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetDirectionalDerivative", derivatives);
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                    const fmi3ValueReference[], size_t, const fmi3Float64[], size_t,
                                    fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetAdjointDerivative", derivatives);
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                    const fmi3Int32[], fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetOutputDerivatives", derivatives);
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                  fmi3Float64[], fmi3IntervalQualifier[]) {
  return not_offered(instance, "fmi3GetIntervalDecimal", clocks);
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                   fmi3UInt64[], fmi3UInt64[], fmi3IntervalQualifier[]) {
  return not_offered(instance, "fmi3GetIntervalFraction", clocks);
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                               fmi3Float64[]) {
  return not_offered(instance, "fmi3GetShiftDecimal", clocks);
}
fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                fmi3UInt64[], fmi3UInt64[]) {
  return not_offered(instance, "fmi3GetShiftFraction", clocks);
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                  const fmi3Float64[]) {
  return not_offered(instance, "fmi3SetIntervalDecimal", clocks);
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                   const fmi3UInt64[], const fmi3UInt64[]) {
  return not_offered(instance, "fmi3SetIntervalFraction", clocks);
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t,
                               const fmi3Float64[]) {
  return not_offered(instance, "fmi3SetShiftDecimal", clocks);
}
fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference[], size_t,
                                const fmi3UInt64[], const fmi3UInt64[]) {
  return not_offered(instance, "fmi3SetShiftFraction", clocks);
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  return not_offered(instance, "fmi3EnterContinuousTimeMode", exchange);
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean, fmi3Boolean*,
                                       fmi3Boolean*) {
  return not_offered(instance, "fmi3CompletedIntegratorStep", exchange);
}
fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64) {
  return not_offered(instance, "fmi3SetTime", exchange);
}
fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3SetContinuousStates", exchange);
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetContinuousStateDerivatives", exchange);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetEventIndicators", exchange);
}
fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetContinuousStates", exchange);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64[], size_t) {
  return not_offered(instance, "fmi3GetNominalsOfContinuousStates", exchange);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t*) {
  return not_offered(instance, "fmi3GetNumberOfEventIndicators", exchange);
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t*) {
  return not_offered(instance, "fmi3GetNumberOfContinuousStates", exchange);
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference, fmi3Float64) {
  return not_offered(instance, "fmi3ActivateModelPartition", scheduled);
}
