/* torsor_plugin.h: the interface between the engine and a plugin, in plain C11. A plugin needs no
 * other header.
 *
 * Units are SI and radians. Six-vectors are (angular, linear): a twist is (omega, v), a wrench is
 * (moment, force). A pose is 12 doubles: the rotation by rows, then the position. X_PB maps
 * coordinates in B to coordinates in P. Matrices are stored by rows. Arrays belong to the host and
 * are valid during the call.
 *
 * [setup] calls come from one thread and may allocate memory.
 *
 * [hot] calls come from any thread. They must not allocate, lock, log or throw. A hot call depends
 * only on its arguments: the same bits in give the same bits out. The contents of its work area are
 * undefined. A debug host fills it with NaN.
 *
 * Structs begin with struct_size. Within a major version they grow only at the end. Read a member
 * only if struct_size covers it. The host rejects a plugin of another major version. */
#ifndef TORSOR_PLUGIN_H
#define TORSOR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define TORSOR_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

#define TORSOR_ABI_MAJOR 1u
#define TORSOR_ABI_MINOR 6u

/* A status: a code in the low byte and, if a body causes the error, the number of this body in the
 * other bytes. */
typedef int32_t torsor_status;
enum {
  TORSOR_OK = 0,
  TORSOR_BAD_ARGUMENT = 1, /* a parameter or argument is out of range */
  /* the plugin does not support this model or call; it reports the reason */
  TORSOR_UNSUPPORTED = 2,
  TORSOR_SINGULAR = 3, /* the mass matrix is singular at the joint of this body */
  TORSOR_INTERNAL = 4  /* any other error; the plugin reports the reason */
};
#define TORSOR_STATUS(code, body) ((torsor_status)((code) | ((body) << 8)))
#define TORSOR_STATUS_CODE(status) ((status)&0xff)
#define TORSOR_STATUS_BODY(status) ((status) >> 8)

/* The kinematic tree. Body 0 is the world. Joint i carries body i > 0, and parent[i] < i. A joint
 * moves its body along the constant screws S_B: V_WB = Ad(X_PB)^-1 V_WP + sum_k S_B[k] v[k], for k
 * in [v_index[i], v_index[i] + v_count[i]).
 *
 * A degree of freedom (dof) is one entry of v. The order of dof is that of the user's file: the dof
 * of a parent need not come before those of its child. */
typedef struct torsor_model {
  uint32_t struct_size;
  int32_t n_body, n_q, n_v;
  const int32_t* parent;  /* [n_body]; parent[0] = -1 */
  const int32_t* v_index; /* [n_body] first dof of the body's joint */
  const int32_t* v_count; /* [n_body] number of dof of the body's joint; 0 for the world */
  const double* S_B;      /* [n_v][6] screws of the joints in the body frame; constant */
  /* [n_body][10] m, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the body origin; 0 for the world */
  const double* inertia_B;
  const double* armature; /* [n_v] rotor inertia seen at the joint, added to the diagonal of M */
  /* "" for a general tree; otherwise a family that special solvers know, for example
   * "planar_n_link" */
  const char* family;
  /* since ABI 1.3: [n_body][12] pose of each body in its parent at the neutral q */
  const double* X_PB0;
} torsor_model;

/* The state of the tree at one time. */
typedef struct torsor_state {
  uint32_t struct_size;
  double time;
  const double* q; /* [n_q] positions */
  const double* v; /* [n_v] velocities */
  /* [n_body][12] pose of each body in its parent at q, computed once by the host */
  const double* X_PB;
  /* [6] twist of the world frame in its own axes; zero if the world is at rest */
  const double* V_W;
  const double* A_W; /* [6] time derivative of V_W by component, minus gravity: (0, -g) at rest */
  /* [n_body][6] wrench BY the environment ON each body, at its origin in its axes; or NULL */
  const double* F_B;
  /* [n_body] for forward, forward_partials and inverse_mass_matrix, otherwise NULL. If the
   * joint-space inertia S^T I S is not above this value, it is zero up to rounding error, and M is
   * singular at the joint of this body. */
  const double* min_pivot;
} torsor_state;

