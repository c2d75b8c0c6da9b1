/* Frozen: the header of ABI 1.0, as plugins that are still to be loaded were built with it. */
/* torsor_plugin.h: the whole contract between the engine and a plugin. Plain C11; a plugin needs
 * nothing else.
 *
 * Units are SI and radians. Six-vectors are (angular, linear): twist (omega, v), wrench (moment,
 * force). A pose is 12 doubles: the rotation by rows, then the position; X_PB maps coordinates in B
 * to coordinates in P. Matrices are by rows. Arrays belong to the host and live as long as the
 * call.
 *
 * [setup] calls come from one thread and may allocate.
 * [hot] calls come from any thread and must not allocate, lock, log or throw. A hot call depends
 * only on its arguments: same bits in, same bits out. Its work area has undefined contents (a debug
 * host fills it with NaN).
 *
 * Structs start with struct_size and only ever grow at the end within a major version: read a field
 * only where struct_size covers it. A different major version is refused. */
#ifndef TORSOR_PLUGIN_H
#define TORSOR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define TORSOR_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

#define TORSOR_ABI_MAJOR 1u
#define TORSOR_ABI_MINOR 0u

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

/* The kinematic tree. Body 0 is the world; body i > 0 is carried by joint i, and parent[i] < i. A
 * joint moves its body along the constant screws S_B: V_WB = Ad(X_PB)^-1 V_WP + sum_k S_B[k] v[k],
 * k in [v_index[i], v_index[i] + v_count[i]). Columns are in the order of the user's file: a
 * parent's columns need not come before its child's. */
typedef struct torsor_model {
  uint32_t struct_size;
  int32_t n_body, n_q, n_v;
  const int32_t* parent;   /* [n_body]; parent[0] = -1 */
  const int32_t* v_index;  /* [n_body] first column of the body's joint */
  const int32_t* v_count;  /* [n_body] number of its columns; 0 for the world */
  const double* S_B;       /* [n_v][6] joint screws in the body frame, constant */
  const double* inertia_B; /* [n_body][10] m, m c (3), Ixx Iyy Izz Ixy Ixz Iyz about the body
                              origin; the world's is 0 */
  const double* armature;  /* [n_v] rotor inertia seen at the joint, added to the diagonal of M */
  const char* family;      /* "" for a general tree, else a family a special solver may know, as
                              "planar_n_link" */
} torsor_model;

typedef struct torsor_state {
  uint32_t struct_size;
  double time;
  const double* q; /* [n_q] */
  const double* v; /* [n_v] */
  const double*
      X_PB; /* [n_body][12] pose of each body in its parent at q, computed once by the host */
  const double*
      V_W; /* [6] twist of the world frame, in its axes; zero where the world is at rest */
  const double* A_W; /* [6] time derivative of V_W by component, minus gravity: (0, -g) at rest */
  const double* F_B; /* [n_body][6] wrench applied BY the environment ON each body, at its origin in
                        its axes; or NULL */
  /* [n_body] for forward and inverse_mass_matrix, else NULL: a joint-space inertia S^T I S at or
   * below this is zero to rounding, and M singular at that body's joint. */
  const double* min_pivot;
} torsor_state;

/* A parameter a user may set by name. */
enum { TORSOR_REAL = 0, TORSOR_INTEGER = 1, TORSOR_FLAG = 2, TORSOR_CHOICE = 3 };
typedef struct torsor_param {
  uint32_t struct_size;
  int32_t type;
  const char *name, *unit, *help;
  double min, max, initial;   /* of each value; a flag is 0 or 1, a choice its number */
  uint32_t count;             /* values expected; 0: any number; a flag and a choice take 1 */
  const char* const* choices; /* a choice's names, ended by NULL; else NULL */
} torsor_param;

/* What prepare() asks the host to provide for every later call. */
typedef struct torsor_sizes {
  uint32_t struct_size;
  size_t work_doubles; /* scratch of the hot calls: 64-byte aligned, contents undefined */
} torsor_sizes;

typedef struct torsor_host torsor_host;
struct torsor_host {
  uint32_t struct_size;
  void* context;
  void (*report)(const torsor_host*, torsor_status,
                 const char* utf8); /* any thread; why a call failed */
  const void* (*get_service)(const torsor_host*,
                             const char* id); /* [setup] a host service, or NULL */
};

typedef struct torsor_plugin torsor_plugin;
struct torsor_plugin {
  uint32_t struct_size;
  void* self;
  torsor_status (*set_param)(torsor_plugin*, uint32_t index, const double* values,
                             uint32_t count);                                       /* [setup] */
  torsor_status (*prepare)(torsor_plugin*, const torsor_model*, torsor_sizes* out); /* [setup] */
  const void* (*get_interface)(const torsor_plugin*,
                               const char* id); /* [setup] NULL: not offered */
  void (*destroy)(torsor_plugin*);              /* [setup] */
};

/* The dynamics of the tree:  M(q) vdot + C(q, v) v + g(q) = tau + sum J^T F_B.
 * A member that is NULL is not offered: the host derives it from the others and says so. Either
 * inverse or forward must be there. M, M^-1 and C are dense n_v x n_v, both triangles. C is a
 * factorisation for which Mdot - 2C is skew. */
#define TORSOR_SOLVER "torsor.solver/1"
typedef struct torsor_solver {
  uint32_t struct_size;
  /* [hot] tau for given vdot */
  torsor_status (*inverse)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                           const double* vdot, double* work, double* tau);
  /* [hot] vdot for given tau */
  torsor_status (*forward)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                           const double* tau, double* work, double* vdot);
  torsor_status (*mass_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                               double* work, double* M); /* [hot] armature included */
  torsor_status (*inverse_mass_matrix)(const torsor_plugin*, const torsor_model*,
                                       const torsor_state*, double* work, double* Minv); /* [hot] */
  torsor_status (*coriolis_matrix)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                                   double* work, double* C); /* [hot] */
  torsor_status (*gravity)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                           double* work, double* g); /* [hot] */
  torsor_status (*bias)(const torsor_plugin*, const torsor_model*, const torsor_state*,
                        double* work, double* b); /* [hot] C v + g, applied wrenches left out */
} torsor_solver;

/* One plugin of a file. A file may hold several. */
typedef struct torsor_descriptor {
  uint32_t struct_size;
  const char* id;      /* "kind.name", as "solver.newton_euler" */
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

#ifdef __cplusplus
}
#endif
#endif
