/* Plugins of each kind for one hinge about z. The environment variable BREAK_IN names the function
 * that breaks and how ("evaluate nan", "prepare segfault"). Calls that have a time break from
 * 0.05 s on, or BREAK_AFTER seconds after the first of them. Before an endless loop they make the
 * file that BREAK_MARKER names. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <time.h>
#include <unistd.h>

#include "torsor/sdk/ext/constraint_solver.h"
#include "torsor/sdk/ext/controller.h"
#include "torsor/sdk/ext/force.h"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/trajectory.h"

void throw_out(void); /* in throwing_out.cpp */

static int overflow(volatile int depth) {
  volatile char page[4096];
  page[depth % 4096] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + page[0];
}

static void set_marker(void) {
  const char* name = getenv("BREAK_MARKER");
  FILE* file = name ? fopen(name, "w") : NULL;
  if (file) fclose(file);
}

static int has_marker(void) {
  const char* name = getenv("BREAK_MARKER");
  return name && access(name, F_OK) == 0;
}

static void* wait_forever(void* nothing) {
  for (;;) pause();
  return nothing;
}
static void* crash(void* nothing) {
  volatile int* volatile nowhere = nothing;
  *nowhere = 1;
  return NULL;
}
static void* start(void* (*work)(void*)) {
  pthread_t thread;
  void* result = NULL;
  if (pthread_create(&thread, NULL, work, NULL) == 0 && work == crash)
    pthread_join(thread, &result);
  return result;
}

/* Writes past the end of the last block of the heap. malloc() detects this and aborts while it has
 * the lock of the heap. It takes this lock if there are several threads. */