/* A parameter that a user sets by name. */
enum {
  TORSOR_REAL = 0,    /* real numbers */
  TORSOR_INTEGER = 1, /* integers */
  TORSOR_FLAG = 2,    /* true or false */
  TORSOR_CHOICE = 3,  /* one of several names */

  TORSOR_FRAME = 4, /* since ABI 1.2: frames of the model, passed to set_frames */
  /* Since ABI 1.3, like the following types. The host passes them to set_param. Their count is 1 if
   * the user must give the parameter, otherwise 0. A position of the joints, as coordinates y [n_v]
   * (see torsor_trajectory) */
  TORSOR_CONFIGURATION = 5,
  TORSOR_PATH = 6,  /* rows of a time and a position: t and y, 1 + n_v numbers each */
  TORSOR_TABLE = 7, /* the length of the rows, then the rows; each number is in the row's range */
  TORSOR_POSE = 8   /* [12] pose of a frame in the world */
};
typedef struct torsor_param {
  uint32_t struct_size;
  int32_t type;
  const char *name, *unit, *help;
  /* range and default of each value. A flag is 0 or 1. A choice is the number of its name. For a
   * frame all three are
   * 0 */
  double min, max, initial;
  /* number of values; 0 for any number. A flag and a choice have 1. Frames and the types after them
   * have no initial value: if this is not 0, the user must give them */
  uint32_t count;
  const char* const* choices; /* the names of a choice, terminated by NULL; otherwise NULL */
} torsor_param;

/* A frame F that is fixed to a body B; body 0 is the world. This struct does not grow. */
typedef struct torsor_frame {
  int32_t body;
  double X_BF[12];
} torsor_frame;

/* The sizes that prepare() requests from the host for all later calls. */
typedef struct torsor_sizes {
  uint32_t struct_size;
  size_t work_doubles; /* work area of the hot calls: aligned to 64 bytes, contents undefined */
  size_t n_x; /* since ABI 1.2: continuous states of a force or controller, zero at the start */
  /* since ABI 1.3: numbers that a controller keeps between samples, zero at the start */
  size_t n_memory;
} torsor_sizes;

/* The functions that the host provides to a plugin. */
typedef struct torsor_host torsor_host;
struct torsor_host {
  uint32_t struct_size;
  void* context;
  /* Reports why a call failed; any thread may call it */
  void (*report)(const torsor_host*, torsor_status, const char* utf8);
  /* [setup] Returns the host service with this id, or NULL */
  const void* (*get_service)(const torsor_host*, const char* id);
};

/* An object of a plugin. */
typedef struct torsor_plugin torsor_plugin;
struct torsor_plugin {
  uint32_t struct_size;
  void* self;
  /* [setup] Sets the parameter with this index */
  torsor_status (*set_param)(torsor_plugin*, uint32_t index, const double* values, uint32_t count);
  /* [setup] Prepares for a model and requests sizes */
  torsor_status (*prepare)(torsor_plugin*, const torsor_model*, torsor_sizes* out);
  /* [setup] Returns the interface with this id, or NULL if it is not offered */
  const void* (*get_interface)(const torsor_plugin*, const char* id);
  void (*destroy)(torsor_plugin*); /* [setup] Destroys the object */
  /* Since ABI 1.2. [setup] Sets a parameter of type TORSOR_FRAME, before prepare; NULL if there is
   * none */
  torsor_status (*set_frames)(torsor_plugin*, uint32_t index, const torsor_frame* frames,
                              uint32_t count);
};

/* The dynamics of the tree:  M(q) vdot + C(q, v) v + g(q) = tau + sum J^T F_B.
 *
 * A member that is NULL is not offered. The host derives it from the others and says so. A solver
 * offers inverse or forward, or both. M, M^-1 and C are dense n_v x n_v matrices with both
 * triangles. C is a factorisation for which Mdot - 2C is skew-symmetric. */
#define TORSOR_SOLVER "torsor.solver/1"
typedef struct torsor_solver {
  uint32_t struct_size;
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
  /* Since ABI 1.1. [hot] Computes the Christoffel symbols of the first kind, dense [n_v][n_v][n_v].
   * C_ij = sum_k G[i][j][k] v_k is a C as above. G[i][j][k] = G[i][k][j], unless two of the dof
   * belong to one joint */
  torsor_status (*christoffel_symbols)(const torsor_plugin*, const torsor_model*,
                                       const torsor_state*, double* work, double* G);
} torsor_solver;

