/* ext/constraint_solver.h: solvers for the multipliers of constraints. */
#ifndef TORSOR_CONSTRAINT_SOLVER_H
#define TORSOR_CONSTRAINT_SOLVER_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Constraints with n rows J and multipliers lambda [n]. The rates of the rows are
 *   w = G lambda + c,   G = J M^-1 J^T
 * They are accelerations if lambda are forces, and velocities if lambda are impulses. Each row must
 * satisfy one of three conditions:
 *   lower <= lambda <= upper, w = 0     lambda = lower, w >= 0     lambda = upper, w <= 0
 * The solution minimises  1/2 lambda^T G lambda + c^T lambda  within the bounds, so w is unique. */
typedef struct torsor_constraint_problem {
  uint32_t struct_size;
  /* Number of rows, n >= 0 */
  int32_t n;
  /* [n][n] symmetric, positive semidefinite. It is singular if rows are redundant. A row that moves
   * nothing is zero */
  const double* G;
  /* [n] w without multipliers */
  const double* c;
  /* [n] sizes of the terms whose sum is c, at least |c|. The rounding error of c is a few eps of
   * them */
  const double* c_terms;
  /* [n] bounds of lambda, lower <= upper. lower may be -INFINITY, and upper INFINITY */
  const double* lower;
  const double* upper;
} torsor_constraint_problem;

/* The result of a constraint solver. The host sets the numbers and lambda to zero before the
 * call. */
typedef struct torsor_constraint_result {
  uint32_t struct_size;
  /* Number of iterations: factorisations of a direct solver, or sweeps of an iterative one */
  int32_t iterations;
  /* [n] multipliers. They are within the bounds, without a tolerance */
  double* lambda;
  /* The largest violation of the conditions, over the rows i whose G_ii > 0:
   *   max_i sqrt(G_ii) |r_i|  /  max_i (|w_i - c_i| + c_terms_i) / sqrt(G_ii)
   *   r_i = lambda_i - clamp(lambda_i - w_i / G_ii, lower_i, upper_i)
   * It is zero if the denominator is zero. It does not depend on the units of the rows. A solution
   * has 0. lambda = 0 has 1 if all rows are free and c_terms = |c|. The host rejects results with
   * more than 1e-6 */
  double residual;
} torsor_constraint_result;

#define TORSOR_CONSTRAINT_SOLVER "torsor.constraint_solver/1"
typedef struct torsor_constraint_solver {
  uint32_t struct_size;
  /* [setup] Writes the size of the work area of solve() for problems with at most n rows. Called
   * after prepare, which requests no work area. NULL if solve() needs none */
  torsor_status (*work_size)(const torsor_plugin*, int32_t n, size_t* doubles);
  /* [hot] Solves a problem. If it finds no solution, because the rows contradict one another or the
   * iterations end, it returns TORSOR_OK with its best multipliers and their residual */
  torsor_status (*solve)(const torsor_plugin*, const torsor_constraint_problem*, double* work,
                         torsor_constraint_result* out);
} torsor_constraint_solver;

#ifdef __cplusplus
}
#endif
#endif
