/* solver.@NAME@: recursive Newton-Euler for any tree of bodies, in plain C11. It solves
 *   M(q) vdot + C(q, v) v + g(q) = tau + sum_B J_B^T Fe_B
 * for tau. Fe_B is the wrench BY the environment ON body B.
 *
 * The outward pass goes from the parent P to the body B. V and A are the twist and the acceleration
 * of a body in its own axes. S are the screws of its joint. For the world at rest, V is 0 and A is
 * minus gravity. In this pass, F_B is the wrench BY all joints ON body B.
 *   V_B = Ad(X_PB)^-1 V_P + S v
 *   A_B = Ad(X_PB)^-1 A_P + ad(V_B) S v + S vdot
 *   F_B = I_B A_B - ad(V_B)^T I_B V_B - Fe_B
 *
 * The inward pass goes from the body B to the parent P:
 *   tau = S . F_B + armature vdot,   F_P += Ad(X_PB)^-T F_B
 *
 * The host derives forward dynamics, M, C and g from inverse dynamics. You can also implement them
 * yourself: set the other members of torsor_solver (torsor/sdk/ext/solver.h). Six-vectors are
 * angular first. A pose is the rotation by rows, then the position. */
#include <stdlib.h>
#include <string.h>

#include "torsor/sdk/ext/solver.h"

typedef struct {
  double V[6], A[6], F[6];
} body_motion;

/* Adds factor (a x b) to out. */
static void add_cross(double factor, const double* a, const double* b, double* out) {
  out[0] += factor * (a[1] * b[2] - a[2] * b[1]);
  out[1] += factor * (a[2] * b[0] - a[0] * b[2]);
  out[2] += factor * (a[0] * b[1] - a[1] * b[0]);
}

