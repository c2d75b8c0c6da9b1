/* ext/solver_batch.h: the dynamics of several states at once, one per lane of a SIMD register. */
#ifndef TORSOR_SOLVER_BATCH_H
#define TORSOR_SOLVER_BATCH_H

#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that compute blocks of states of one tree, for a plugin that also has a torsor_solver.
 *
 * They have the signatures and the meaning of the functions for one state, but every array of
 * numbers in their arguments and results has one more index, the last: the lane. For example, v is
 * [n_v][lanes], X_PB is [n_body][12][lanes], V_W is [6][lanes], and M is [n_v][n_v][lanes]. Lane k
 * of a result depends on lane k of the arguments only. The model is that of all lanes. The arrays
 * are aligned to the size of a register, 8 * lanes bytes. The functions do not depend on the time.
 * The work area is that of torsor_solver.
 *
 * mass_matrix need not write the entries of dof on different branches of the tree, which are zero.
 * The host does not read them. (Two dof are on different branches if neither is a dof of an
 * ancestor of the other's body, nor of the same body.)
 *
 * A function that fails for a lane returns the status of this lane. The host then repeats the call
 * for each state of the block, with copies of this state in all lanes. At the end of a batch,
 * copies of its last state fill the lanes that are left. */
#define TORSOR_SOLVER_BATCH "torsor.solver.batch/1"
typedef struct torsor_solver_batch {
  uint32_t struct_size;
  /* Number of states in a block: 2, 4 or 8 */
  uint32_t lanes;
  /* The host computes a member that is NULL from other members, or state by state */
  const torsor_solver* solver;
  /* NULL if no partial derivatives are offered */
  const torsor_solver_partials* partials;
  /* NULL if no time derivatives are offered */
  const torsor_solver_rates* rates;
} torsor_solver_batch;

#ifdef __cplusplus
}
#endif
#endif
