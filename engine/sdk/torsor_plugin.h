/* torsor_plugin.h: the whole contract between the engine and a plugin. Plain C11; a plugin needs nothing
 * else.
 *
 * Units are SI and radians. Six-vectors are (angular, linear): twist (omega, v), wrench (moment, force).
 * A pose is 12 doubles: the rotation by rows, then the position; X_PB maps coordinates in B to coordinates in
 * P. Matrices are by rows. Arrays belong to the host and live as long as the call.
 *
 * [setup] calls come from one thread and may allocate.
 * [hot] calls come from any thread and must not allocate, lock, log or throw. A hot call depends only on its
 * arguments: same bits in, same bits out. Its work area has undefined contents (a debug host fills it with
 * NaN).
 *
 * Structs start with struct_size and only ever grow at the end within a major version: read a field only
 * where struct_size covers it. A different major version is refused. */
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

/* A status is a code in the low byte and, where one is to blame, a body in the rest. */
typedef int32_t torsor_status;
enum {
  TORSOR_OK = 0,
  TORSOR_BAD_ARGUMENT = 1, /* a parameter or argument is out of its range */
  TORSOR_UNSUPPORTED = 2,  /* this model or call is not for this plugin; the reason is reported */
  TORSOR_SINGULAR = 3,     /* the mass matrix is singular at the joint of the body named */
  TORSOR_INTERNAL = 4      /* anything else; the reason is reported */
};
#define TORSOR_STATUS(code, body) ((torsor_status)((code) | ((body) << 8)))
#define TORSOR_STATUS_CODE(status) ((status)&0xff)
#define TORSOR_STATUS_BODY(status) ((status) >> 8)

/* The kinematic tree. Body 0 is the world; body i > 0 is carried by joint i, and parent[i] < i. A joint moves
 * its body along the constant screws S_B: V_WB = Ad(X_PB)^-1 V_WP + sum_k S_B[k] v[k], k in [v_index[i],
 * v_index[i] + v_count[i]). Columns are in the order of the user's file: a parent's columns need not come
 * before its child's. */
typedef struct torsor_model {
  uint32_t struct_size;
  int32_t n_body, n_q, n_v;
  const int32_t* parent;   /* [n_body]; parent[0] = -1 */
  const int32_t* v_index;  /* [n_body] first column of the body's joint */
  const int32_t* v_count;  /* [n_body] number of its columns; 0 for the world */
  const double* S_B;       /* [n_v][6] joint screws in the body frame, constant */
  const double* inertia_B; /* [n_body][10] m, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the body origin; the
                              world's is 0 */
  const double* armature;  /* [n_v] rotor inertia seen at the joint, added to the diagonal of M */
  const char* family; /* "" for a general tree, else a family a special solver may know, as "planar_n_link" */
  const double* X_PB0; /* since ABI 1.3: [n_body][12] pose of each body in its parent at the neutral q */
} torsor_model;

typedef struct torsor_state {
  uint32_t struct_size;
  double time;
  const double* q;    /* [n_q] */
  const double* v;    /* [n_v] */
  const double* X_PB; /* [n_body][12] pose of each body in its parent at q, computed once by the host */
  const double* V_W;  /* [6] twist of the world frame, in its axes; zero where the world is at rest */
  const double* A_W;  /* [6] time derivative of V_W by component, minus gravity: (0, -g) at rest */
  const double* F_B; /* [n_body][6] wrench applied BY the environment ON each body, at its origin in its axes;
                        or NULL */
  /* [n_body] for forward, forward_partials and inverse_mass_matrix, else NULL: a joint-space inertia S^T I S at or below
   * this is zero to rounding, and M singular at that body's joint. */
  const double* min_pivot;
} torsor_state;

