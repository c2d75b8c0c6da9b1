/* torsor_param.h: the parameters of a plugin. torsor_plugin.h includes this header. */
#ifndef TORSOR_PARAM_H
#define TORSOR_PARAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a parameter. The host passes frames to set_frames and all others to set_param.
 *
 * A configuration, path or table and one or several poses have no initial value. The count is 1 if
 * the user must give the parameter, otherwise 0. */
enum {
  /* Real numbers */
  TORSOR_REAL = 0,
  /* Integers */
  TORSOR_INTEGER = 1,
  /* True or false */
  TORSOR_FLAG = 2,
  /* One of several names */
  TORSOR_CHOICE = 3,
  /* Frames of the model */
  TORSOR_FRAME = 4,
  /* A position of the joints, as coordinates y [n_v] (see torsor_trajectory) */
  TORSOR_CONFIGURATION = 5,
  /* Rows of a time and a position: t and y, 1 + n_v numbers each */
  TORSOR_PATH = 6,
  /* The length of the rows, then the rows; each number is in the row's range */
  TORSOR_TABLE = 7,
  /* [12] pose of a frame in the world */
  TORSOR_POSE = 8,
  /* [rows][12] poses of a frame in the world, any number of them */
  TORSOR_POSES = 9
};

/* A parameter that a user sets by name. */
typedef struct torsor_param {
  uint32_t struct_size;
  int32_t type;
  const char *name, *unit, *help;
  /* Range and default of each value. For a flag they are 0 or 1, for a choice indices of its names,
   * for a frame 0 */
  double min, max, initial;
  /* Number of values; 0 allows any number. It is 1 for a flag or a choice. Frames have no default:
   * if it is not 0, the user must name this number of frames */
  uint32_t count;
  /* The names of a choice, terminated by NULL; otherwise NULL */
  const char* const* choices;
} torsor_param;

#ifdef __cplusplus
}
#endif
#endif
