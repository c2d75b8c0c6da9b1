/* ext/controller.h: control laws. */
#ifndef TORSOR_CONTROLLER_H
#define TORSOR_CONTROLLER_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The input of a controller. The engine computes e, v_r and a_r for joints of every kind. e is the
 * displacement from q to q_d. v_r and a_r are v_d and vdot_d in the joint axes at q. If e, v_r - v
 * and a_r - vdot are 0, the error stays 0. For a joint with one dof, e = q_d - q, v_r = v_d and
 * a_r = vdot_d. For a spherical, planar or floating joint, q_d = q exp(sum_k S[k] e[k]). */
typedef struct torsor_control_input {
  uint32_t struct_size;
  double time;
  /* Sampling period; 0 for continuous time */
  double period;
  /* [n_q] and [n_v] measured */
  const double *q, *v;
  /* q [n_q] and v [n_v] as measured at the motors. For elastic joints they are those of the motors,
   * on the joints' side of the gear. For rigid joints they are equal to q and v */
  const double *motor_q, *motor_v;
  /* [n_v] limits of the torques. The host or clamped motors enforce them. Infinite if there is no
   * limit */
  const double* max_torque;
  /* The reference of the joints, [n_q] and [n_v]; NULL if there is none */
  const double *q_d, *v_d, *vdot_d, *vddot_d, *vdddot_d;
  /* [n_v] see above; NULL if there is no reference of the joints */
  const double *e, *v_r, *a_r;
  /* The reference of a frame, NULL if there is none: X_WF [12]; V, Vdot [6] as (omega, pdot), as in
   * torsor_dynamics.frame */
  const double *X_d, *V_d, *Vdot_d;
  /* [n_x] continuous states of the controller */
  const double* x;
  /* [n_memory] */
  const double* memory;
  /* [n_v] range of the torques that the motors can exert at their measured rates: within the limits
   * of torque, current and voltage. A torque outside of the range has the effect of its nearest
   * end. 0 without a motor. If the user lets the control give inputs to the amplifiers, the host
   * converts tau. tau must not depend on the range */
  const double *tau_lower, *tau_upper;
  /* [n_sensor] values of the sensors that the user lets the control read, in the order of this list:
   * imu: angular velocity and specific force [6]; joint_wrench: moment and force [6]; touch: 0 or
   * 1; contact_force: force [3]. NULL if there are none */
  uint32_t n_sensor;
  const double* sensor;
} torsor_control_input;

/* The output of a controller. Before the call, the host sets memory to its current value and every
 * other number to zero. */
typedef struct torsor_control_output {
  uint32_t struct_size;
  /* [n_v] torques of the motors at the joints */
  double* tau;
  /* [n_x] rates of its states; the host of a sampled controller adds period xdot to x */
  double* xdot;
  /* [n_memory] at the next sample */
  double* memory;
  /* [sum of counts] signals that can be recorded */
  double* signal;
} torsor_control_output;

/* A signal of `count` numbers, or of one number per dof. */
typedef struct torsor_signal {
  uint32_t struct_size;
  /* Number of values; 0: n_v */
  uint32_t count;
  /* 1, with one number per dof: the acceleration that the joints should have. The host then also
   * offers NAME_residual: this signal minus the actual acceleration */
  int32_t is_acceleration;
  /* A unit "", or one that begins with "/", follows the unit of the torque of each dof */
  const char *name, *unit;
} torsor_signal;

enum { TORSOR_REFERENCE_NONE = 0, TORSOR_REFERENCE_JOINTS = 1, TORSOR_REFERENCE_FRAME = 2 };

/* A control law. */
#define TORSOR_CONTROLLER "torsor.controller/1"
typedef struct torsor_controller {
  uint32_t struct_size;
  /* TORSOR_REFERENCE_..: the kind of reference that it follows */
  int32_t reference;
  /* 1: it needs a motor at every dof; 0: it ignores dof without a motor */
  int32_t all_joints;
  /* 1: q and v are measured at the motors of elastic joints, on the joints' side of the gear; -1:
   * at the joints; 0: the user chooses */
  int32_t of_motors;
  /* Number of derivatives of the reference's position that must be continuous */
  int32_t smoothness;
  /* Number of signals, and their rows. All rows have the same struct_size */
  uint32_t n_signal;
  const torsor_signal* signal;
  /* [hot] Computes torques, rates of states, memory and signals */
  torsor_status (*evaluate)(const torsor_plugin*, const torsor_model*, const torsor_control_input*,
                            double* work, torsor_control_output* out);
} torsor_controller;

#ifdef __cplusplus
}
#endif
#endif