/* A parameter a user may set by name. */
enum {
  TORSOR_REAL = 0,
  TORSOR_INTEGER = 1,
  TORSOR_FLAG = 2,
  TORSOR_CHOICE = 3,
  TORSOR_FRAME = 4, /* since ABI 1.2: frames of the model, which come through set_frames */
  /* Since ABI 1.3, of count 1, where the user must give it, or 0. They come through set_param: */
  TORSOR_CONFIGURATION = 5, /* a position of the joints, as coordinates y [n_v], see torsor_trajectory */
  TORSOR_PATH = 6,          /* rows of a time and a position: t and y, 1 + n_v numbers each */
  TORSOR_TABLE = 7, /* rows of one length, each number in the row's range: this length, then the rows */
  TORSOR_POSE = 8   /* [12] of a frame in the world */
};
typedef struct torsor_param {
  uint32_t struct_size;
  int32_t type;
  const char *name, *unit, *help;
  double min, max, initial; /* of each value; a flag is 0 or 1, a choice its number; 0 of a frame */
  uint32_t
      count; /* values expected; 0: any number; a flag and a choice take 1. Frames and the types after them have no
                     initial value: where a number is expected, the user must give them */
  const char* const* choices; /* a choice's names, ended by NULL; else NULL */
} torsor_param;

/* A frame F fixed to a body B, 0 for the world. This struct does not grow. */
typedef struct torsor_frame {
  int32_t body;
  double X_BF[12];
} torsor_frame;

/* What prepare() asks the host to provide for every later call. */
typedef struct torsor_sizes {
  uint32_t struct_size;
  size_t work_doubles; /* scratch of the hot calls: 64-byte aligned, contents undefined */
  size_t n_x;          /* since ABI 1.2: continuous states of a force or controller, zero at the start */
  size_t n_memory; /* since ABI 1.3: what a controller keeps from one sample to the next, zero at the start */
} torsor_sizes;

typedef struct torsor_host torsor_host;
struct torsor_host {
  uint32_t struct_size;
  void* context;
  void (*report)(const torsor_host*, torsor_status, const char* utf8); /* any thread; why a call failed */
  const void* (*get_service)(const torsor_host*, const char* id);      /* [setup] a host service, or NULL */
};

typedef struct torsor_plugin torsor_plugin;
struct torsor_plugin {
  uint32_t struct_size;
  void* self;
  torsor_status (*set_param)(torsor_plugin*, uint32_t index, const double* values,
                             uint32_t count);                                       /* [setup] */
  torsor_status (*prepare)(torsor_plugin*, const torsor_model*, torsor_sizes* out); /* [setup] */
  const void* (*get_interface)(const torsor_plugin*, const char* id); /* [setup] NULL: not offered */
  void (*destroy)(torsor_plugin*);                                    /* [setup] */
  /* Since ABI 1.2. [setup] the value of a parameter of type TORSOR_FRAME, before prepare; NULL where there is none */
  torsor_status (*set_frames)(torsor_plugin*, uint32_t index, const torsor_frame* frames, uint32_t count);
};

/* The dynamics of the tree:  M(q) vdot + C(q, v) v + g(q) = tau + sum J^T F_B.
 * A member that is NULL is not offered: the host derives it from the others and says so. Either inverse or
 * forward must be there. M, M^-1 and C are dense n_v x n_v, both triangles. C is a factorisation for which
 * Mdot - 2C is skew. */
#define TORSOR_SOLVER "torsor.solver/1"
typedef struct torsor_solver {
  uint32_t struct_size;
  /* [hot] tau for given vdot */
  torsor_status (*inverse)(const torsor_plugin*, const torsor_model*, const torsor_state*, const double* vdot,
                           double* work, double* tau);
  /* [hot] vdot for given tau */
  torsor_status (*forward)(const torsor_plugin*, const torsor_model*, const torsor_state*, const double* tau,
                           double* work, double* vdot);
  torsor_status (*mass_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*, double* work,
                               double* M); /* [hot] armature included */
  torsor_status (*inverse_mass_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                       double* work, double* Minv); /* [hot] */
  torsor_status (*coriolis_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                   double* work, double* C); /* [hot] */
  torsor_status (*gravity)(const torsor_plugin*, const torsor_model*, const torsor_state*, double* work,
                           double* g); /* [hot] */
  torsor_status (*bias)(const torsor_plugin*, const torsor_model*, const torsor_state*, double* work,
                        double* b); /* [hot] C v + g, applied wrenches left out */
  /* Since ABI 1.1. [hot] the Christoffel symbols of the first kind, dense [n_v][n_v][n_v]: C_ij = sum_k G[i][j][k] v_k
   * is a C as above, and G[i][j][k] = G[i][k][j] unless two of the columns belong to one joint */
  torsor_status (*christoffel_symbols)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                       double* work, double* G);
} torsor_solver;

