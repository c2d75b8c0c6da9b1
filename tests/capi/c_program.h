/* A program in C that uses the library. */
#ifndef TORSOR_TESTS_C_PROGRAM_H
#define TORSOR_TESTS_C_PROGRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Simulates a scene for n steps in C, and writes q at the end. Returns the length of q, or 0 after
 * an error, whose text is printed. */
size_t simulate_in_c(const char* scene, unsigned n, double* q, size_t capacity);

/* Computes the mass matrix of a robot at its neutral position in C. Returns n_v, or 0. */
size_t mass_matrix_in_c(const char* robot, double* M, size_t capacity);

/* A row for each struct: its name, its size as C sees it. */
struct c_size {
  const char* name;
  size_t size;
};
extern const struct c_size c_sizes[];
extern const size_t n_c_sizes;

#ifdef __cplusplus
}
#endif
#endif
