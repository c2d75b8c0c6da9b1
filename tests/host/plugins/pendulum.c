/* A solver for one body on one hinge about z, in plain C that uses the headers of the ABI only:
 *   tau = (I_zz + armature) vdot + (h x a)_z - F_z + gain
 * with h = m c and a, the acceleration of the hinge minus gravity. The malformed plugins of these
 * tests are this file with a statement that breaks one thing: BREAK in the entry, BREAK_OBJECT in
 * create. */
#include <stdlib.h>
#include <string.h>

#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_batch.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"
#include "torsor/sdk/ext/solver_trace.h"

#ifndef BREAK
#define BREAK (void)0
#endif
#ifndef BREAK_OBJECT
#define BREAK_OBJECT (void)0
#endif
#ifndef LATER_MEMBERS /* members that a later minor version has at the end of a struct */
#define LATER_MEMBERS 1
#endif

typedef struct {
  torsor_plugin table;
  const torsor_host* host;
  double gain, ignored;
} pendulum;

static torsor_status refuse(const pendulum* self, torsor_status status, const char* reason) {
  self->host->report(self->host, status, reason);
  return status;
}

static torsor_status inverse(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const double* vdot, double* work,
                             double* tau) {
  const pendulum* self = p->self;
  const double *R = state->X_PB + 12, *a = state->A_W + 3, *inertia = model->inertia_B + 10;
  const double a_x = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
  const double a_y = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
  (void)work;
  if (vdot[0] != vdot[0]) return refuse(self, TORSOR_BAD_ARGUMENT, "vdot is not\na number");
  if (vdot[0] - vdot[0] != 0)
    return refuse(self, TORSOR_BAD_ARGUMENT, "vdot is beyond the range of numbers");
  tau[0] = (inertia[6] + model->armature[0]) * vdot[0] + inertia[1] * a_y - inertia[2] * a_x;
  if (state->F_B) tau[0] -= state->F_B[6 + 2];
  if (self->ignored == 0) tau[0] += self->gain;
  return TORSOR_OK;
}

static torsor_status mass_matrix(const torsor_plugin* p, const torsor_model* model,
                                 const torsor_state* state, double* work, double* M) {
  (void)p, (void)state, (void)work;
  M[0] = model->inertia_B[16] + model->armature[0];
  return TORSOR_OK;
}

static struct {
  torsor_solver known;
  void* later[LATER_MEMBERS];
} solver = {{.struct_size = sizeof(solver), .inverse = inverse, .mass_matrix = mass_matrix},
            {NULL}};
static const void* offered = &solver;

static torsor_solver_partials partials = {.struct_size = sizeof(partials)};
static int offers_partials = 0;
static torsor_status no_rates(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                              const torsor_motion_rates* motion, double* work, double* tau) {
  (void)p, (void)m, (void)s, (void)motion, (void)work, (void)tau;
  return TORSOR_UNSUPPORTED;
}
static torsor_solver_rates rates = {
    .struct_size = sizeof(rates), .rates = no_rates, .max_order = 2};
static int offers_rates = 0;
static torsor_solver_batch batch = {
    .struct_size = sizeof(batch), .lanes = 2, .solver = &solver.known};
static int offers_batch = 0;
static torsor_solver_trace trace = {.struct_size = sizeof(trace)};
static int offers_trace = 0;

static const void* get_interface(const torsor_plugin* p, const char* id) {
  (void)p;
  if (offers_partials && strcmp(id, TORSOR_SOLVER_PARTIALS) == 0) return &partials;
  if (offers_rates && strcmp(id, TORSOR_SOLVER_RATES) == 0) return &rates;
  if (offers_batch && strcmp(id, TORSOR_SOLVER_BATCH) == 0) return &batch;
  if (offers_trace && strcmp(id, TORSOR_SOLVER_TRACE) == 0) return &trace;
  return strcmp(id, TORSOR_SOLVER) == 0 ? offered : NULL;
}

static torsor_status set_param(torsor_plugin* p, uint32_t index, const double* values,
                               uint32_t count) {
  pendulum* self = p->self;
  if (index == 0) self->gain = values[0];
  if (index == 1) self->ignored = values[0];
  if (index == 5 && count > 2) return refuse(self, TORSOR_BAD_ARGUMENT, "at most two way-points");
  return TORSOR_OK;
}

static size_t work_doubles = 0;

static torsor_status prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
  const pendulum* self = p->self;
  if (model->n_v != 1 || model->n_body != 2 || model->S_B[2] != 1 || model->S_B[5] != 0)
    return refuse(self, TORSOR_UNSUPPORTED, "it is made for one body on one hinge");
  if (self->host->get_service(self->host, "torsor.host.nothing/1"))
    return refuse(self, TORSOR_INTERNAL, "the host lends a service that does not exist");
  out->work_doubles = work_doubles;
#ifdef LATER
  if (TORSOR_COVERS(out, later_member)) out->later_member = p;
#endif
  return TORSOR_OK;
}

static void destroy(torsor_plugin* p) {
  free(p->self);
}

static torsor_plugin stub; /* an empty object for BREAK_OBJECT */

static torsor_plugin* create(const torsor_host* host) {
  pendulum* made = calloc(1, sizeof(pendulum));
  if (!made) return NULL;
  made->table = (torsor_plugin){.struct_size = sizeof(torsor_plugin),
                                .self = made,
                                .set_param = set_param,
                                .prepare = prepare,
                                .get_interface = get_interface,
                                .destroy = destroy};
  made->host = host;
  made->gain = 99; /* until the host sets the initial value of the row */
  torsor_plugin* result = &made->table;
  (void)stub;
  BREAK_OBJECT;
  return result;
}

static const char* mode_names[] = {"added", "ignored", NULL};

typedef struct {
  torsor_param known;
  void* later[LATER_MEMBERS];
} row;
#define ROW(...)                  \
  {                               \
    {sizeof(row), __VA_ARGS__}, { \
      NULL                        \
    }                             \
  }
static row rows[] = {
    ROW(TORSOR_REAL, "gain", "N m", "added to every tau", -10, 10, 0, 1, NULL),
    ROW(TORSOR_CHOICE, "mode", "", "what becomes of the gain", 0, 1, 0, 1, mode_names),
    ROW(TORSOR_REAL, "weights", "1", "three of them", 0, 1, 0.5, 3, NULL),
    ROW(TORSOR_INTEGER, "steps", "", "how many", 1, 100, 10, 1, NULL),
    ROW(TORSOR_FLAG, "exact", "", "whether to be", 0, 1, 1, 1, NULL),
    ROW(TORSOR_REAL, "way_points", "rad", "any number of them", -4, 4, 0, 0, NULL),
};

static struct {
  torsor_descriptor known;
  void* later[LATER_MEMBERS];
} descriptor = {{sizeof(descriptor), "solver.pendulum", "1.0", "closed form of one hinge", "",
                 sizeof(rows) / sizeof(rows[0]), &rows[0].known, create},
                {NULL}};
static const torsor_descriptor* descriptors[] = {&descriptor.known, &descriptor.known};
static torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 1, descriptors};

#ifdef NOTE
TORSOR_NOTE(NOTE);
#endif

const torsor_entry* torsor_plugin_entry(void) {
  const torsor_entry* result = &entry;
  BREAK;
  return result;
}