/* Since ABI 1.3. Partial derivatives of the dynamics of a plugin that has a torsor_solver too. In
 * tangent coordinates: d/dq along column k is the rate where q moves along it with unit velocity. Gravity, the motion of the world
 * frame and, in body axes, the wrenches F_B are held fixed. Dense n_v x n_v: row i is of tau_i or vdot_i. work as of torsor_solver. inverse_partials is there; of
 * the others, one that is NULL is not offered: forward_partials the host derives (before ABI 1.5 it had to be there). */
#define TORSOR_SOLVER_PARTIALS "torsor.solver.partials/1"
typedef struct torsor_solver_partials {
  uint32_t struct_size;
  /* [hot] of tau = inverse(vdot); its d tau/d vdot is M */
  torsor_status (*inverse_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                    const double* vdot, double* work, double* dtau_dq, double* dtau_dv);
  /* [hot] of vdot = forward(tau), with min_pivot as there; dvdot_dtau is M^-1 */
  torsor_status (*forward_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                    const double* tau, double* work, double* dvdot_dq, double* dvdot_dv,
                                    double* dvdot_dtau);
  /* Since ABI 1.5. [hot] second derivatives of tau = inverse(vdot), dense [n_v][n_v][n_v]: entry [i][j][k] is the derivative of the entry
   * [i][j] of d tau/dq, d tau/dv or M along column k of q, or of v. A column's own screw moves with its joint, so that d2tau_dqdq is not
   * symmetric in j and k where both belong to one joint whose columns do not commute */
  torsor_status (*second_partials)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                   const double* vdot, double* work, double* d2tau_dqdq, double* d2tau_dvdq,
                                   double* d2tau_dvdv, double* dM_dq);
} torsor_solver_partials;

/* Since ABI 1.5. How a motion goes on, and what acts from outside with it: derivatives by time, all by component, from the first on. NULL:
 * zero. */
typedef struct torsor_motion_rates {
  uint32_t struct_size;
  int32_t order;      /* of tau's highest derivative */
  const double* vdot; /* [order + 1][n_v] vdot itself and its derivatives */
  const double* V_W;  /* [order][6] of state.V_W */
  const double* A_W;  /* [order][6] of state.A_W */
  const double* F_B;  /* [order][n_body][6] of state.F_B, in body axes */
} torsor_motion_rates;

/* Since ABI 1.5. The parts of  M vdot + C v + g = tau + Q,  Q = sum J^T F_B,  and their derivatives by time up to an order: each [order + 1]
 * of what torsor_solver has. Where the world frame moves, what its twist adds is part of g. */
typedef struct torsor_equation_rates {
  uint32_t struct_size;
  double *M, *C;       /* [order + 1][n_v][n_v] */
  double *g, *Q, *tau; /* [order + 1][n_v] */
} torsor_equation_rates;

/* Since ABI 1.3. How the torques of a motion change, of a plugin that has a torsor_solver too: tau = inverse(vdot) and its derivatives by
 * time. work as of torsor_solver. Either inverse_rates or, with max_order, rates is there. */
#define TORSOR_SOLVER_RATES "torsor.solver.rates/1"
typedef struct torsor_solver_rates {
  uint32_t struct_size;
  /* [hot] tau and its first and second derivative, each [n_v], where vdot, vddot and vdddot are the derivatives of v by component, and
   * V_W, A_W and F_B stay as they are. Asked only where there is no rates */
  torsor_status (*inverse_rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                 const double* vdot, const double* vddot, const double* vdddot, double* work,
                                 double* tau, double* tau_dot, double* tau_ddot);
  /* Since ABI 1.5. [hot] tau [order + 1][n_v] to an order of at most max_order */
  torsor_status (*rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                         const torsor_motion_rates*, double* work, double* tau);
  /* [hot] the same with all parts of the equation, to an order of at most 2; NULL: not offered */
  torsor_status (*equation_rates)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                  const torsor_motion_rates*, double* work, torsor_equation_rates* out);
  int32_t max_order; /* of rates, at least 2 and at most TORSOR_MAX_ORDER */
} torsor_solver_rates;

