/* A minimal importer of FMI 3.0 for co-simulation, in plain C. */
#ifndef TORSOR_TEST_MASTER_H
#define TORSOR_TEST_MASTER_H

#include "torsor/fmi/binary/fmi3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of an FMU that the importer uses. */
typedef struct {
  void* library;
  const char* (*GetVersion)(void);
  fmi3Instance (*InstantiateCoSimulation)(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                          fmi3Boolean, fmi3Boolean, fmi3Boolean,
                                          const fmi3ValueReference[], size_t,
                                          fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                          fmi3IntermediateUpdateCallback);
  void (*FreeInstance)(fmi3Instance);
  fmi3Status (*SetDebugLogging)(fmi3Instance, fmi3Boolean, size_t, const fmi3String[]);
  fmi3Status (*EnterInitializationMode)(fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64,
                                        fmi3Boolean, fmi3Float64);
  fmi3Status (*ExitInitializationMode)(fmi3Instance);
  fmi3Status (*Terminate)(fmi3Instance);
  fmi3Status (*Reset)(fmi3Instance);
  fmi3Status (*GetFloat64)(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Float64[], size_t);
  fmi3Status (*SetFloat64)(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3Float64[],
                           size_t);
  fmi3Status (*GetBoolean)(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Boolean[], size_t);
  fmi3Status (*SetBoolean)(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3Boolean[],
                           size_t);
  fmi3Status (*GetString)(fmi3Instance, const fmi3ValueReference[], size_t, fmi3String[], size_t);
  fmi3Status (*SetString)(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3String[],
                          size_t);
  fmi3Status (*GetInt32)(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Int32[], size_t);
  fmi3Status (*GetFMUState)(fmi3Instance, fmi3FMUState*);
  fmi3Status (*SetFMUState)(fmi3Instance, fmi3FMUState);
  fmi3Status (*FreeFMUState)(fmi3Instance, fmi3FMUState*);
  fmi3Status (*SerializedFMUStateSize)(fmi3Instance, fmi3FMUState, size_t*);
  fmi3Status (*SerializeFMUState)(fmi3Instance, fmi3FMUState, fmi3Byte[], size_t);
  fmi3Status (*DeserializeFMUState)(fmi3Instance, const fmi3Byte[], size_t, fmi3FMUState*);
  fmi3Status (*EnterEventMode)(fmi3Instance);
  fmi3Status (*EnterStepMode)(fmi3Instance);
  fmi3Status (*UpdateDiscreteStates)(fmi3Instance, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*,
                                     fmi3Boolean*, fmi3Boolean*, fmi3Float64*);
  fmi3Status (*DoStep)(fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Boolean*,
                       fmi3Boolean*, fmi3Boolean*, fmi3Float64*);
} Fmu;

/* Loads the machine code of an FMU. Returns 0, or 1 if a function is missing. */
int load_fmu(const char* file, Fmu* out);
void unload_fmu(Fmu* fmu);

/* Steps n times by h from the time t. Writes the values of the references after each step to
 * rows [n][n_references]. Returns the first status that is not fmi3OK, or fmi3OK. */
fmi3Status run_fmu(const Fmu* fmu, fmi3Instance instance, double t, double h, size_t n,
                   const fmi3ValueReference* references, size_t n_references, double* rows);

#ifdef __cplusplus
}
#endif
#endif
