// Values of variables in FMI 3.0: Float64, Boolean and String. An FMU of Torsor has no other types.

#include "torsor/fmi/binary/fmi3.h"
#include "torsor/fmi/instance.hpp"

using namespace torsor;
using namespace torsor::fmi;

namespace {

// Calls function(k, reference) for each value.
template <class Function>
fmi3Status each3(fmi3Instance instance, const char* name, const fmi3ValueReference* references,
                 size_t n_references, const void* values, size_t n_values, Function function) {
  return fmi3Status(guarded(instance, name, [&](Instance& at) {
    require_array(references, n_references, "valueReferences");
    require_array(values, n_values, "values");
    if (n_references != n_values)
      throw Error(
          fmt::format("nValues is {}, but {} value references are given; every variable is "
                      "a scalar",
                      n_values, n_references));
    for (size_t k = 0; k < n_references; ++k) function(at, k, references[k]);
  }));
}

// Throws Error for every value: there is no variable of the type.
fmi3Status reject3(fmi3Instance instance, const char* name, size_t n) {
  return fmi3Status(guarded(instance, name, [&](Instance&) {
    if (n > 0) throw Error("this FMU has no variables of this type");
  }));
}

}  // namespace

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t n_references, fmi3Float64 values[], size_t n_values) {
  return each3(instance, "fmi3GetFloat64", references, n_references, values, n_values,
               [&](Instance& at, size_t k, uint32_t at_k) { values[k] = at.number(at_k); });
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t n_references, const fmi3Float64 values[], size_t n_values) {
  return each3(instance, "fmi3SetFloat64", references, n_references, values, n_values,
               [&](Instance& at, size_t k, uint32_t at_k) { at.set(at_k, values[k]); });
}

fmi3Status fmi3GetBoolean(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t n_references, fmi3Boolean values[], size_t n_values) {
  return each3(instance, "fmi3GetBoolean", references, n_references, values, n_values,
               [&](Instance& at, size_t k, uint32_t at_k) { values[k] = at.flag(at_k); });
}

fmi3Status fmi3SetBoolean(fmi3Instance instance, const fmi3ValueReference references[],
                          size_t n_references, const fmi3Boolean values[], size_t n_values) {
  return each3(instance, "fmi3SetBoolean", references, n_references, values, n_values,
               [&](Instance& at, size_t k, uint32_t at_k) { at.set(at_k, values[k]); });
}

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t n_references, fmi3String values[], size_t n_values) {
  std::vector<const char*> texts;
  return each3(instance, "fmi3GetString", references, n_references, values, n_values,
               [&](Instance& at, size_t k, uint32_t) {
                 if (k == 0) texts = at.texts({references, n_references});
                 values[k] = texts[k];
               });
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[],
                         size_t n_references, const fmi3String values[], size_t n_values) {
  return each3(instance, "fmi3SetString", references, n_references, values, n_values,
               [&](Instance& at, size_t k, uint32_t at_k) {
                 require_array(values[k], 1, "a string");
                 at.set(at_k, std::string(values[k]));
               });
}

#define TORSOR_NO_VARIABLES(Type)                                                       \
  fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference[], size_t n, \
                           fmi3##Type[], size_t) {                                      \
    return reject3(instance, "fmi3Get" #Type, n);                                       \
  }                                                                                     \
  fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference[], size_t n, \
                           const fmi3##Type[], size_t) {                                \
    return reject3(instance, "fmi3Set" #Type, n);                                       \
  }
TORSOR_NO_VARIABLES(Float32)
TORSOR_NO_VARIABLES(Int8)
TORSOR_NO_VARIABLES(UInt8)
TORSOR_NO_VARIABLES(Int16)
TORSOR_NO_VARIABLES(UInt16)
TORSOR_NO_VARIABLES(Int32)
TORSOR_NO_VARIABLES(UInt32)
TORSOR_NO_VARIABLES(Int64)
TORSOR_NO_VARIABLES(UInt64)
#undef TORSOR_NO_VARIABLES

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference[], size_t n, size_t[],
                         fmi3Binary[], size_t) {
  return reject3(instance, "fmi3GetBinary", n);
}
fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference[], size_t n,
                         const size_t[], const fmi3Binary[], size_t) {
  return reject3(instance, "fmi3SetBinary", n);
}
fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference[], size_t n, fmi3Clock[]) {
  return reject3(instance, "fmi3GetClock", n);
}
fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference[], size_t n,
                        const fmi3Clock[]) {
  return reject3(instance, "fmi3SetClock", n);
}
