/* The pendulum, which makes the file named by TORSOR_TEST_MARK when it is loaded. */
#include <stdio.h>

#include "pendulum.c"

__attribute__((constructor)) static void leave_mark(void) {
  const char* name = getenv("TORSOR_TEST_MARK");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (file) fclose(file);
}
