/* ext/solver_trace.h: the recursion of a solver, for display. */
#ifndef TORSOR_SOLVER_TRACE_H
#define TORSOR_SOLVER_TRACE_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a quantity of a recursion. A quantity of a JOINT kind belongs to a dof k, any other
 * to a body i. The kind determines size and unit. */
enum {
  /* [3] rad/s */
  TORSOR_TRACE_ANGULAR_VELOCITY = 0,
  /* [3] rad/s^2 */
  TORSOR_TRACE_ANGULAR_ACCELERATION = 1,
  /* [3] m/s^2 */
  TORSOR_TRACE_LINEAR_ACCELERATION = 2,
  /* [6] rad/s, m/s */
  TORSOR_TRACE_TWIST = 3,
  /* [6] rad/s^2, m/s^2 */
  TORSOR_TRACE_ACCELERATION = 4,
  /* [6] N m, N */
  TORSOR_TRACE_WRENCH = 5,
  /* [6][6] symmetric, maps accelerations to wrenches: kg m^2, kg m, kg */
  TORSOR_TRACE_INERTIA = 6,
  /* [3] m */
  TORSOR_TRACE_POSITION = 7,
  /* [n_v][6] twist of the body per unit velocity of each dof, zero for a dof that does not move it:
   * 1, m/rad or rad/m, 1 */
  TORSOR_TRACE_JACOBIAN = 8,
  /* [n_v][6] time derivative of a Jacobian: 1/s, m/(rad s) or rad/(m s), 1/s */
  TORSOR_TRACE_JACOBIAN_RATE = 9,
  /* rad/s or m/s */
  TORSOR_TRACE_JOINT_VELOCITY = 10,
  /* rad/s^2 or m/s^2 */
  TORSOR_TRACE_JOINT_ACCELERATION = 11,
  /* N m or N */
  TORSOR_TRACE_JOINT_FORCE = 12,
  /* kg m^2 or kg */
  TORSOR_TRACE_JOINT_INERTIA = 13,
  /* [6] wrench per acceleration: kg m^2, kg m or kg m, kg */
  TORSOR_TRACE_JOINT_WRENCH = 14,
  /* [n_v] row k of a matrix of inertias: kg m^2, kg m or kg */
  TORSOR_TRACE_JOINT_INERTIA_ROW = 15,
  /* [n_v] row k of a Coriolis matrix: kg m^2/s, kg m/s or kg/s */
  TORSOR_TRACE_JOINT_CORIOLIS_ROW = 16,
  /* [n_v][n_v] Christoffel symbols whose first index is k: kg m^2, kg m, kg or kg/m */
  TORSOR_TRACE_JOINT_SYMBOLS = 17
};

/* The axes of a vector or six-vector of a body i. */
enum {
  /* The axes of the body, about its origin */
  TORSOR_TRACE_IN_BODY = 0,
  /* The axes of its parent */
  TORSOR_TRACE_IN_PARENT = 1,
  /* The axes of the body that carries i and is attached to the world. It may be i */
  TORSOR_TRACE_IN_FIRST = 2
};

/* A quantity of a recursion. p is the parent of the body i, c are its children, s are i and all
 * bodies that it carries, and a are all bodies. This struct does not grow. */
typedef struct torsor_trace_quantity {
  /* TORSOR_TRACE_.. */
  int32_t kind;
  /* TORSOR_TRACE_IN_.. */
  int32_t axes;
  /* Without an index: "w" */
  const char* symbol;
  /* "angular velocity" */
  const char* name;
  /* "w_i = R^T w_p + sum_k S_k.w v_k" */
  const char* equation;
  /* The equation in LaTeX math */
  const char* latex;
  /* Its source in the literature, or "" */
  const char* source;
  /* The quantities in the equation, terminated by NULL. They are symbols of earlier rows with an
   * index: "w_p", "F_i" (and those of its dof), "f_c", "J_s", "v_a". Or they are given: "v_i"
   * "vdot_i" "tau_i" "S_i" "J_i" (armature) of its dof, "X_i" (pose in the parent), "M_i"
   * (inertia), "Fe_i" (F_B) */
  const char* const* inputs;
} torsor_trace_quantity;

/* One pass over the tree. This struct does not grow. */
typedef struct torsor_trace_pass {
  /* "velocities and accelerations" */
  const char* name;
  /* 0: from the world to the tips; 1: from the tips to the world */
  int32_t inward;
  /* Quantities computed at each body, in this order */
  uint32_t n_quantity;
  const torsor_trace_quantity* quantity;
} torsor_trace_pass;

/* The quantities of the recursion of inverse or forward dynamics, for display. The plugin also has
 * a torsor_solver. The last quantity of the kind JOINT_FORCE is the result of inverse; the last of
 * the kind JOINT_ACCELERATION is that of forward. Each agrees with the result of the call without a
 * trace up to rounding error, because compilers may generate other instructions for code with a
 * trace. */
#define TORSOR_SOLVER_TRACE "torsor.solver.trace/1"
typedef struct torsor_solver_trace {
  uint32_t struct_size;
  /* 0: of inverse for a given vdot; 1: of forward for a given tau, with min_pivot set */
  int32_t of_forward;
  uint32_t n_pass;
  const torsor_trace_pass* pass;
  /* [hot] Computes the quantities of all passes. out contains them in the order of the passes. Each
   * is [n_body] or [n_v] times its size. The work area is that of torsor_solver. The host sets out
   * to zero before the call */
  torsor_status (*trace)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                         const double* given, double* work, double* out);
} torsor_solver_trace;

#ifdef __cplusplus
}
#endif
#endif