/* Since ABI 1.3. Partial derivatives of the dynamics, for a plugin that also has a torsor_solver.
 *
 * They are in tangent coordinates: d/dq along dof k is the rate of change if q moves along k with
 * unit velocity. Gravity and the motion of the world frame are constant. The wrenches F_B are
 * constant in body axes. Matrices are dense n_v x n_v; row i belongs to tau_i or vdot_i. The work
 * area is that of torsor_solver.
 *
 * inverse_partials is required. Another member that is NULL is not offered. The host derives
 * forward_partials; before ABI 1.5 it was required. */
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
  /* Since ABI 1.5. [hot] Computes second derivatives of tau = inverse(vdot), dense [n_v][n_v][n_v].
   * Entry [i][j][k] is the derivative of entry [i][j] of d tau/dq, d tau/dv or M along dof k of q
   * or of v. The screw of a dof moves with its joint. Therefore d2tau_dqdq is not symmetric in j
   * and k if both belong to one joint whose dof do not commute */
  torsor_status (*second_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                   const double* vdot, double* work, double* d2tau_dqdq,
                                   double* d2tau_dvdq, double* d2tau_dvdv, double* dM_dq);
} torsor_solver_partials;

/* Since ABI 1.5. Time derivatives of a motion and of the external loads: by component, from the
 * first derivative on. NULL means zero. */
typedef struct torsor_motion_rates {
  uint32_t struct_size;
  int32_t order;      /* highest derivative of tau */
  const double* vdot; /* [order + 1][n_v] vdot and its derivatives */
  const double* V_W;  /* [order][6] derivatives of state.V_W */
  const double* A_W;  /* [order][6] derivatives of state.A_W */
  const double* F_B;  /* [order][n_body][6] derivatives of state.F_B, in body axes */
} torsor_motion_rates;

/* Since ABI 1.5. The parts of  M vdot + C v + g = tau + Q,  Q = sum J^T F_B,  and their time
 * derivatives up to an order. Each is [order + 1] times the quantity of torsor_solver. If the world
 * frame moves, the contribution of its twist is part of g. */
typedef struct torsor_equation_rates {
  uint32_t struct_size;
  double *M, *C;       /* [order + 1][n_v][n_v] */
  double *g, *Q, *tau; /* [order + 1][n_v] */
} torsor_equation_rates;

/* Since ABI 1.3. Time derivatives of tau = inverse(vdot) along a motion, for a plugin that also has
 * a torsor_solver. The work area is that of torsor_solver. A plugin offers inverse_rates, or rates
 * together with max_order. */
#define TORSOR_SOLVER_RATES "torsor.solver.rates/1"
typedef struct torsor_solver_rates {
  uint32_t struct_size;
  /* [hot] Computes tau and its first and second derivative, each [n_v]. vdot, vddot and vdddot are
   * the derivatives of v by component. V_W, A_W and F_B are constant. The host calls it only if
   * there is no member rates */
  torsor_status (*inverse_rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                 const double* vdot, const double* vddot, const double* vdddot,
                                 double* work, double* tau, double* tau_dot, double* tau_ddot);
  /* Since ABI 1.5. [hot] Computes tau [order + 1][n_v], up to an order of at most max_order */
  torsor_status (*rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                         const torsor_motion_rates*, double* work, double* tau);
  /* Since ABI 1.5. [hot] Computes all parts of the equation, up to an order of at most 2; NULL if
   * it is not offered */
  torsor_status (*equation_rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                  const torsor_motion_rates*, double* work,
                                  torsor_equation_rates* out);
  int32_t max_order; /* highest order of rates: at least 2 and at most TORSOR_MAX_ORDER */
} torsor_solver_rates;

/* Since ABI 1.6. A quantity of a recursion. It belongs to a body i, or for a JOINT kind to a dof k
 * of its joint. p is the parent of i, and c are the bodies that i carries. The kind determines size
 * and unit. This struct does not grow. */
