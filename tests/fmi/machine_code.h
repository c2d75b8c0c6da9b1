/* Loads the machine code of an FMU, for the importers of FMI 2.0 and 3.0. */
#ifndef TORSOR_TEST_MACHINE_CODE_H
#define TORSOR_TEST_MACHINE_CODE_H

/* Returns a library, or NULL. Errors are printed. */
void* open_machine_code(const char* file);
void close_machine_code(void* library);

/* Writes the address of a function to a function pointer. Returns 0, or 1 if there is none. */
int find_function(void* library, const char* name, void* function);

#endif
