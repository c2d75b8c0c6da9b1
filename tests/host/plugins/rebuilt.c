/* One plugin of each kind for one hinge about z. A rebuild changes its results (GAIN) or its state
 * (N_X, N_MEMORY):
 *   solver      GAIN I_zz vdot = tau                   force       tau = GAIN (t + x_0), xdot = 1
 *   controller  tau = GAIN m_0, m_0 counts samples     trajectory  y = GAIN sin t
 *   constraint_solver  lambda_i = -GAIN c_i / G_ii */
#include <math.h>
#include <string.h>

#include "torsor/sdk/ext/constraint_solver.h"
#include "torsor/sdk/ext/controller.h"
#include "torsor/sdk/ext/force.h"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/trajectory.h"

#ifndef GAIN
#define GAIN 1.0
#endif
#ifndef N_X
#define N_X 1
#endif
#ifndef N_MEMORY
#define N_MEMORY 1
#endif

static torsor_status inverse(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const double* vdot, double* work,
                             double* tau) {
  (void)p, (void)state, (void)work;
  tau[0] = GAIN * (model->inertia_B[16] + model->armature[0]) * vdot[0];
  if (state->F_B) tau[0] -= state->F_B[6 + 2];
  return TORSOR_OK;
}
static const torsor_solver solver = {.struct_size = sizeof(solver), .inverse = inverse};

static torsor_status push(const torsor_plugin* p, const torsor_model* model,
                          const torsor_state* state, const torsor_kinematics* kinematics,
                          const double* x, double* work, torsor_force_out* out) {
  (void)p, (void)model, (void)kinematics, (void)work;
  out->tau[0] = GAIN * (state->time + x[0]);
  for (int k = 0; k < N_X; ++k) out->xdot[k] = 1;
  return TORSOR_OK;
}
static const torsor_force force = {.struct_size = sizeof(force), .evaluate = push};

static torsor_status control(const torsor_plugin* p, const torsor_model* model,
                             const torsor_control_input* input, double* work,
                             torsor_control_output* out) {
  (void)p, (void)model, (void)work;
  out->tau[0] = GAIN * input->memory[0];
  out->memory[0] = input->memory[0] + 1;
  return TORSOR_OK;
}
static const torsor_controller controller = {.struct_size = sizeof(controller),
                                             .evaluate = control};

static torsor_status describe(const torsor_plugin* p, torsor_motion* out) {
  (void)p;
  out->duration = 1000;
  out->smoothness = TORSOR_SMOOTH;
  out->order = 4;
  return TORSOR_OK;
}
static torsor_status swing(const torsor_plugin* p, double t, int32_t order, double* work,
                           double* out) {
  const double derivatives[] = {sin(t), cos(t), -sin(t), -cos(t)};
  (void)p, (void)work;
  for (int k = 0; k <= order; ++k) out[k] = GAIN * derivatives[k % 4];
  return TORSOR_OK;
}
static const torsor_trajectory trajectory = {sizeof(trajectory), describe, swing};

static torsor_status solve(const torsor_plugin* p, const torsor_constraint_problem* problem,
                           double* work, torsor_constraint_result* out) {
  const int n = problem->n;
  (void)p, (void)work;
  for (int i = 0; i < n; ++i) out->lambda[i] = -GAIN * problem->c[i] / problem->G[i * (n + 1)];
  out->iterations = 1;
  return TORSOR_OK;
}
static const torsor_constraint_solver constraint_solver = {.struct_size = sizeof(constraint_solver),
                                                           .solve = solve};

static const void* get_interface(const torsor_plugin* p, const char* id) {
  const char* kind = p->self;
  const struct {
    const char *kind, *id;
    const void* table;
  } offers[] = {{"solver", TORSOR_SOLVER, &solver},
                {"force", TORSOR_FORCE, &force},
                {"controller", TORSOR_CONTROLLER, &controller},
                {"trajectory", TORSOR_TRAJECTORY, &trajectory},
                {"constraint_solver", TORSOR_CONSTRAINT_SOLVER, &constraint_solver}};
  for (int k = 0; k < 5; ++k)
    if (strcmp(kind, offers[k].kind) == 0)
      return strcmp(id, offers[k].id) == 0 ? offers[k].table : NULL;
  return NULL;
}
static torsor_status prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
  const char* kind = p->self;
  (void)model;
  if (strcmp(kind, "force") == 0) out->n_x = N_X;
  if (strcmp(kind, "controller") == 0) out->n_memory = N_MEMORY;
  return TORSOR_OK;
}
static void destroy(torsor_plugin* p) {
  (void)p;
}

#define PLUGIN(kind)                                                         \
  static torsor_plugin* create_##kind(const torsor_host* host) {             \
    static torsor_plugin only = {.struct_size = sizeof(only),                \
                                 .self = #kind,                              \
                                 .prepare = prepare,                         \
                                 .get_interface = get_interface,             \
                                 .destroy = destroy};                        \
    (void)host;                                                              \
    return &only;                                                            \
  }                                                                          \
  static const torsor_descriptor kind##_plugin = {sizeof(torsor_descriptor), \
                                                  #kind ".rebuilt",          \
                                                  "1.0",                     \
                                                  "may change",              \
                                                  "",                        \
                                                  0,                         \
                                                  NULL,                      \
                                                  create_##kind};
PLUGIN(solver)
PLUGIN(force)
PLUGIN(controller)
PLUGIN(trajectory)
PLUGIN(constraint_solver)

#ifdef STAYS
/* A unique symbol, like statics of a template in a library with default options. */
__asm__(".type stays, @gnu_unique_object");
__attribute__((visibility("default"))) int stays = 1;
#endif

static const torsor_descriptor* const descriptors[] = {&solver_plugin, &force_plugin,
                                                       &controller_plugin, &trajectory_plugin,
                                                       &constraint_solver_plugin};
static const torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 5, descriptors};

__attribute__((visibility("default"))) const torsor_entry* torsor_plugin_entry(void) {
#ifdef STAYS
  /* Uses the symbol, so that the loader looks it up. A file whose unique symbol was looked up is
   * never unloaded. */
  stays = 2;
#endif
  return &entry;
}
