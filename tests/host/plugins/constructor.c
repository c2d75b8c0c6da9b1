/* A plugin whose file runs code when it is loaded (WHEN_LOADED) or unloaded (WHEN_UNLOADED). */
#define _GNU_SOURCE
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "torsor/sdk/torsor_plugin.h"

#ifndef WHEN_LOADED
#define WHEN_LOADED (void)0
#endif
#ifndef WHEN_UNLOADED
#define WHEN_UNLOADED (void)0
#endif

__attribute__((constructor)) static void begin(void) {
  WHEN_LOADED;
}
__attribute__((destructor)) static void end(void) {
  WHEN_UNLOADED;
}

static torsor_plugin* create(const torsor_host* host) {
  (void)host;
  return NULL;
}
static const torsor_descriptor plugin = {
    sizeof(plugin), "solver.constructed", "1.0", "does something as it is loaded", "", 0, NULL,
    create};
static const torsor_descriptor* const descriptors[] = {&plugin};
static const torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 1, descriptors};

const torsor_entry* torsor_plugin_entry(void) {
  return &entry;
}
