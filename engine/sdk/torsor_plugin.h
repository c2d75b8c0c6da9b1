/* torsor_plugin.h: the interface between the engine and a plugin, in plain C11. A plugin includes
 * this header and the headers of its interfaces in ext/.
 *
 * Units are SI and radians. Six-vectors are (angular, linear): a twist is (omega, v), a wrench is
 * (moment, force). A pose is 12 doubles: the rotation by rows, then the position. X_PB maps
 * coordinates in B to coordinates in P. Matrices are stored by rows. Arrays belong to the host and
 * are valid during the call.
 *
 * [setup] calls come from one thread and may allocate memory.
 *
 * [hot] calls come from any thread. They must not allocate, lock, log or throw. A hot call depends
 * only on its arguments: equal inputs give results that are equal bit for bit. The contents of its
 * work area are undefined. A debug host fills it with NaN.
 *
 * [any] functions may be called at any time from any thread.
 *
 * Structs begin with struct_size, their size as their owner was compiled. Within a major version
 * they grow only at the end. The other side may be older: read or write a member only if
 * TORSOR_COVERS says that struct_size covers it. The members of version 1.0 are always covered. The
 * host rejects a plugin of another major version. */
#ifndef TORSOR_PLUGIN_H
#define TORSOR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "torsor/sdk/torsor_model.h"
#include "torsor/sdk/torsor_param.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORSOR_ABI_MAJOR 1u
#define TORSOR_ABI_MINOR 0u

#define TORSOR_EXPORT __attribute__((visibility("default")))

/* The sizes that prepare() requests from the host for all later calls. The host sets all of them to
 * zero before the call. */
typedef struct torsor_sizes {
  uint32_t struct_size;
  /* Work area of the hot calls: aligned to 64 bytes, contents undefined */
  size_t work_doubles;
  /* Continuous states of a force or controller, zero at the start */
  size_t n_x;
  /* Numbers that a controller keeps between samples, zero at the start */
  size_t n_memory;
} torsor_sizes;

/* The functions that the host provides to a plugin. */
typedef struct torsor_host torsor_host;
struct torsor_host {
  uint32_t struct_size;
  void* context;
  /* [any] Reports why a call failed */
  void (*report)(const torsor_host*, torsor_status, const char* utf8);
  /* [setup] Returns the host service with this id, or NULL */
  const void* (*get_service)(const torsor_host*, const char* id);
};

/* An object of a plugin. */
typedef struct torsor_plugin torsor_plugin;
struct torsor_plugin {
  uint32_t struct_size;
  void* self;
  /* [setup] Sets the parameter with this index, before prepare. NULL if there is none */
  torsor_status (*set_param)(torsor_plugin*, uint32_t index, const double* values, uint32_t count);
  /* [setup] Sets a parameter of type TORSOR_FRAME, before prepare. NULL if there is none */
  torsor_status (*set_frames)(torsor_plugin*, uint32_t index, const torsor_frame* frames,
                              uint32_t count);
  /* [setup] Prepares for a model and requests sizes */
  torsor_status (*prepare)(torsor_plugin*, const torsor_model*, torsor_sizes* out);
  /* [setup] Returns the interface with this id, or NULL if it is not offered */
  const void* (*get_interface)(const torsor_plugin*, const char* id);
  /* [setup] Destroys the object */
  void (*destroy)(torsor_plugin*);
};

/* One plugin of a file. A file may contain several. */
typedef struct torsor_descriptor {
  uint32_t struct_size;
  /* "kind.name", for example "solver.newton_euler". The kind is the main interface of the plugin: a
   * plugin of the kind solver offers "torsor.solver/1" */
  const char* id;
  /* Version of the plugin, for example "1.0" */
  const char* version;
  /* One line */
  const char* summary;
  /* The model family that it supports; "" for any tree */
  const char* family;
  /* Number of parameters, and their rows. All rows have the same struct_size */
  uint32_t n_param;
  const torsor_param* param;
  /* [setup] Creates an object. After an error, reports it and returns NULL */
  torsor_plugin* (*create)(const torsor_host*);
} torsor_descriptor;

/* All plugins of a file. This struct does not grow. */
typedef struct torsor_entry {
  uint32_t abi_major, abi_minor;
  uint32_t n_descriptor;
  const torsor_descriptor* const* descriptor;
} torsor_entry;

/* [setup] The only symbol that a plugin exports. */
TORSOR_EXPORT const torsor_entry* torsor_plugin_entry(void);

/* Information about a file for a host that has not loaded it: an ELF note with the owner "Torsor"
 * and this type. It contains the ABI version and the plugins, each as "id version", separated by
 * newlines. Write TORSOR_NOTE("solver.pendulum 1.0") once in a file. */
enum { TORSOR_NOTE_TYPE = 1 };
#define TORSOR_NOTE_SECTION __attribute__((section(".note.torsor"), used, aligned(4)))
#define TORSOR_NOTE(plugins)                                                            \
  static const struct {                                                                 \
    uint32_t owner_size, size, type;                                                    \
    char owner[8];                                                                      \
    uint32_t abi_major, abi_minor;                                                      \
    char list[sizeof(plugins)];                                                         \
  } torsor_note TORSOR_NOTE_SECTION = {7,        8 + sizeof(plugins), TORSOR_NOTE_TYPE, \
                                       "Torsor", TORSOR_ABI_MAJOR,    TORSOR_ABI_MINOR, \
                                       plugins}

#ifdef __cplusplus
}
#endif
#endif