/* Since ABI 1.6. A quantity of a recursion, of a body i, its parent p and the bodies c that it carries, or, of a JOINT kind, of a column k of
 * its joint. The kind says its size and unit. This struct does not grow. */
enum {
  TORSOR_TRACE_ANGULAR_VELOCITY = 0,     /* [3] rad/s */
  TORSOR_TRACE_ANGULAR_ACCELERATION = 1, /* [3] rad/s^2 */
  TORSOR_TRACE_LINEAR_ACCELERATION = 2,  /* [3] m/s^2 */
  TORSOR_TRACE_TWIST = 3,                /* [6] rad/s, m/s */
  TORSOR_TRACE_ACCELERATION = 4,         /* [6] rad/s^2, m/s^2 */
  TORSOR_TRACE_WRENCH = 5,               /* [6] N m, N */
  TORSOR_TRACE_INERTIA = 6, /* [6][6] symmetric, takes accelerations to wrenches: kg m^2, kg m, kg */
  TORSOR_TRACE_JOINT_ACCELERATION = 7, /* rad/s^2 or m/s^2 */
  TORSOR_TRACE_JOINT_FORCE = 8,        /* N m or N */
  TORSOR_TRACE_JOINT_INERTIA = 9,      /* kg m^2 or kg */
  TORSOR_TRACE_JOINT_WRENCH = 10 /* [6] wrench per acceleration of the column: kg m^2, kg m or kg m, kg */
};
typedef struct torsor_trace_quantity {
  int32_t kind;         /* TORSOR_TRACE_.. */
  int32_t in_parent;    /* 0: in the axes of the body about its origin, 1: in those of its parent */
  const char* symbol;   /* without an index, "w" */
  const char* name;     /* "angular velocity" */
  const char* equation; /* "w_i = R^T w_p + sum_k S_k.w v_k" */
  const char* latex;    /* the same in LaTeX's mathematics */
  const char* source;   /* where it stands in the literature, or "" */
  /* What goes into it, ended by NULL: symbols of rows before it and an index, "w_p", "F_i" (with those of its columns), "f_c"; or of what
   * is given: "v_i" "vdot_i" "tau_i" "S_i" "J_i" (armature) of its columns, "X_i" (pose in the parent), "M_i" (inertia), "Fe_i" (F_B) */
  const char* const* inputs;
} torsor_trace_quantity;

/* Since ABI 1.6. One way over the tree. This struct does not grow. */
typedef struct torsor_trace_pass {
  const char* name;    /* "velocities and accelerations" */
  int32_t inward;      /* 0: from the world to the tips, 1: from the tips to the world */
  uint32_t n_quantity; /* computed at each body, one after the other */
  const torsor_trace_quantity* quantity;
} torsor_trace_pass;

/* Since ABI 1.6. How a solver, of a plugin that has a torsor_solver too, comes to inverse or forward dynamics: the quantities of its
 * recursion, for those who want to see it at work. The last one of the kind JOINT_FORCE, or of forward dynamics JOINT_ACCELERATION, is what
 * inverse, or forward, gives, to rounding: compilers may make other instructions of the text with a trace. */
#define TORSOR_SOLVER_TRACE "torsor.solver.trace/1"
typedef struct torsor_solver_trace {
  uint32_t struct_size;
  int32_t of_forward; /* 0: of inverse, given vdot; 1: of forward, given tau, with min_pivot as there */
  uint32_t n_pass;
  const torsor_trace_pass* pass;
  /* [hot] work as of torsor_solver; out: the quantities of all passes, one after the other, each [n_body] or [n_v] of its size; the
   * host sets every number to zero before the call */
  torsor_status (*trace)(const torsor_plugin*, const torsor_model*, const torsor_state*, const double* given,
                         double* work, double* out);
} torsor_solver_trace;