static void overrun(void) {
  enum { size = 60000, blocks = 100 };
  start(wait_forever);
  volatile char* volatile block = NULL;
  for (int k = 0; k < blocks; ++k) block = malloc(size);
  for (int k = 0; k < 64; ++k) block[size + k] = 'x';
  for (int k = 0; k < blocks; ++k) block = malloc(size);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static int is_due(double t) {
  static double first = 0;
  const char* after = getenv("BREAK_AFTER");
  if (!after) return t >= 0.05;
  if (first == 0) first = seconds();
  return seconds() - first >= atof(after);
}

/* Breaks as BREAK_IN requests. Returns NaN for "nan", otherwise 0. */
static double break_in(const char* function, double t) {
  const char* told = getenv("BREAK_IN");
  const size_t n = strlen(function);
  if (!told || !is_due(t) || strncmp(told, function, n) != 0 || told[n] != ' ') return 0;
  told += n + 1;
  volatile int zero = 0;
  if (strcmp(told, "segfault") == 0) *(volatile int*)(size_t)zero = 1;
  if (strcmp(told, "abort") == 0) abort();
  if (strcmp(told, "exit") == 0) exit(0);
  if (strcmp(told, "quick_exit") == 0) quick_exit(0);
  if (strcmp(told, "throw") == 0) throw_out();
  if (strcmp(told, "overrun") == 0) overrun();
  if (strcmp(told, "thread") == 0) start(crash);
  if (strcmp(told, "divide") == 0) zero = 7 / zero;
  if (strcmp(told, "overflow") == 0) zero = overflow(zero);
  /* In every thread; or in every thread except that of main() and only once, so that a program
   * that starts again runs. */
  const int loops = strcmp(told, "loop") == 0 || (strcmp(told, "loop_beside") == 0 &&
                                                  syscall(SYS_gettid) != getpid() && !has_marker());
  if (loops) set_marker();
  while (loops) zero = 1;
  return strcmp(told, "nan") == 0 ? (double)NAN : 0;
}
static const double always = 1;

static torsor_status inverse(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const double* vdot, double* work,
                             double* tau) {
  (void)p, (void)work;
  tau[0] = (model->inertia_B[16] + model->armature[0]) * vdot[0] + break_in("inverse", state->time);
  return TORSOR_OK;
}
static const torsor_solver solver = {.struct_size = sizeof(solver), .inverse = inverse};

static torsor_status push(const torsor_plugin* p, const torsor_model* model,
                          const torsor_state* state, const torsor_kinematics* kinematics,
                          const double* x, double* work, torsor_force_out* out) {
  (void)p, (void)model, (void)kinematics, (void)x, (void)work;
  out->tau[0] = break_in("evaluate", state->time);
  return TORSOR_OK;
}
static const torsor_force force = {.struct_size = sizeof(force), .evaluate = push};

static torsor_status control(const torsor_plugin* p, const torsor_model* model,
                             const torsor_control_input* input, double* work,
                             torsor_control_output* out) {
  (void)p, (void)model, (void)work;
  out->tau[0] = break_in("evaluate", input->time);
  return TORSOR_OK;
}
static const torsor_controller controller = {.struct_size = sizeof(controller),
                                             .evaluate = control};

static torsor_status describe(const torsor_plugin* p, torsor_motion* out) {
  (void)p;
  out->duration = 1 + break_in("describe", always);
  out->smoothness = TORSOR_SMOOTH;
  out->order = 4;
  return TORSOR_OK;
}
static torsor_status stand(const torsor_plugin* p, double t, int32_t order, double* work,
                           double* out) {
  (void)p, (void)work;
  for (int k = 0; k <= order; ++k) out[k] = 0;
  out[0] = break_in("evaluate", t);
  return TORSOR_OK;
}
static const torsor_trajectory trajectory = {sizeof(trajectory), describe, stand};

static torsor_status solve(const torsor_plugin* p, const torsor_constraint_problem* problem,
                           double* work, torsor_constraint_result* out) {
  (void)p, (void)work;
  for (int k = 0; k < problem->n; ++k) out->lambda[k] = break_in("solve", always);
  return TORSOR_OK;
}
static torsor_status work_size(const torsor_plugin* p, const torsor_constraint_size* size,
                               size_t* doubles) {
  (void)p;
  break_in("work_size", always);
  *doubles = (size_t)size->n;
  return TORSOR_OK;
}
static const torsor_constraint_solver constraint_solver = {sizeof(constraint_solver), 0, work_size,
                                                           solve};

static const void* get_interface(const torsor_plugin* p, const char* id) {
  (void)p;
  break_in("get_interface", always);
  if (strcmp(id, TORSOR_FORCE) == 0) return &force;
  if (strcmp(id, TORSOR_CONTROLLER) == 0) return &controller;
  if (strcmp(id, TORSOR_TRAJECTORY) == 0) return &trajectory;
  if (strcmp(id, TORSOR_CONSTRAINT_SOLVER) == 0) return &constraint_solver;
  return strcmp(id, TORSOR_SOLVER) == 0 ? &solver : NULL;
}
static torsor_status set_param(torsor_plugin* p, uint32_t index, const double* values,
                               uint32_t count) {
  (void)p, (void)index, (void)values, (void)count;
  break_in("set_param", always);
  return TORSOR_OK;
}
static torsor_status prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
  (void)p, (void)model, (void)out;
  break_in("prepare", always);
  return TORSOR_OK;
}
static void destroy(torsor_plugin* p) {
  (void)p;
  break_in("destroy", always);
}
static torsor_plugin* create(const torsor_host* host) {
  static torsor_plugin only = {.struct_size = sizeof(only),
                               .set_param = set_param,
                               .prepare = prepare,
                               .get_interface = get_interface,
                               .destroy = destroy};
  (void)host;
  break_in("create", always);
  return &only;
}

static const torsor_param parameter = {
    sizeof(parameter), TORSOR_REAL, "gain", "", "none", 0, 1, 0, 1, NULL};
#define PLUGIN(id) \
  { sizeof(torsor_descriptor), id, "1.0", "breaks when it is told to", "", 1, &parameter, create }
static const torsor_descriptor plugins[] = {
    PLUGIN("solver.breaking"), PLUGIN("force.breaking"), PLUGIN("controller.breaking"),
    PLUGIN("trajectory.breaking"), PLUGIN("constraint_solver.breaking")};
static const torsor_descriptor* const descriptors[] = {&plugins[0], &plugins[1], &plugins[2],
                                                       &plugins[3], &plugins[4]};
static const torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 5, descriptors};

const torsor_entry* torsor_plugin_entry(void) {
  break_in("torsor_plugin_entry", always);
  return &entry;
}