enum {
  TORSOR_TRACE_ANGULAR_VELOCITY = 0,     /* [3] rad/s */
  TORSOR_TRACE_ANGULAR_ACCELERATION = 1, /* [3] rad/s^2 */
  TORSOR_TRACE_LINEAR_ACCELERATION = 2,  /* [3] m/s^2 */
  TORSOR_TRACE_TWIST = 3,                /* [6] rad/s, m/s */
  TORSOR_TRACE_ACCELERATION = 4,         /* [6] rad/s^2, m/s^2 */
  TORSOR_TRACE_WRENCH = 5,               /* [6] N m, N */
  TORSOR_TRACE_INERTIA = 6, /* [6][6] symmetric, maps accelerations to wrenches: kg m^2, kg m, kg */
  TORSOR_TRACE_JOINT_ACCELERATION = 7, /* rad/s^2 or m/s^2 */
  TORSOR_TRACE_JOINT_FORCE = 8,        /* N m or N */
  TORSOR_TRACE_JOINT_INERTIA = 9,      /* kg m^2 or kg */
  TORSOR_TRACE_JOINT_WRENCH = 10       /* [6] wrench per acceleration: kg m^2, kg m or kg m, kg */
};
typedef struct torsor_trace_quantity {
  int32_t kind;       /* TORSOR_TRACE_.. */
  int32_t in_parent;  /* 0: in the axes of the body, about its origin; 1: in those of its parent */
  const char* symbol; /* without an index: "w" */
  const char* name;   /* "angular velocity" */
  const char* equation; /* "w_i = R^T w_p + sum_k S_k.w v_k" */
  const char* latex;    /* the equation in LaTeX math */
  const char* source;   /* its source in the literature, or "" */
  /* The quantities in the equation, terminated by NULL. They are symbols of earlier rows with an
   * index: "w_p", "F_i" (and those of its dof), "f_c". Or they are given: "v_i" "vdot_i" "tau_i"
   * "S_i" "J_i" (armature) of its dof, "X_i" (pose in the parent), "M_i" (inertia), "Fe_i" (F_B) */
  const char* const* inputs;
} torsor_trace_quantity;

/* Since ABI 1.6. One pass over the tree. This struct does not grow. */
typedef struct torsor_trace_pass {
  const char* name;    /* "velocities and accelerations" */
  int32_t inward;      /* 0: from the world to the tips; 1: from the tips to the world */
  uint32_t n_quantity; /* quantities computed at each body, one after the other */
  const torsor_trace_quantity* quantity;
} torsor_trace_pass;

/* Since ABI 1.6. The quantities of the recursion of inverse or forward dynamics, for display. The
 * plugin also has a torsor_solver. The last quantity of the kind JOINT_FORCE is the result of
 * inverse; the last of the kind JOINT_ACCELERATION is that of forward. Each agrees
 * with the result of the call without a trace up to rounding error, because compilers may generate
 * other instructions for code with a trace. */
#define TORSOR_SOLVER_TRACE "torsor.solver.trace/1"
typedef struct torsor_solver_trace {
  uint32_t struct_size;
  int32_t of_forward; /* 0: of inverse for a given vdot; 1: of forward for a given tau, with
                         min_pivot set */
  uint32_t n_pass;
  const torsor_trace_pass* pass;
  /* [hot] Computes the quantities of all passes, one after the other; each is [n_body] or [n_v]
   * times its size. The work area is that of torsor_solver. The host sets out to zero before the
   * call */
  torsor_status (*trace)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                         const double* given, double* work, double* out);
} torsor_solver_trace;

/* Poses and twists of the bodies in the world. */
typedef struct torsor_kinematics {
  uint32_t struct_size;
  const double* X_WB;   /* [n_body][12] pose of each body in the world */
  const double* V_WB_B; /* [n_body][6] twist of each body, in its axes about its origin */
} torsor_kinematics;

/* The result of a force. The host sets every number to zero before the call. */
typedef struct torsor_force_out {
  uint32_t struct_size;
  /* [n_body][6] wrench on each body, at its origin in its axes; that on the world is ignored */
  double* F_B;
  double* tau;   /* [n_v] torque on each dof */
  double* xdot;  /* [n_x] rates of the force's own states */
  double energy; /* stored energy in J, a function of q and x */
  /* time derivative of energy, in W. Power that the force delivers to the bodies and does not take
   * from its energy is work: sum V . F + tau . v + energy_rate */
  double energy_rate;
} torsor_force_out;

