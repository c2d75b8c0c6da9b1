/* A plugin for another engine, whose code ends the program when it is loaded. The host must read
 * its note before. */
#include <stdlib.h>

#include "torsor/sdk/torsor_plugin.h"

#ifndef SAME_ABI
#undef TORSOR_ABI_MAJOR
#define TORSOR_ABI_MAJOR 2u
#endif
TORSOR_NOTE("solver.eager 1.0");

__attribute__((constructor)) static void end(void) {
  abort();
}

const torsor_entry* torsor_plugin_entry(void) {
  return NULL;
}
