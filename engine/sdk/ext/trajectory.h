/* ext/trajectory.h: motions over time. */
#ifndef TORSOR_TRAJECTORY_H
#define TORSOR_TRAJECTORY_H

#include "torsor/sdk/torsor_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A motion of the joints or of a frame F over time, from 0 to its duration.
 *
 * A motion of the joints is given in coordinates y [n_v]. If each dof of a joint is the rate of one
 * entry of q, y is these entries. For a spherical, planar or floating joint, y is logarithmic:
 * q = q_0 exp(sum_k S[k] y[k]). Here q_0 is the value of the first parameter of type configuration,
 * or the first row of the first path. The host computes the velocities of the joints and their
 * derivatives from y and its derivatives. Therefore y = r(t) y_1 is the shortest path from y_0 = 0
 * to y_1. */
enum { TORSOR_MOTION_OF_JOINTS = 0, TORSOR_MOTION_OF_FRAME = 1 };
enum { TORSOR_SMOOTH = 1000 };
typedef struct torsor_motion {
  uint32_t struct_size;
  /* TORSOR_MOTION_OF_JOINTS or _OF_FRAME */
  int32_t kind;
  /* In s; may be INFINITY. The motion is at rest before 0 and after its duration */
  double duration;
  /* Number of continuous derivatives from 0 on, including the stop at the end; or TORSOR_SMOOTH */
  int32_t smoothness;
  /* Highest derivative that it provides, at most TORSOR_MAX_ORDER */
  int32_t order;
  /* [n_break] times at which a derivative jumps, ascending, in [0, duration]. The array belongs to
   * the plugin and stays valid while the object exists */
  uint32_t n_break;
  const double* breaks;
} torsor_motion;

#define TORSOR_TRAJECTORY "torsor.trajectory/1"
typedef struct torsor_trajectory {
  uint32_t struct_size;
  /* [setup] Describes the motion; called after prepare. The host sets every member to zero before
   * the call */
  torsor_status (*describe)(const torsor_plugin*, torsor_motion* out);
  /* [hot] Evaluates the motion at t in [0, duration], with derivatives up to an order of at most
   * motion.order. At a break, the piece after it is evaluated. At the duration, the last piece is
   * evaluated.
   * For joints: out [order + 1][n_v] is y and its derivatives.
   * For a frame: out [12 + 6 order] is X_WF, then the angular velocity of F and the velocity of its
   * origin in the axes of the world, and their derivatives by component. */
  torsor_status (*evaluate)(const torsor_plugin*, double t, int32_t order, double* work,
                            double* out);
} torsor_trajectory;

#ifdef __cplusplus
}
#endif
#endif
