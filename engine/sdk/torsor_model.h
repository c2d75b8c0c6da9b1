/* torsor_model.h: the kinematic tree and its state as plugins see them, and the status of a call.
 * torsor_plugin.h includes this header and states the conventions. */
#ifndef TORSOR_MODEL_H
#define TORSOR_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nonzero if the struct_size of *pointer covers the member. Code that was compiled with a later
 * minor version than the owner of the struct must check this before it reads or writes a member
 * that was added since. */
#define TORSOR_COVERS(pointer, member)                                         \
  ((size_t)((const char*)(&(pointer)->member + 1) - (const char*)(pointer)) <= \
   (pointer)->struct_size)

/* A status: a code in the low byte and, if a body causes the error, the number of this body in the
 * other bytes. */
typedef int32_t torsor_status;
enum {
  TORSOR_OK = 0,
  /* A parameter or argument is out of range */
  TORSOR_BAD_ARGUMENT = 1,
  /* The plugin does not support this model or call; it reports the reason */
  TORSOR_UNSUPPORTED = 2,
  /* The mass matrix is singular at the joint of this body */
  TORSOR_SINGULAR = 3,
  /* Any other error; the plugin reports the reason */
  TORSOR_INTERNAL = 4
};
#define TORSOR_STATUS(code, body) ((torsor_status)((code) | ((body) << 8)))
#define TORSOR_STATUS_CODE(status) ((status)&0xff)
#define TORSOR_STATUS_BODY(status) ((status) >> 8)

/* The kinematic tree. Body 0 is the world. Joint i connects body i > 0 to its parent, where
 * parent[i] < i. The joint moves the body along the constant screws S_B:
 * V_WB = Ad(X_PB)^-1 V_WP + sum_k S_B[k] v[k], for k in [v_index[i], v_index[i] + v_count[i]).
 *
 * A degree of freedom (dof) is one entry of v. The order of dof is that of the user's file. The dof
 * of a parent need not come before those of its children. */
typedef struct torsor_model {
  uint32_t struct_size;
  int32_t n_body, n_q, n_v;
  /* [n_body]; parent[0] = -1 */
  const int32_t* parent;
  /* [n_body] first dof of the body's joint */
  const int32_t* v_index;
  /* [n_body] number of dof of the body's joint; 0 for the world */
  const int32_t* v_count;
  /* [n_v][6] screws of the joints in the body frame; constant */
  const double* S_B;
  /* [n_body][12] pose of each body in its parent at the neutral q */
  const double* X_PB0;
  /* [n_body][10] m, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the body origin; 0 for the world */
  const double* inertia_B;
  /* [n_v] rotor inertia seen at the joint, added to the diagonal of M */
  const double* armature;
  /* "" for a general tree; otherwise a family that special solvers know, for example
   * "planar_n_link" */
  const char* family;
} torsor_model;

/* The state of the tree at one time. */
typedef struct torsor_state {
  uint32_t struct_size;
  double time;
  /* [n_q] positions */
  const double* q;
  /* [n_v] velocities */
  const double* v;
  /* [n_body][12] pose of each body in its parent at q, computed once by the host. NULL for a
   * solver that ignores poses */
  const double* X_PB;
  /* [6] twist of the world frame in its own axes; zero if the world is at rest */
  const double* V_W;
  /* [6] time derivative of V_W by component, minus gravity: (0, -g) at rest */
  const double* A_W;
  /* [n_body][6] wrench BY the environment ON each body, at its origin in its axes; or NULL */
  const double* F_B;
  /* [n_body] for forward, forward_partials and inverse_mass_matrix, otherwise NULL. If the
   * joint-space inertia S^T I S is not above this value, it is zero up to rounding error, and M is
   * singular at the joint of this body. */
  const double* min_pivot;
} torsor_state;

/* A frame F that is fixed to a body B; body 0 is the world. This struct does not grow. */
typedef struct torsor_frame {
  int32_t body;
  double X_BF[12];
} torsor_frame;

/* The highest time derivative that the host uses. Derivative 4 of a position is snap. */
enum { TORSOR_MAX_ORDER = 4 };

#ifdef __cplusplus
}
#endif
#endif
