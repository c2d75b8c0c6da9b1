/* A trajectory in plain C that uses the headers of the ABI only. Every coordinate moves from the
 * first to the second position at constant speed in one second. The malformed trajectories of these
 * tests are this file with a statement that breaks one thing: BREAK in the entry, BREAK_OBJECT in
 * create. */
#include <stdlib.h>
#include <string.h>

#include "torsor/sdk/ext/trajectory.h"

#ifndef BREAK
#define BREAK (void)0
#endif
#ifndef BREAK_OBJECT
#define BREAK_OBJECT (void)0
#endif

enum { most = 16 };

typedef struct {
  torsor_plugin table;
  const torsor_host* host;
  double y[2][most];
  uint32_t n;
} motion;

static const double breaks[] = {0, 1};

static torsor_status describe(const torsor_plugin* p, torsor_motion* out) {
  (void)p;
  out->kind = TORSOR_MOTION_OF_JOINTS;
  out->duration = 1;
  out->smoothness = 0;
  out->order = 4;
  out->n_break = 2;
  out->breaks = breaks;
  return TORSOR_OK;
}

static torsor_status evaluate(const torsor_plugin* p, double t, int32_t order, double* work,
                              double* out) {
  const motion* self = p->self;
  (void)work;
  for (uint32_t j = 0; j < self->n; ++j) {
    out[j] = self->y[0][j] + t * (self->y[1][j] - self->y[0][j]);
    for (int32_t k = 1; k <= order; ++k)
      out[(uint32_t)k * self->n + j] = k == 1 ? self->y[1][j] - self->y[0][j] : 0;
  }
  return TORSOR_OK;
}

static torsor_trajectory trajectory = {sizeof(torsor_trajectory), describe, evaluate};
static const void* offered = &trajectory;

static const void* get_interface(const torsor_plugin* p, const char* id) {
  (void)p;
  return strcmp(id, TORSOR_TRAJECTORY) == 0 ? offered : NULL;
}

static torsor_status set_param(torsor_plugin* p, uint32_t index, const double* values,
                               uint32_t count) {
  motion* self = p->self;
  if (count > most) return TORSOR_UNSUPPORTED;
  self->n = count;
  memcpy(self->y[index], values, count * sizeof(double));
  return TORSOR_OK;
}

static torsor_status prepare(torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
  (void)out;
  return ((motion*)p->self)->n == (uint32_t)model->n_v ? TORSOR_OK : TORSOR_INTERNAL;
}

static void destroy(torsor_plugin* p) {
  free(p->self);
}

static torsor_plugin* create(const torsor_host* host) {
  motion* made = calloc(1, sizeof(motion));
  if (!made) return NULL;
  made->table = (torsor_plugin){.struct_size = sizeof(torsor_plugin),
                                .self = made,
                                .set_param = set_param,
                                .prepare = prepare,
                                .get_interface = get_interface,
                                .destroy = destroy};
  made->host = host;
  BREAK_OBJECT;
  return &made->table;
}

static torsor_param rows[] = {
    {sizeof(torsor_param), TORSOR_CONFIGURATION, "from", "", "where it begins", 0, 0, 0, 1, NULL},
    {sizeof(torsor_param), TORSOR_CONFIGURATION, "to", "", "where it ends", 0, 0, 0, 1, NULL},
};
static torsor_descriptor descriptor = {
    sizeof(descriptor), "trajectory.motion", "1.0", "at constant speed", "", 2, rows, create};
static const torsor_descriptor* descriptors[] = {&descriptor};
static torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 1, descriptors};

const torsor_entry* torsor_plugin_entry(void) {
  BREAK;
  return &entry;
}
