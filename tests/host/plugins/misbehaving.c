/* Plugins of each kind that only do what the environment variable MISBEHAVE names in their hot
 * calls. They write next to lent memory ("tau beyond", "work before", ...), or change the state of
 * the process ("rounding", "sigint", ...). Calls that have a time do so from 0.05 s on. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "torsor/sdk/ext/constraint_solver.h"
#include "torsor/sdk/ext/controller.h"
#include "torsor/sdk/ext/force.h"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_trace.h"
#include "torsor/sdk/ext/trajectory.h"

enum { n_work = 3 };

static int told(const char* what, double t) {
  const char* mode = getenv("MISBEHAVE");
  return mode && t >= 0.05 && strcmp(mode, what) == 0;
}
static const double always = 1;

/* Writes next to an array of n doubles. */
static void overrun(const char* beyond, const char* before, double* array, int n, double t) {
  if (told(beyond, t)) array[n] = 1;
  if (told(before, t)) array[-1] = 1;
}

static void change_host(double t) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  if (told("rounding", t)) fesetround(FE_UPWARD);
  if (told("traps", t)) feenableexcept(FE_INVALID);
  if (told("sigint", t)) signal(SIGINT, SIG_IGN);
  if (told("mask", t)) sigprocmask(SIG_BLOCK, &set, NULL);
  if (told("locale", t)) setlocale(LC_ALL, "C.UTF-8");
  if (told("folder", t) && chdir("/") != 0) abort();
}

static torsor_status inverse(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const double* vdot, double* work,
                             double* tau) {
  (void)p;
  for (int k = 0; k < model->n_v; ++k) tau[k] = vdot[k];
  overrun("tau beyond", "tau before", tau, model->n_v, state->time);
  overrun("work beyond", "work before", work, n_work, state->time);
  change_host(state->time);
  return TORSOR_OK;
}
static torsor_status mass_matrix(const torsor_plugin* p, const torsor_model* model,
                                 const torsor_state* state, double* work, double* M) {
  (void)p, (void)work;
  const int n = model->n_v;
  for (int k = 0; k < n * n; ++k) M[k] = k % (n + 1) == 0;
  overrun("M beyond", "M before", M, n * n, state->time);
  return TORSOR_OK;
}
static const torsor_solver solver = {
    .struct_size = sizeof(solver), .inverse = inverse, .mass_matrix = mass_matrix};

static torsor_status trace(const torsor_plugin* p, const torsor_model* model,
                           const torsor_state* state, const double* given, double* work,
                           double* out) {
  (void)p, (void)given, (void)work;
  overrun("out beyond", "out before", out, model->n_v, state->time);
  return TORSOR_OK;
}
static const char* const no_inputs[] = {NULL};
static const torsor_trace_quantity force_at_joint = {
    TORSOR_TRACE_JOINT_FORCE, 0, "tau", "force", "tau_i = 0", "\\tau_i = 0", "", no_inputs};
static const torsor_trace_pass pass = {"inward", 1, 1, &force_at_joint};
static const torsor_solver_trace solver_trace = {sizeof(solver_trace), 0, 1, &pass, trace};

static torsor_status push(const torsor_plugin* p, const torsor_model* model,
                          const torsor_state* state, const torsor_kinematics* kinematics,
                          const double* x, double* work, torsor_force_out* out) {
  (void)p, (void)kinematics, (void)x;
  overrun("F_B beyond", "F_B before", out->F_B, 6 * model->n_body, state->time);
  overrun("tau beyond", "tau before", out->tau, model->n_v, state->time);
  overrun("xdot beyond", "xdot before", out->xdot, 0, state->time);
  overrun("work beyond", "work before", work, n_work, state->time);
  change_host(state->time);
  return TORSOR_OK;
}
static const torsor_force force = {.struct_size = sizeof(force), .evaluate = push};

