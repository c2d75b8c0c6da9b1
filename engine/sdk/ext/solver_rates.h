/* ext/solver_rates.h: time derivatives of the dynamics along a motion. */
#ifndef TORSOR_SOLVER_RATES_H
#define TORSOR_SOLVER_RATES_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Time derivatives of a motion and of the external loads: by component, from the first derivative
 * on. NULL means zero. */
typedef struct torsor_motion_rates {
  uint32_t struct_size;
  /* Highest derivative of tau */
  int32_t order;
  /* [order + 1][n_v] vdot and its derivatives */
  const double* vdot;
  /* [order][6] derivatives of state.V_W */
  const double* V_W;
  /* [order][6] derivatives of state.A_W */
  const double* A_W;
  /* [order][n_body][6] derivatives of state.F_B, in body axes */
  const double* F_B;
} torsor_motion_rates;

/* The parts of  M vdot + C v + g = tau + Q,  Q = sum J^T F_B,  and their time derivatives up to an
 * order. Each is [order + 1] times the quantity of torsor_solver. If the world frame moves, the
 * contribution of its twist is part of g. */
typedef struct torsor_equation_rates {
  uint32_t struct_size;
  /* [order + 1][n_v][n_v] */
  double *M, *C;
  /* [order + 1][n_v] */
  double *g, *Q, *tau;
} torsor_equation_rates;

/* Time derivatives of tau = inverse(vdot) along a motion, for a plugin that also has a
 * torsor_solver. The work area is that of torsor_solver.
 *
 * rates is required. A plugin that supports constant loads only returns TORSOR_UNSUPPORTED from
 * rates if V_W, A_W or F_B of the motion is not NULL. */
#define TORSOR_SOLVER_RATES "torsor.solver.rates/1"
typedef struct torsor_solver_rates {
  uint32_t struct_size;
  /* Highest order of rates: at least 2 and at most TORSOR_MAX_ORDER */
  int32_t max_order;
  /* [hot] Computes tau [order + 1][n_v], up to an order of at most max_order */
  torsor_status (*rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                         const torsor_motion_rates*, double* work, double* tau);
  /* [hot] Computes all parts of the equation, up to an order of at most 2; NULL if it is not
   * offered */
  torsor_status (*equation_rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                  const torsor_motion_rates*, double* work,
                                  torsor_equation_rates* out);
} torsor_solver_rates;

#ifdef __cplusplus
}
#endif
#endif