/* A force that acts on the tree in addition to the torques of its joints:  sum J^T F_B + tau. */
#define TORSOR_FORCE "torsor.force/1"
typedef struct torsor_force {
  uint32_t struct_size;
  int32_t is_contact; /* 1: the energy ledger counts its work as contact; 0: as forces */
  /* [hot] Evaluates the force in a state with F_B = NULL; x [n_x] */
  torsor_status (*evaluate)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                            const torsor_kinematics*, const double* x, double* work,
                            torsor_force_out* out);
} torsor_force;

/* Limits, friction and elasticity of a dof. This struct does not grow. */
typedef struct torsor_drive {
  double lower,
      upper;       /* limits of the coordinate; infinite if there is no limit or no coordinate */
  double max_rate; /* limit of the rate; infinite if there is no limit */
  /* limit of the motor's torque at the joint; infinite without a limit, 0 without a motor */
  double max_torque;
  double viscous,
      coulomb; /* friction and damping of joint and motor together: viscous |v| + coulomb */
  /* For an elastic joint; all 0 for a rigid one. The torque of the spring is
   * stiffness e + cubic e^3 + damping edot with e = theta - q. M does not include the motor's
   * inertia, which is given on the joint's side of the gear */
  double stiffness, spring_cubic, spring_damping, motor_inertia;
} torsor_drive;

/* Since ABI 1.3. A host service for controllers: the dynamics of the nominal model of the
 * controller, which may differ from the robot. The base of the model is at rest at its place in the
 * world, under the gravity of the model. inverse, forward, bias and gravity include the springs of
 * its joints. The calls of one controller come one at a time. q is [n_q]; v, vdot and tau are
 * [n_v]. */
#define TORSOR_HOST_DYNAMICS "torsor.host.dynamics/1"
typedef struct torsor_dynamics torsor_dynamics;
struct torsor_dynamics {
  uint32_t struct_size;
  void* context;
  const torsor_drive* drive; /* [n_v] */
  /* [setup] Returns a configuration within the limits, the same one for the same number. Without
   * limits, it is within one turn or one metre */
  torsor_status (*configuration)(const torsor_dynamics*, uint32_t number, double* q);
  /* [hot] Computes tau. The following functions are [hot] as well */
  torsor_status (*inverse)(const torsor_dynamics*, const double* q, const double* v,
                           const double* vdot, double* tau);
  /* Computes vdot */
  torsor_status (*forward)(const torsor_dynamics*, const double* q, const double* v,
                           const double* tau, double* vdot);
  /* Computes M [n_v][n_v] */
  torsor_status (*mass_matrix)(const torsor_dynamics*, const double* q, double* M);
  /* Computes C v + g [n_v] */
  torsor_status (*bias)(const torsor_dynamics*, const double* q, const double* v, double* b);
  /* Computes g [n_v] */
  torsor_status (*gravity)(const torsor_dynamics*, const double* q, double* g);
  /* Computes the pose X_WF [12], J [6][n_v] and Jdot v [6] of a frame F. V = J v = (omega, pdot) is
   * the angular velocity of F and the velocity of its origin, in the axes of the world. Vdot = J
   * vdot + Jdot v by component. v and Jdot_v may be NULL */
  torsor_status (*frame)(const torsor_dynamics*, const torsor_frame* F, const double* q,
                         const double* v, double* X_WF, double* J, double* Jdot_v);
  /* Computes Y [n_v][10 n_body] for the inertial parameters torsor_model.inertia_B:
   *   Y inertia_B = M(q) a_r + C(q, v) v_r + g(q)
   * without armature, with a C for which Mdot - 2C is skew-symmetric */
  torsor_status (*regressor)(const torsor_dynamics*, const double* q, const double* v,
                             const double* v_r, const double* a_r, double* Y);
  /* The same as in torsor_solver_rates; NULL if the solver of the model does not offer it */
  torsor_status (*inverse_rates)(const torsor_dynamics*, const double* q, const double* v,
                                 const double* vdot, const double* vddot, const double* vdddot,
                                 double* tau, double* tau_dot, double* tau_ddot);
  /* Since ABI 1.5, each [n_v]. The parts of drive[].viscous and drive[].coulomb that act at the
   * motors, at their rates on the joints' side of the gear. The rest acts at the joints. For a
   * rigid joint both have the same rate */
  const double *motor_viscous, *motor_coulomb;
  /* Since ABI 1.5. [n_v] 1 if something acts at a dof that the other members do not describe: it
   * mimics another joint, belongs to a coupled transmission, or a rotor that is a body drives it by
   * a spring */
  const int32_t* tied;
};

