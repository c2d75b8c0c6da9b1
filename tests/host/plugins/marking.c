/* The pendulum, which leaves a mark as soon as it is loaded: it makes the file that TORSOR_TEST_MARK names. */
#include <stdio.h>

#include "pendulum.c"

__attribute__((constructor)) static void leave_mark(void) {
  const char* name = getenv("TORSOR_TEST_MARK");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (file) fclose(file);
}
