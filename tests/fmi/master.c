#include "fmi/master.h"

#include <string.h>

#include "fmi/machine_code.h"

int load_fmu(const char* file, Fmu* out) {
  memset(out, 0, sizeof *out);
  out->library = open_machine_code(file);
  if (!out->library) return 1;
  int missing = 0;
#define LOAD(name) missing |= find_function(out->library, "fmi3" #name, &out->name);
  LOAD(GetVersion)
  LOAD(InstantiateCoSimulation)
  LOAD(FreeInstance)
  LOAD(SetDebugLogging)
  LOAD(EnterInitializationMode)
  LOAD(ExitInitializationMode)
  LOAD(Terminate)
  LOAD(Reset)
  LOAD(GetFloat64)
  LOAD(SetFloat64)
  LOAD(GetBoolean)
  LOAD(SetBoolean)
  LOAD(GetString)
  LOAD(SetString)
  LOAD(GetInt32)
  LOAD(GetFMUState)
  LOAD(SetFMUState)
  LOAD(FreeFMUState)
  LOAD(SerializedFMUStateSize)
  LOAD(SerializeFMUState)
  LOAD(DeserializeFMUState)
  LOAD(EnterEventMode)
  LOAD(EnterStepMode)
  LOAD(UpdateDiscreteStates)
  LOAD(DoStep)
#undef LOAD
  return missing;
}

void unload_fmu(Fmu* fmu) {
  close_machine_code(fmu->library);
  fmu->library = NULL;
}

fmi3Status run_fmu(const Fmu* fmu, fmi3Instance instance, double t, double h, size_t n,
                   const fmi3ValueReference* references, size_t n_references, double* rows) {
  for (size_t k = 0; k < n; ++k) {
    fmi3Boolean event = true, terminate = true, early = true;
    fmi3Float64 last = -1;
    fmi3Status status = fmu->DoStep(instance, t, h, false, &event, &terminate, &early, &last);
    if (status != fmi3OK) return status;
    if (event || terminate || early) return fmi3Fatal;
    /* The sum has rounding errors, as that of a real importer. */
    t += h;
    if (last < t - 1e-9 || last > t + 1e-9) return fmi3Fatal;
    status =
        fmu->GetFloat64(instance, references, n_references, rows + k * n_references, n_references);
    if (status != fmi3OK) return status;
  }
  return fmi3OK;
}
