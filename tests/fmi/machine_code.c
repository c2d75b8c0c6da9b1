#include "fmi/machine_code.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void* open_machine_code(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  return library;
}

void close_machine_code(void* library) {
  if (library) dlclose(library);
}

int find_function(void* library, const char* name, void* function) {
  void* symbol = dlsym(library, name);
  /* ISO C has no conversion of an object pointer to a function pointer. */
  memcpy(function, &symbol, sizeof symbol);
  if (!symbol) fprintf(stderr, "%s is missing\n", name);
  return !symbol;
}