/* Where the bodies are in the world, and how they move. */
typedef struct torsor_kinematics {
  uint32_t struct_size;
  const double* X_WB;   /* [n_body][12] */
  const double* V_WB_B; /* [n_body][6] twist of each body, in its axes about its origin */
} torsor_kinematics;

/* What a force gives. The host sets every number to zero before the call. */
typedef struct torsor_force_out {
  uint32_t struct_size;
  double* F_B;  /* [n_body][6] wrench on each body, at its origin in its axes; that on the world is ignored */
  double* tau;  /* [n_v] torque on each column */
  double* xdot; /* [n_x] rates of its own states */
  double energy; /* that it keeps, J, a function of q and x */
  double
      energy_rate; /* its time derivative, W. What the force gives the bodies and does not take from its energy is work:
                         sum V . F + tau . v + energy_rate */
} torsor_force_out;

/* A law of force, which acts on the tree beside its joints' torques:  sum J^T F_B + tau. */
#define TORSOR_FORCE "torsor.force/1"
typedef struct torsor_force {
  uint32_t struct_size;
  int32_t is_contact; /* 1: the energy ledger counts its work as that of contact, 0: as that of forces */
  /* [hot] in a state whose F_B is NULL; x [n_x] */
  torsor_status (*evaluate)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                            const torsor_kinematics*, const double* x, double* work, torsor_force_out* out);
} torsor_force;

/* What acts at a column beside the bodies. This struct does not grow. */
typedef struct torsor_drive {
  double lower, upper; /* of its coordinate; infinite where there is no limit or no coordinate */
  double max_rate;     /* infinite where there is no limit */
  double
      max_torque; /* of the motor, at the joint: infinite where there is no limit, 0 where there is no motor */
  double viscous, coulomb; /* friction and damping of both sides: viscous |v| + coulomb */
  /* Of an elastic joint, all 0 of a rigid one: its spring gives stiffness e + cubic e^3 + damping edot, e = theta - q, and its motor, on the
   * joint's side of the gear, has the inertia that M leaves out */
  double stiffness, spring_cubic, spring_damping, motor_inertia;
} torsor_drive;

/* Since ABI 1.3. A host service, for controllers: the dynamics of the model that the controller was given, which need not be that of
 * the robot, under its gravity and at rest where it stands, springs of its joints included (in inverse, forward, bias and gravity). Calls of one controller come one at a time. q [n_q]; v, vdot, tau [n_v]. */
#define TORSOR_HOST_DYNAMICS "torsor.host.dynamics/1"
typedef struct torsor_dynamics torsor_dynamics;
struct torsor_dynamics {
  uint32_t struct_size;
  void* context;
  const torsor_drive* drive; /* [n_v] */
  /* [setup] a configuration within the limits (of a turn or a metre where there are none): the same for the same number */
  torsor_status (*configuration)(const torsor_dynamics*, uint32_t number, double* q);
  /* [hot] of these, and of those that follow */
  torsor_status (*inverse)(const torsor_dynamics*, const double* q, const double* v, const double* vdot,
                           double* tau);
  torsor_status (*forward)(const torsor_dynamics*, const double* q, const double* v, const double* tau,
                           double* vdot);
  torsor_status (*mass_matrix)(const torsor_dynamics*, const double* q, double* M); /* [n_v][n_v] */
  torsor_status (*bias)(const torsor_dynamics*, const double* q, const double* v, double* b);
  torsor_status (*gravity)(const torsor_dynamics*, const double* q, double* g);
  /* Of a frame F: its pose, J and Jdot v with V = J v = (omega, pdot), the angular velocity of F and the velocity of its origin in the
   * axes of the world, and Vdot = J vdot + Jdot v by component. X_WF [12], J [6][n_v], Jdot_v [6]; v and Jdot_v may be NULL */
  torsor_status (*frame)(const torsor_dynamics*, const torsor_frame* F, const double* q, const double* v,
                         double* X_WF, double* J, double* Jdot_v);
  /* Y [n_v][10 n_body], in the inertial parameters of torsor_model.inertia_B:
   *   Y inertia_B = M(q) a_r + C(q, v) v_r + g(q) without armature, with a C for which Mdot - 2C is skew */
  torsor_status (*regressor)(const torsor_dynamics*, const double* q, const double* v, const double* v_r,
                             const double* a_r, double* Y);
  /* As of torsor_solver_rates; NULL where the model's solver has none */
  torsor_status (*inverse_rates)(const torsor_dynamics*, const double* q, const double* v, const double* vdot,
                                 const double* vddot, const double* vdddot, double* tau, double* tau_dot,
                                 double* tau_ddot);
  /* Since ABI 1.5, each [n_v]. Of drive[].viscous and drive[].coulomb, what acts at the motors, at their rates on the joints' side of the
   * gear; the rest acts at the joints. Of a rigid joint both are at one rate */
  const double *motor_viscous, *motor_coulomb;
  const int32_t*
      tied; /* [n_v] 1 where something acts at a column that all of these leave out: it mimics another, is one of a coupled
                          transmission, or has to do with a rotor that is a body of its own and drives by a spring */
};