/* The input of a controller. The engine computes the differences on curved joints. e is the
 * displacement from q to q_d. v_r and a_r are v_d and vdot_d in the axes of the joint at q. If e =
 * 0, v = v_r and vdot = a_r, the error stays 0. On joints of one dof, e = q_d - q, v_r = v_d and
 * a_r = vdot_d. */
typedef struct torsor_control_input {
  uint32_t struct_size;
  double time;
  double period;   /* sampling period; 0 for continuous time */
  const double* q; /* [n_q] measured */
  const double* v; /* [n_v] measured */
  /* [n_v] limits of its torques, enforced by the host or by clamped motors; infinite if there are
   * none */
  const double* max_torque;
  /* The reference of the joints, [n_q] and [n_v]; NULL if there is none */
  const double *q_d, *v_d, *vdot_d, *vddot_d, *vdddot_d;
  const double *e, *v_r, *a_r; /* [n_v] as described above; NULL if there is no such reference */
  /* The reference of a frame, NULL if there is none: X_WF [12]; V, Vdot [6] as (omega, pdot), as in
   * torsor_dynamics.frame */
  const double *X_d, *V_d, *Vdot_d;
  const double* x;      /* [n_x] */
  const double* memory; /* [n_memory] */
  /* Since ABI 1.5: q [n_q] and v [n_v] as measured at the motors. For elastic joints they are those
   * of the motors, on the joints' side of the gear; for rigid joints those above */
  const double *motor_q, *motor_v;
} torsor_control_input;

/* The output of a controller. Before the call, the host sets memory to its current value and every
 * other number to zero. */
typedef struct torsor_control_output {
  uint32_t struct_size;
  double* tau; /* [n_v] torques of the motors at the joints */
  /* [n_x] rates of its states; the host of a sampled controller adds period xdot to x */
  double* xdot;
  double* memory; /* [n_memory] at the next sample */
  double* signal; /* [sum of counts] signals that can be recorded */
} torsor_control_output;

/* A signal of `count` numbers, or of one number per dof. */
typedef struct torsor_signal {
  uint32_t struct_size;
  const char *name, *unit; /* unit "": the unit of the torque of each dof */
  uint32_t count;          /* 0: n_v */
  /* 1, with one number per dof: the acceleration that the joints should have. The host then also
   * offers NAME_residual: this signal minus the actual acceleration */
  int32_t is_acceleration;
} torsor_signal;

enum { TORSOR_REFERENCE_NONE = 0, TORSOR_REFERENCE_JOINTS = 1, TORSOR_REFERENCE_FRAME = 2 };

/* A control law. */
#define TORSOR_CONTROLLER "torsor.controller/1"
typedef struct torsor_controller {
  uint32_t struct_size;
  int32_t reference;  /* TORSOR_REFERENCE_..: what it follows */
  int32_t all_joints; /* 1: it needs a motor at every dof; 0: it ignores dof without a motor */
  uint32_t n_signal;
  const torsor_signal* signal;
  /* [hot] Computes torques, rates of states, memory and signals */
  torsor_status (*evaluate)(const torsor_plugin*, const torsor_model*, const torsor_control_input*,
                            double* work, torsor_control_output* out);
  /* number of derivatives of the reference's position that must be continuous */
  int32_t smoothness;
  /* 1: q and v are measured at the motors of elastic joints, on the joints' side of the gear; -1,
   * since ABI 1.5: at the joints; 0: the user chooses */
  int32_t of_motors;
} torsor_controller;

