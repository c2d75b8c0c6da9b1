/* ext/solver_partials.h: partial derivatives of the dynamics. */
#ifndef TORSOR_SOLVER_PARTIALS_H
#define TORSOR_SOLVER_PARTIALS_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Partial derivatives of the dynamics, for a plugin that also has a torsor_solver.
 *
 * They are in tangent coordinates: d/dq along dof k is the rate of change if q moves along k with
 * unit velocity. Gravity and the motion of the world frame are constant. The wrenches F_B are
 * constant in body axes. Matrices are dense n_v x n_v; row i belongs to tau_i or vdot_i. The work
 * area is that of torsor_solver.
 *
 * inverse_partials is required. Another member that is NULL is not offered. The host derives
 * forward_partials. */
#define TORSOR_SOLVER_PARTIALS "torsor.solver.partials/1"
typedef struct torsor_solver_partials {
  uint32_t struct_size;
  /* [hot] Computes the derivatives of tau = inverse(vdot). d tau/d vdot is M */
  torsor_status (*inverse_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                    const double* vdot, double* work, double* dtau_dq,
                                    double* dtau_dv);
  /* [hot] Computes the derivatives of vdot = forward(tau). min_pivot is set; dvdot_dtau is M^-1 */
  torsor_status (*forward_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                    const double* tau, double* work, double* dvdot_dq,
                                    double* dvdot_dv, double* dvdot_dtau);
  /* [hot] Computes second derivatives of tau = inverse(vdot), dense [n_v][n_v][n_v]. Entry
   * [i][j][k] is the derivative of entry [i][j] of d tau/dq, d tau/dv or M along dof k of q or of
   * v. The screw of a dof moves with its joint. Therefore d2tau_dqdq is not symmetric in j and k if
   * both belong to one joint whose dof do not commute */
  torsor_status (*second_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                   const double* vdot, double* work, double* d2tau_dqdq,
                                   double* d2tau_dvdq, double* d2tau_dvdv, double* dM_dq);
} torsor_solver_partials;

#ifdef __cplusplus
}
#endif
#endif
