/* ext/constraint_solver.h: solvers for the multipliers of constraints. */
#ifndef TORSOR_CONSTRAINT_SOLVER_H
#define TORSOR_CONSTRAINT_SOLVER_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A friction group. It couples the rows t = first .. first + count - 1 to the row `normal`. w_t and
 * lambda_t are vectors of the count 1 or 2. Coulomb's law:
 *   |lambda_t| <= mu lambda_normal,   lambda_t = -mu lambda_normal w_t / |w_t| if w_t != 0
 * Sliding friction of a contact has the rows of two tangential directions. Torsional friction has
 * one row (rotation about the normal), and rolling friction has two. */
typedef struct torsor_friction {
  /* Row whose multiplier is the normal force */
  int32_t normal;
  /* First row of the group, and the number of its rows, 1 or 2. These rows have the same unit */
  int32_t first;
  int32_t count;
  /* mu >= 0: 1 for sliding friction, m for torsional and rolling friction */
  double mu;
} torsor_friction;

/* A sparse factor of G, for problems with more rows than dof:
 *   G = X X^T,   X [n][n_dofs]
 * The columns of X are numbered so that X^T W X has a sparse factor L for every W whose blocks
 * couple the rows of a contact only. A node is a set of columns, such as the dof of a body. */
typedef struct torsor_constraint_factor {
  uint32_t struct_size;
  int32_t n_dofs;
  /* [n + 1], [..], [..] the entries of X by rows, in ascending order of columns. The rows of a
   * contact have the same columns. Zeros may be stored */
  const int32_t* row_start;
  const int32_t* column;
  const double* value;
  /* [n_nodes + 1] node k has the columns node_start[k] <= j < node_start[k + 1] */
  const int32_t* node_start;
  /* [n_nodes + 1], [..] the pattern of L: below the block of node k are those of the nodes fill[i],
   * fill_start[k] <= i < fill_start[k + 1], which ascend */
  const int32_t* fill_start;
  const int32_t* fill;
  int32_t n_nodes;
  /* Number of entries of X */
  int32_t n_values;
} torsor_constraint_factor;

/* Constraints with n rows J and multipliers lambda [n]. The rates of the rows are
 *   w = G lambda + c,   G = J M^-1 J^T
 * They are accelerations if lambda are forces, and velocities if lambda are impulses. Each row that
 * is not in a friction group must satisfy one of three conditions:
 *   lower <= lambda <= upper, w = 0     lambda = lower, w >= 0     lambda = upper, w <= 0
 * Without friction groups, the solution minimises  1/2 lambda^T G lambda + c^T lambda  within the
 * bounds, so w is unique. Problems with friction groups may have no solution or several. */
typedef struct torsor_constraint_problem {
  uint32_t struct_size;
  /* Number of rows, n >= 0 */
  int32_t n;
  /* [n][n] symmetric, positive semidefinite. It is singular if rows are redundant. A row that moves
   * nothing is zero. NULL if G is sparse */
  const double* G;
  /* [n] w without multipliers */
  const double* c;
  /* [n] sizes of the terms whose sum is c, at least |c|. The rounding error of c is a few eps of
   * them */
  const double* c_terms;
  /* [n] bounds of lambda, lower <= upper. lower may be -INFINITY, and upper INFINITY. The bounds of
   * the rows of friction groups are ignored. lower >= 0 for the normal rows of friction groups */
  const double* lower;
  const double* upper;
  /* [n + 1], [n_values], [n_values] a sparse G; NULL if G is dense. The entries of row i are
   * value[k] in column[k], row_start[i] <= k < row_start[i + 1]. Columns ascend. Both triangles are
   * stored, the diagonal is, and so are all entries between the rows of a contact: a normal row and
   * the rows of its friction groups */
  const int32_t* row_start;
  const int32_t* column;
  const double* value;
  /* [n_frictions] in ascending order of `first`. The rows of a contact are consecutive: a normal
   * row, then the rows of its friction groups, of which there are at most 3. NULL if there are
   * none */
  const torsor_friction* frictions;
  int32_t n_frictions;
  /* Number of entries of a sparse G; otherwise 0 */
  int32_t n_values;
  /* A factor of G, or NULL */
  const torsor_constraint_factor* factor;
} torsor_constraint_problem;

/* The size of a problem, for work areas. */
typedef struct torsor_constraint_size {
  uint32_t struct_size;
  /* Number of rows */
  int32_t n;
  /* Number of entries of G in the triangle from the first stored entry of each row to its diagonal:
   * n (n + 1) / 2 for a dense G. 0 if the problem has a factor */
  int64_t profile;
  /* Sizes of the factor, 0 without one: columns, nodes, entries of `fill`, and entries of L, which
   * include the triangles of the diagonal blocks */
  int32_t n_dofs;
  int32_t n_nodes;
  int64_t n_fill;
  int64_t n_factor;
} torsor_constraint_size;

/* The result of a constraint solver. The host sets the numbers to zero before the call. */
typedef struct torsor_constraint_result {
  uint32_t struct_size;
  /* Number of iterations: factorisations of a direct solver, or sweeps of an iterative one */
  int32_t iterations;
  /* [n] multipliers. Before the call, they are the values from which an iterative solver starts:
   * zero, or those of a similar problem. They may be outside of the bounds. After the call, they
   * are within the bounds, without a tolerance. |lambda_t| <= mu lambda_normal to 1e-12 of it */
  double* lambda;
  /* The largest violation of the conditions, in units in which rows have G_ii = 1:
   *   max_i d_i |r_i|  /  max_i (|w_i - c_i| + c_terms_i) / d_i
   * over the rows i with d_i > 0. d_i = sqrt(G_ii), or sqrt(mean of G_tt) in a friction group. For
   * a row that is in no contact,
   *   r_i = lambda_i - clamp(lambda_i - w_i / d_i^2, lower_i, upper_i)
   * For a contact, with x = d lambda, y = w / d, m = mu d_t / d_normal (De Saxce's natural map),
   *   d r = x - P(x - y - s),   s_normal = sum over its groups of m |y_t|,   s_t = 0
   * P projects on the set  lower <= lambda_normal <= upper, |x_t| <= m x_normal.  For a group,
   * |r_i| is the norm of r_t. The residual is zero if the denominator is zero. It does not depend
   * on the units of the rows. A solution has 0. lambda = 0 has 1 if all rows are free and
   * c_terms = |c|. The host rejects results with more than 1e-6 */
  double residual;
} torsor_constraint_result;

#define TORSOR_CONSTRAINT_SOLVER "torsor.constraint_solver/1"
typedef struct torsor_constraint_solver {
  uint32_t struct_size;
  /* 1 if solve() handles friction groups. 0: it is not called for problems that have some */
  int32_t handles_friction;
  /* [setup] Writes the size of the work area of solve() for problems whose sizes are at most these.
   * Called after prepare, which requests no work area. NULL if solve() needs none */
  torsor_status (*work_size)(const torsor_plugin*, const torsor_constraint_size*, size_t* doubles);
  /* [hot] Solves a problem. If it finds no solution, because the rows contradict one another or the
   * iterations end, it returns TORSOR_OK with its best multipliers and their residual */
  torsor_status (*solve)(const torsor_plugin*, const torsor_constraint_problem*, double* work,
                         torsor_constraint_result* out);
} torsor_constraint_solver;

#ifdef __cplusplus
}
#endif
#endif