/* What a controller is told. Of curved joints the engine takes the differences: e is the displacement from q to q_d, and v_r, a_r are
 * v_d and vdot_d in the axes of the joint as it is, so that where e = 0 and v = v_r the error stays 0 if vdot = a_r; on joints of one
 * degree of freedom e = q_d - q, v_r = v_d, a_r = vdot_d. */
typedef struct torsor_control_input {
  uint32_t struct_size;
  double time;
  double period;   /* from one sample to the next; 0: asked all the time */
  const double* q; /* [n_q] measured */
  const double* v; /* [n_v] measured */
  const double*
      max_torque; /* [n_v] its torques will be cut there, by the host or by clamped motors; infinite where they will not */
  /* The reference, NULL where it is none of joints, [n_q] and [n_v] */
  const double *q_d, *v_d, *vdot_d, *vddot_d, *vdddot_d;
  const double *e, *v_r, *a_r;
  /* The reference, NULL where it is none of a frame: X_WF [12]; V, Vdot [6] as (omega, pdot) in torsor_dynamics.frame */
  const double *X_d, *V_d, *Vdot_d;
  const double* x;      /* [n_x] */
  const double* memory; /* [n_memory] */
  /* Since ABI 1.5: q [n_q] and v [n_v] as measured at the motors: of elastic joints those of their motors, on the joints' side of the
   * gear, of rigid ones as above */
  const double *motor_q, *motor_v;
} torsor_control_input;

/* What it gives. The host sets every number to zero before the call, and memory to what it is. */
typedef struct torsor_control_output {
  uint32_t struct_size;
  double* tau;    /* [n_v] torques of the motors at the joints */
  double* xdot;   /* [n_x] rates of its states; a sampled controller's host goes on by x + period xdot */
  double* memory; /* [n_memory] at the next sample */
  double* signal; /* [sum of counts] what may be recorded */
} torsor_control_output;

/* A signal of `count` numbers, or of one for each column. */
typedef struct torsor_signal {
  uint32_t struct_size;
  const char *name, *unit; /* unit "": of each column's torque */
  uint32_t count;          /* 0: n_v */
  int32_t
      is_acceleration; /* 1, of one for each column: that the joints are to have; beside it the host offers NAME_residual, it minus
                              the acceleration that they have */
} torsor_signal;

enum { TORSOR_REFERENCE_NONE = 0, TORSOR_REFERENCE_JOINTS = 1, TORSOR_REFERENCE_FRAME = 2 };

/* A law of control. */
#define TORSOR_CONTROLLER "torsor.controller/1"
typedef struct torsor_controller {
  uint32_t struct_size;
  int32_t reference;  /* TORSOR_REFERENCE_..: what it follows */
  int32_t all_joints; /* 1: it needs a motor at every column; 0: it leaves those without one alone */
  uint32_t n_signal;
  const torsor_signal* signal;
  torsor_status (*evaluate)(const torsor_plugin*, const torsor_model*, const torsor_control_input*,
                            double* work, torsor_control_output* out); /* [hot] */
  int32_t smoothness; /* how many derivatives of the reference's positions it needs to be continuous */
  int32_t
      of_motors; /* 1: q and v are to be measured at the motors of elastic joints, on the joints' side of the gear; since ABI 1.5
                    -1: at the joints */
} torsor_controller;

