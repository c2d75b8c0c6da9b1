#include "fmi/master2.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int load_fmu2(const char* file, Fmu2* out) {
  memset(out, 0, sizeof *out);
  out->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!out->library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int missing = 0;
  void* symbol;
/* ISO C has no conversion of an object pointer to a function pointer. */
#define LOAD(name)                                 \
  symbol = dlsym(out->library, "fmi2" #name);      \
  memcpy(&out->name, &symbol, sizeof out->name);   \
  if (!symbol) {                                   \
    fprintf(stderr, "fmi2" #name " is missing\n"); \
    missing = 1;                                   \
  }
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
  LOAD(GetRealStatus)
  LOAD(GetBooleanStatus)
#undef LOAD
  return missing;
}

void unload_fmu2(Fmu2* fmu) {
  if (fmu->library) dlclose(fmu->library);
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