static torsor_status control(const torsor_plugin* p, const torsor_model* model,
                             const torsor_control_input* input, double* work,
                             torsor_control_output* out) {
  (void)p;
  overrun("tau beyond", "tau before", out->tau, model->n_v, input->time);
  overrun("memory beyond", "memory before", out->memory, 1, input->time);
  overrun("signal beyond", "signal before", out->signal, 0, input->time);
  overrun("work beyond", "work before", work, n_work, input->time);
  change_host(input->time);
  return TORSOR_OK;
}
static const torsor_controller controller = {.struct_size = sizeof(controller),
                                             .evaluate = control};

static torsor_status describe(const torsor_plugin* p, torsor_motion* out) {
  (void)p;
  if (told("describe", always)) fesetround(FE_DOWNWARD);
  out->duration = 1;
  out->smoothness = TORSOR_SMOOTH;
  out->order = 4;
  return TORSOR_OK;
}
static torsor_status stand(const torsor_plugin* p, double t, int32_t order, double* work,
                           double* out) {
  (void)p;
  for (int k = 0; k <= order; ++k) out[k] = 0;
  overrun("out beyond", "out before", out, order + 1, t);
  overrun("work beyond", "work before", work, n_work, t);
  change_host(t);
  return TORSOR_OK;
}
static const torsor_trajectory trajectory = {sizeof(trajectory), describe, stand};

static torsor_status solve(const torsor_plugin* p, const torsor_constraint_problem* problem,
                           double* work, torsor_constraint_result* out) {
  (void)p;
  overrun("lambda beyond", "lambda before", out->lambda, problem->n, always);
  overrun("work beyond", "work before", work, n_work, always);
  change_host(always);
  return TORSOR_OK;
}
static torsor_status work_size(const torsor_plugin* p, const torsor_constraint_size* size,
                               size_t* doubles) {
  (void)p, (void)size;
  *doubles = n_work;
  return TORSOR_OK;
}
static const torsor_constraint_solver constraint_solver = {sizeof(constraint_solver), 0, work_size,
                                                           solve};

static const void* get_interface(const torsor_plugin* p, const char* id) {
  (void)p;
  if (strcmp(id, TORSOR_FORCE) == 0) return &force;
  if (strcmp(id, TORSOR_CONTROLLER) == 0) return &controller;
  if (strcmp(id, TORSOR_TRAJECTORY) == 0) return &trajectory;
  if (strcmp(id, TORSOR_CONSTRAINT_SOLVER) == 0) return &constraint_solver;
  if (strcmp(id, TORSOR_SOLVER_TRACE) == 0) return &solver_trace;
  return strcmp(id, TORSOR_SOLVER) == 0 ? &solver : NULL;
}
static torsor_status prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
  (void)p, (void)model;
  out->work_doubles = n_work;
  out->n_memory = 1;
  if (told("prepare", always)) signal(SIGTERM, SIG_IGN);
  return TORSOR_OK;
}
static void destroy(torsor_plugin* p) {
  (void)p;
}
static torsor_plugin* create(const torsor_host* host) {
  static torsor_plugin only = {.struct_size = sizeof(only),
                               .prepare = prepare,
                               .get_interface = get_interface,
                               .destroy = destroy};
  (void)host;
  if (told("create", always)) fesetround(FE_TOWARDZERO);
  return &only;
}

#define PLUGIN(id) \
  { sizeof(torsor_descriptor), id, "1.0", "misbehaves when it is told to", "", 0, NULL, create }
static const torsor_descriptor plugins[] = {
    PLUGIN("solver.misbehaving"), PLUGIN("force.misbehaving"), PLUGIN("controller.misbehaving"),
    PLUGIN("trajectory.misbehaving"), PLUGIN("constraint_solver.misbehaving")};
static const torsor_descriptor* const descriptors[] = {&plugins[0], &plugins[1], &plugins[2],
                                                       &plugins[3], &plugins[4]};
static const torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 5, descriptors};

const torsor_entry* torsor_plugin_entry(void) {
  return &entry;
}
