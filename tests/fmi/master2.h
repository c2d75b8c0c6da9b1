/* A minimal importer of FMI 2.0 for co-simulation, in plain C. */
#ifndef TORSOR_TEST_MASTER2_H
#define TORSOR_TEST_MASTER2_H

#include "torsor/fmi/binary/fmi2.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of an FMU that the importer uses. */
typedef struct {
  void* library;
  const char* (*GetTypesPlatform)(void);
  const char* (*GetVersion)(void);
  fmi2Component (*Instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String,
                               const fmi2CallbackFunctions*, fmi2Boolean, fmi2Boolean);
  void (*FreeInstance)(fmi2Component);
  fmi2Status (*SetupExperiment)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean,
                                fmi2Real);
  fmi2Status (*EnterInitializationMode)(fmi2Component);
  fmi2Status (*ExitInitializationMode)(fmi2Component);
  fmi2Status (*Terminate)(fmi2Component);
  fmi2Status (*Reset)(fmi2Component);
  fmi2Status (*GetReal)(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
  fmi2Status (*SetReal)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
  fmi2Status (*GetBoolean)(fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[]);
  fmi2Status (*SetBoolean)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[]);
  fmi2Status (*GetString)(fmi2Component, const fmi2ValueReference[], size_t, fmi2String[]);
  fmi2Status (*SetString)(fmi2Component, const fmi2ValueReference[], size_t, const fmi2String[]);
  fmi2Status (*GetInteger)(fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[]);
  fmi2Status (*GetFMUstate)(fmi2Component, fmi2FMUstate*);
  fmi2Status (*SetFMUstate)(fmi2Component, fmi2FMUstate);
  fmi2Status (*FreeFMUstate)(fmi2Component, fmi2FMUstate*);
  fmi2Status (*SerializedFMUstateSize)(fmi2Component, fmi2FMUstate, size_t*);
  fmi2Status (*SerializeFMUstate)(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
  fmi2Status (*DeSerializeFMUstate)(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate*);
  fmi2Status (*DoStep)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
  fmi2Status (*CancelStep)(fmi2Component);
  fmi2Status (*GetStatus)(fmi2Component, const fmi2StatusKind, fmi2Status*);
  fmi2Status (*GetRealStatus)(fmi2Component, const fmi2StatusKind, fmi2Real*);
  fmi2Status (*GetBooleanStatus)(fmi2Component, const fmi2StatusKind, fmi2Boolean*);
} Fmu2;

/* Loads the machine code of an FMU. Returns 0, or 1 if a function is missing. */
int load_fmu2(const char* file, Fmu2* out);
void unload_fmu2(Fmu2* fmu);

/* A logger that adds "NAME|CATEGORY|MESSAGE\n" to its environment, a Log. */
typedef struct {
  char text[4096];
} Log;
void append_to_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...);

#ifdef __cplusplus
}
#endif
#endif