/* A motion of the joints or of a frame F over time, from 0 to its duration.
 *
 * A motion of the joints is given in coordinates y [n_v]. If each dof of a joint is the rate of one
 * entry of q, y is these entries. On a curved joint (quaternions, bodies in the plane) y is
 * logarithmic: q = q_0 exp(sum_k S[k] y[k]). Here q_0 is the value of the first parameter of type
 * configuration, or the first row of the first path. The host computes the velocities of the joints
 * and their derivatives from y and its derivatives. Therefore y = r(t) y_1 is the shortest path
 * from y_0 = 0 to y_1. */
enum { TORSOR_MOTION_OF_JOINTS = 0, TORSOR_MOTION_OF_FRAME = 1 };
enum { TORSOR_SMOOTH = 1000, TORSOR_MAX_ORDER = 4 };
typedef struct torsor_motion {
  uint32_t struct_size;
  int32_t kind;    /* TORSOR_MOTION_OF_JOINTS or _OF_FRAME */
  double duration; /* s; may be INFINITY. The motion is at rest before 0 and after its duration */
  /* number of continuous derivatives from 0 on, including the stop at the end; or TORSOR_SMOOTH */
  int32_t smoothness;
  /* highest derivative that it provides, at most TORSOR_MAX_ORDER; derivative 4 of the position is
   * snap */
  int32_t order;
  uint32_t n_break;
  /* [n_break] times at which a derivative jumps, ascending, in [0, duration]. The array belongs to
   * the plugin and stays valid while the object exists */
  const double* breaks;
} torsor_motion;

#define TORSOR_TRAJECTORY "torsor.trajectory/1"
typedef struct torsor_trajectory {
  uint32_t struct_size;
  /* [setup] Describes the motion; called after prepare */
  torsor_status (*describe)(const torsor_plugin*, torsor_motion* out);
  /* [hot] Evaluates the motion at t in [0, duration], with derivatives up to an order of at most
   * motion.order. At a break the later piece counts, at the duration the last one.
   * For joints: out [order + 1][n_v] is y and its derivatives.
   * For a frame: out [12 + 6 order] is X_WF, then the angular velocity of F and the velocity of its
   * origin in the axes of the world, and their derivatives by component. */
  torsor_status (*evaluate)(const torsor_plugin*, double t, int32_t order, double* work,
                            double* out);
} torsor_trajectory;

/* One plugin of a file. A file may contain several. */
typedef struct torsor_descriptor {
  uint32_t struct_size;
  /* "kind.name", for example "solver.newton_euler". The kinds are solver; since ABI 1.2 force;
   * since 1.3 trajectory and controller */
  const char* id;
  const char* version; /* version of the plugin, for example "1.0" */
  const char* summary; /* one line */
  const char* family;  /* the model family that it supports; "" for any tree */
  uint32_t n_param;
  const torsor_param* param;
  /* [setup] Creates an object. After an error, reports it and returns NULL */
  torsor_plugin* (*create)(const torsor_host*);
} torsor_descriptor;

/* All plugins of a file. */
typedef struct torsor_entry {
  uint32_t abi_major, abi_minor;
  uint32_t n_descriptor;
  const torsor_descriptor* const* descriptor;
} torsor_entry;

/* The only symbol that a plugin exports. */
TORSOR_EXPORT const torsor_entry* torsor_plugin_entry(void);

/* Since ABI 1.4. Information about a file for a host that has not loaded it: an ELF note with the
 * owner "Torsor" and this type. It contains the ABI version and the plugins, each as "id version",
 * separated by newlines. Write TORSOR_NOTE("solver.pendulum 1.0") once in a file. */
enum { TORSOR_NOTE_TYPE = 1 };
#define TORSOR_NOTE_SECTION __attribute__((section(".note.torsor"), used, aligned(4)))
#define TORSOR_NOTE(plugins)                                                            \
  static const struct {                                                                 \
    uint32_t owner_size, size, type;                                                    \
    char owner[8];                                                                      \
    uint32_t abi_major, abi_minor;                                                      \
    char list[sizeof(plugins)];                                                         \
  } torsor_note TORSOR_NOTE_SECTION = {7,        8 + sizeof(plugins), TORSOR_NOTE_TYPE, \
                                       "Torsor", TORSOR_ABI_MAJOR,    TORSOR_ABI_MINOR, \
                                       plugins}

#ifdef __cplusplus
}
#endif
#endif
