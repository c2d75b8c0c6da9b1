#include "fmi/master2.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fmi/machine_code.h"

int load_fmu2(const char* file, Fmu2* out) {
  memset(out, 0, sizeof *out);
  out->library = open_machine_code(file);
  if (!out->library) return 1;
  int missing = 0;
#define LOAD(name) missing |= find_function(out->library, "fmi2" #name, &out->name);
  LOAD(GetTypesPlatform)
  LOAD(GetVersion)
  LOAD(Instantiate)
  LOAD(FreeInstance)
  LOAD(SetupExperiment)
  LOAD(EnterInitializationMode)
  LOAD(ExitInitializationMode)
  LOAD(Terminate)
  LOAD(Reset)
  LOAD(GetReal)
  LOAD(SetReal)
  LOAD(GetBoolean)
  LOAD(SetBoolean)
  LOAD(GetString)
  LOAD(SetString)
  LOAD(GetInteger)
  LOAD(GetFMUstate)
  LOAD(SetFMUstate)
  LOAD(FreeFMUstate)
  LOAD(SerializedFMUstateSize)
  LOAD(SerializeFMUstate)
  LOAD(DeSerializeFMUstate)
  LOAD(DoStep)
  LOAD(CancelStep)
  LOAD(GetStatus)
  LOAD(GetRealStatus)
  LOAD(GetBooleanStatus)
#undef LOAD
  return missing;
}

void unload_fmu2(Fmu2* fmu) {
  close_machine_code(fmu->library);
  fmu->library = NULL;
}

void append_to_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
  Log* log = environment;
  size_t used = strlen(log->text);
  (void)status;
  snprintf(log->text + used, sizeof log->text - used, "%s|%s|", name, category);
  used = strlen(log->text);
  va_list arguments;
  va_start(arguments, message);
  vsnprintf(log->text + used, sizeof log->text - used, message, arguments);
  va_end(arguments);
}
