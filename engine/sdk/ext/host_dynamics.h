/* ext/host_dynamics.h: the nominal dynamics that the host provides to a controller. */
#ifndef TORSOR_HOST_DYNAMICS_H
#define TORSOR_HOST_DYNAMICS_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, friction and elasticity of a dof. This struct does not grow. */
typedef struct torsor_drive {
  /* Limits of the coordinate; infinite if there is no limit or no coordinate */
  double lower, upper;
  /* Limit of the rate; infinite if there is no limit */
  double max_rate;
  /* Limit of the motor's torque at the joint; infinite without a limit, 0 without a motor */
  double max_torque;
  /* Friction and damping of joint and motor together: viscous |v| + coulomb */
  double viscous, coulomb;
  /* For an elastic joint; all 0 for a rigid one. The torque of the spring is
   * stiffness e + cubic e^3 + damping edot with e = theta - q. M does not include the motor's
   * inertia, which is given on the joint's side of the gear */
  double stiffness, spring_cubic, spring_damping, motor_inertia;
} torsor_drive;

/* The joint that a dof follows: the coordinate of the dof is ratio times that of the leader, plus
 * offset. leader is -1 for a dof that follows no other. This struct does not grow. */
typedef struct torsor_mimic {
  double ratio, offset;
  int64_t leader;
} torsor_mimic;

/* A host service for controllers: the dynamics of the nominal model of the controller, which may
 * differ from the robot. The base of the model is at rest at its place in the world, under the
 * gravity of the model. inverse, forward, bias and gravity include the springs of its joints. The
 * calls of one controller come one at a time. q is [n_q]; v, vdot and tau are [n_v]. */
#define TORSOR_HOST_DYNAMICS "torsor.host.dynamics/1"
typedef struct torsor_dynamics torsor_dynamics;
struct torsor_dynamics {
  uint32_t struct_size;
  void* context;
  /* [n_v] */
  const torsor_drive* drive;
  /* [n_v] each. The parts of drive[].viscous and drive[].coulomb that act at the motors, at their
   * rates on the joints' side of the gear. The rest acts at the joints. For a rigid joint both have
   * the same rate */
  const double *motor_viscous, *motor_coulomb;
  /* [n_v] 1 if a dof has a coupling that the other members do not describe: a mimic joint, a
   * coupled transmission, or a spring to a rotor that is a body. Otherwise 0 */
  const int32_t* tied;
  /* [setup] Returns a configuration that depends only on the number. It is within the limits.
   * Coordinates without limits are within half a turn or one metre of zero. Followers (mimic) are
   * where their leaders determine */
  torsor_status (*configuration)(const torsor_dynamics*, uint32_t number, double* q);
  /* [hot] Computes tau */
  torsor_status (*inverse)(const torsor_dynamics*, const double* q, const double* v,
                           const double* vdot, double* tau);
  /* [hot] Computes vdot */
  torsor_status (*forward)(const torsor_dynamics*, const double* q, const double* v,
                           const double* tau, double* vdot);
  /* [hot] Computes M [n_v][n_v] */
  torsor_status (*mass_matrix)(const torsor_dynamics*, const double* q, double* M);
  /* [hot] Computes C v + g [n_v] */
  torsor_status (*bias)(const torsor_dynamics*, const double* q, const double* v, double* b);
  /* [hot] Computes g [n_v] */
  torsor_status (*gravity)(const torsor_dynamics*, const double* q, double* g);
  /* [hot] Computes the pose X_WF [12], J [6][n_v] and Jdot v [6] of a frame F. V = J v =
   * (omega, pdot) is the angular velocity of F and the velocity of its origin, in the axes of the
   * world. Vdot = J vdot + Jdot v by component. v and Jdot_v may be NULL */
  torsor_status (*frame)(const torsor_dynamics*, const torsor_frame* F, const double* q,
                         const double* v, double* X_WF, double* J, double* Jdot_v);
  /* [hot] Computes Y [n_v][10 n_body] for the inertial parameters torsor_model.inertia_B:
   *   Y inertia_B = M(q) a_r + C(q, v) v_r + g(q)
   * without armature, with a C for which Mdot - 2C is skew-symmetric. NULL if the model has closed
   * loops */
  torsor_status (*regressor)(const torsor_dynamics*, const double* q, const double* v,
                             const double* v_r, const double* a_r, double* Y);
  /* [hot] Computes tau and its first and second time derivative, each [n_v]. vdot, vddot and vdddot
   * are the derivatives of v by component. NULL if the solver of the model does not offer it.
   * Unlike torsor_solver_rates.rates, the order is fixed and the springs are included, as in
   * inverse */
  torsor_status (*inverse_rates)(const torsor_dynamics*, const double* q, const double* v,
                                 const double* vdot, const double* vddot, const double* vdddot,
                                 double* tau, double* tau_dot, double* tau_ddot);
  /* [n_v][n_v] stiffness matrix k of the springs of elastic joints, whose torques on the joints are
   * k e + cubic e^3 + damping edot with e = theta - q. Its diagonal is drive[].stiffness. An entry
   * off the diagonal is 0 unless two joints share a stiffness matrix; their springs have no cubic
   * part */
  const double* stiffness;
  /* [n_v] The leaders of mimic joints, and of rotors that are bodies. A rotor that a spring
   * connects to its joint follows this joint with the ratio of the spring at rest */
  const torsor_mimic* mimic;
};

#ifdef __cplusplus
}
#endif
#endif