/* Computes out = R a. */
static void rotate(const double* R, const double* a, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}
/* Computes out = R^T a. */
static void rotate_back(const double* R, const double* a, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

/* Computes V_B = Ad(X_PB)^-1 V_P: the same twist in the axes of B, about its origin. */
static void twist_in_body(const double* X_PB, const double* V_P, double* V_B) {
  double v[3] = {V_P[3], V_P[4], V_P[5]};
  add_cross(1, V_P, X_PB + 9, v);
  rotate_back(X_PB, V_P, V_B);
  rotate_back(X_PB, v, V_B + 3);
}

/* Adds Ad(X_PB)^-T F_B to F_P: the same wrench in the axes of P, about its origin. */
static void add_wrench_in_parent(const double* X_PB, const double* F_B, double* F_P) {
  double F[6];
  rotate(X_PB, F_B, F);
  rotate(X_PB, F_B + 3, F + 3);
  add_cross(1, X_PB + 9, F + 3, F);
  for (int i = 0; i < 6; ++i) F_P[i] += F[i];
}

/* Adds ad(V) S = (w x S_w, v x S_w + w x S_v) to out. */
static void add_bracket(const double* V, const double* S, double* out) {
  add_cross(1, V, S, out);
  add_cross(1, V + 3, S, out + 3);
  add_cross(1, V, S + 3, out + 3);
}

/* Computes out = I V with I from torsor_model.inertia_B: m, m c, Ixx Iyy Izz Ixy Ixz Iyz. */
static void momentum(const double* I, const double* V, double* out) {
  const double m = I[0], *h = I + 1;
  out[0] = I[4] * V[0] + I[7] * V[1] + I[8] * V[2];
  out[1] = I[7] * V[0] + I[5] * V[1] + I[9] * V[2];
  out[2] = I[8] * V[0] + I[9] * V[1] + I[6] * V[2];
  for (int i = 0; i < 3; ++i) out[3 + i] = m * V[3 + i];
  add_cross(1, h, V + 3, out);
  add_cross(-1, h, V, out + 3);
}

/* Computes S x for the joint of a body; x is [n_v]. */
static void joint_twist(const torsor_model* model, int body, const double* x, double* out) {
  memset(out, 0, 6 * sizeof(double));
  for (int k = model->v_index[body]; k < model->v_index[body] + model->v_count[body]; ++k)
    for (int i = 0; i < 6; ++i) out[i] += model->S_B[6 * k + i] * x[k];
}

/* Computes twist, acceleration and wrench of a body from those of its parent. */
static void move(const torsor_model* model, const torsor_state* state, const double* vdot, int body,
                 const body_motion* parent, body_motion* out) {
  const double *X_PB = state->X_PB + 12 * body, *I = model->inertia_B + 10 * body;
  double Sv[6], Svdot[6], L[6];
  joint_twist(model, body, state->v, Sv);
  joint_twist(model, body, vdot, Svdot);
  twist_in_body(X_PB, parent->V, out->V);
  twist_in_body(X_PB, parent->A, out->A);
  for (int i = 0; i < 6; ++i) out->V[i] += Sv[i], out->A[i] += Svdot[i];
  add_bracket(out->V, Sv, out->A);
  momentum(I, out->A, out->F);
  momentum(I, out->V, L);
  add_cross(1, out->V, L, out->F); /* F - ad(V)^T L = F + (w x L_w + v x L_v, w x L_v) */
  add_cross(1, out->V + 3, L + 3, out->F);
  add_cross(1, out->V, L + 3, out->F + 3);
  if (state->F_B)
    for (int i = 0; i < 6; ++i) out->F[i] -= state->F_B[6 * body + i];
}

/* [hot] Computes tau [n_v] for vdot [n_v]. May be called from any thread. Must not allocate, lock
 * or store anything. */
static torsor_status inverse(const torsor_plugin* plugin, const torsor_model* model,
                             const torsor_state* state, const double* vdot, double* work,
                             double* tau) {
  body_motion* body = (body_motion*)work;
  (void)plugin;
  memset(body, 0, sizeof *body);
  memcpy(body[0].V, state->V_W, sizeof body[0].V);
  memcpy(body[0].A, state->A_W, sizeof body[0].A);
  for (int i = 1; i < model->n_body; ++i)
    move(model, state, vdot, i, &body[model->parent[i]], &body[i]);
  for (int i = model->n_body - 1; i > 0; --i) {
    for (int k = model->v_index[i]; k < model->v_index[i] + model->v_count[i]; ++k) {
      tau[k] = model->armature[k] * vdot[k];
      for (int j = 0; j < 6; ++j) tau[k] += model->S_B[6 * k + j] * body[i].F[j];
    }
    add_wrench_in_parent(state->X_PB + 12 * i, body[i].F, body[model->parent[i]].F);
  }
  return TORSOR_OK;
}

/* The code below is the same for every solver in C: the tables through which the host finds the
 * solver and calls it. */

static const torsor_solver solver = {.struct_size = sizeof(torsor_solver), .inverse = inverse};

static const void* get_interface(const torsor_plugin* plugin, const char* id) {
  (void)plugin;
  return strcmp(id, TORSOR_SOLVER) == 0 ? &solver : NULL;
}

static torsor_status set_param(torsor_plugin* plugin, uint32_t index, const double* values,
                               uint32_t count) {
  (void)plugin, (void)index, (void)values, (void)count;
  return TORSOR_BAD_ARGUMENT; /* the solver has no parameters */
}

/* [setup] Requests the work area of the hot calls. Called once per model. Reports the reason and
 * returns TORSOR_UNSUPPORTED if the solver does not support the model. */
static torsor_status prepare(torsor_plugin* plugin, const torsor_model* model, torsor_sizes* out) {
  (void)plugin;
  out->work_doubles = (size_t)model->n_body * sizeof(body_motion) / sizeof(double);
  return TORSOR_OK;
}

static void destroy(torsor_plugin* plugin) {
  free(plugin);
}

static torsor_plugin* create(const torsor_host* host) {
  torsor_plugin* made = calloc(1, sizeof *made);
  if (!made) {
    host->report(host, TORSOR_INTERNAL, "out of memory");
    return NULL;
  }
  made->struct_size = sizeof *made;
  made->set_param = set_param;
  made->prepare = prepare;
  made->get_interface = get_interface;
  made->destroy = destroy;
  return made;
}

static const torsor_descriptor descriptor = {
    .struct_size = sizeof(torsor_descriptor),
    .id = "solver.@NAME@",
    .version = "0.1",
    .summary = "recursive Newton-Euler in C",
    .family = "",
    .create = create,
};
static const torsor_descriptor* const descriptors[] = {&descriptor};
static const torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 1, descriptors};

TORSOR_NOTE("solver.@NAME@ 0.1"); /* read by a host before it loads the file */

const torsor_entry* torsor_plugin_entry(void) {
  return &entry;
}
