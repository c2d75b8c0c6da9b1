/* ext/solver.h: the dynamics of the tree. */
#ifndef TORSOR_SOLVER_H
#define TORSOR_SOLVER_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The dynamics of the tree:  M(q) vdot + C(q, v) v + g(q) = tau + sum J^T F_B.
 *
 * A member that is NULL is not offered. The host derives it from the others and reports it as
 * derived. A solver offers inverse or forward, or both. M, M^-1 and C are dense n_v x n_v matrices
 * with both triangles. C is a factorisation for which Mdot - 2C is skew-symmetric. */
#define TORSOR_SOLVER "torsor.solver/1"
typedef struct torsor_solver {
  uint32_t struct_size;
  /* If not 0, the functions of the solver except trace read q and not X_PB, which may be NULL */
  uint32_t ignores_poses;
  /* [hot] Computes tau [n_v] for vdot [n_v] */
  torsor_status (*inverse)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                           const double* vdot, double* work, double* tau);
  /* [hot] Computes vdot [n_v] for tau [n_v] */
  torsor_status (*forward)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                           const double* tau, double* work, double* vdot);
  /* [hot] Computes M, armature included */
  torsor_status (*mass_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                               double* work, double* M);
  /* [hot] Computes M^-1 */
  torsor_status (*inverse_mass_matrix)(const torsor_plugin*, const torsor_model*,
                                       const torsor_state*, double* work, double* Minv);
  /* [hot] Computes C */
  torsor_status (*coriolis_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                   double* work, double* C);
  /* [hot] Computes g [n_v] */
  torsor_status (*gravity)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                           double* work, double* g);
  /* [hot] Computes the bias C v + g [n_v], without applied wrenches */
  torsor_status (*bias)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                        double* work, double* b);
  /* [hot] Computes the Christoffel symbols of the first kind, dense [n_v][n_v][n_v].
   * C_ij = sum_k G[i][j][k] v_k is a C as above. G[i][j][k] = G[i][k][j], unless two of the dof
   * belong to one joint */
  torsor_status (*christoffel_symbols)(const torsor_plugin*, const torsor_model*,
                                       const torsor_state*, double* work, double* G);
} torsor_solver;

#ifdef __cplusplus
}
#endif
#endif