/* A motion over time, from 0 to its duration, of the joints or of a frame F.
 *
 * Of the joints it is given in coordinates y [n_v]. On a joint whose columns are each the rate of one entry of q, y is
 * these entries. On a curved one (quaternions, bodies in the plane) y is logarithmic: q = q_0 exp(sum_k S[k] y[k]), where q_0 is the
 * plugin's first parameter that is a configuration, as the user gives it, or the first row of its first path. The host makes the joints'
 * velocities and their derivatives of y and its derivatives. So from y_0 = 0 to y_1, y = r(t) y_1 is the shortest way there. */
enum { TORSOR_MOTION_OF_JOINTS = 0, TORSOR_MOTION_OF_FRAME = 1 };
enum { TORSOR_SMOOTH = 1000, TORSOR_MAX_ORDER = 4 };
typedef struct torsor_motion {
  uint32_t struct_size;
  int32_t kind;    /* TORSOR_MOTION_OF_JOINTS or _OF_FRAME */
  double duration; /* s; it stands still afterwards, as before 0; may be INFINITY */
  int32_t
      smoothness; /* how many derivatives are continuous from 0 on, the stop at the end included; or TORSOR_SMOOTH */
  int32_t
      order; /* the highest derivative that it gives, at most TORSOR_MAX_ORDER (of the position: 4 is snap) */
  uint32_t n_break;
  const double*
      breaks; /* [n_break] ascending, in [0, duration]: where a derivative jumps. The plugin's, while it lives */
} torsor_motion;

#define TORSOR_TRAJECTORY "torsor.trajectory/1"
typedef struct torsor_trajectory {
  uint32_t struct_size;
  torsor_status (*describe)(const torsor_plugin*, torsor_motion* out); /* [setup] after prepare */
  /* [hot] at t in [0, duration], with derivatives up to an order of at most motion.order; at a break it is the later piece's, at
   * the duration the last one's.
   * Of joints: out [order + 1][n_v], y and its derivatives.
   * Of a frame: out [12 + 6 order], X_WF, then the angular velocity of F and the velocity of its origin, both in the world's axes,
   * and their derivatives by component. */
  torsor_status (*evaluate)(const torsor_plugin*, double t, int32_t order, double* work, double* out);
} torsor_trajectory;

/* One plugin of a file. A file may hold several. */
typedef struct torsor_descriptor {
  uint32_t struct_size;
  const char*
      id; /* "kind.name", as "solver.newton_euler"; the kinds are solver, since ABI 1.2 force, since 1.3 trajectory and
                          controller */
  const char* version; /* the plugin's own, as "1.0" */
  const char* summary; /* one line */
  const char* family;  /* the model family it is made for; "" for any tree */
  uint32_t n_param;
  const torsor_param* param;
  torsor_plugin* (*create)(const torsor_host*); /* [setup] NULL on failure, with a report */
} torsor_descriptor;

typedef struct torsor_entry {
  uint32_t abi_major, abi_minor;
  uint32_t n_descriptor;
  const torsor_descriptor* const* descriptor;
} torsor_entry;

/* The only symbol a plugin exports. */
TORSOR_EXPORT const torsor_entry* torsor_plugin_entry(void);

/* Since ABI 1.4. What a file says of itself to a host that has not loaded it: an ELF note of the owner "Torsor" and this type, with the
 * ABI and the plugins, "id version" each, separated by newlines. TORSOR_NOTE("solver.pendulum 1.0") stands once in a file. */
enum { TORSOR_NOTE_TYPE = 1 };
#define TORSOR_NOTE_SECTION __attribute__((section(".note.torsor"), used, aligned(4)))
#define TORSOR_NOTE(plugins)            \
  static const struct {                 \
    uint32_t owner_size, size, type;    \
    char owner[8];                      \
    uint32_t abi_major, abi_minor;      \
    char list[sizeof(plugins)];         \
  } torsor_note TORSOR_NOTE_SECTION = { \
      7, 8 + sizeof(plugins), TORSOR_NOTE_TYPE, "Torsor", TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, plugins}

#ifdef __cplusplus
}
#endif
#endif
