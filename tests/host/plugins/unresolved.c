/* A plugin that needs an undefined function. */
#include "torsor/sdk/torsor_plugin.h"

const torsor_entry* function_that_nobody_has(void);
const torsor_entry* torsor_plugin_entry(void) {
  return function_that_nobody_has();
}
