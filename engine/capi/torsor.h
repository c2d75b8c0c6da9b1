/* torsor.h: the engine for other programs, in plain C11. Link libtorsor.so.
 *
 * Units are SI and radians. Six-vectors are angular first: a twist is (omega, v), a wrench is
 * (moment, force) BY the environment ON the body. Quaternions are (w, x, y, z). Matrices are stored
 * by rows. Strings are UTF-8.
 *
 * Handles. A function that creates a handle writes it to its out-parameter, or NULL after an error.
 * Each kind has a function to destroy it, which ignores NULL. A handle keeps what it needs of the
 * others, so the order of destruction is free. The strings and arrays of a handle live as long as
 * it does.
 *
 * Threads. Different handles may be used by different threads at the same time, also if one was
 * made from the other. One handle is used by one thread at a time, with two exceptions: functions
 * marked [shared] may be called by several threads at the same time, and a torsor_signals counts as
 * a part of its simulation. The library starts threads only for studies. It has no state of its own
 * outside of handles, and installs no signal handlers.
 *
 * Errors. A function that can fail returns a torsor_result and takes a torsor_error, which may be
 * NULL. The text is one line: FILE:LINE, what is wrong, what to do. No exception leaves the
 * library. A function that fails changes nothing, unless it says so. NULL handles and NULL
 * arguments are errors, as are numbers that are not finite, and quaternions whose norm is not 1 to
 * within 1 %. The fault of a plugin of machine code ends the process.
 *
 * Arrays. Results must not overlap arguments, unless a function says that they may.
 *
 * Functions of the host, such as control laws. One that a simulation calls must not use this
 * simulation: such calls are errors, except for reading the time and the number of steps. Any of
 * them may destroy handles: memory that a running call uses is freed at its end.
 *
 * Versions. Functions and members are only ever added. A struct begins with struct_size, its size
 * as the caller was compiled. Set it, and set what you do not use to zero:
 *   torsor_load_options options = {.struct_size = sizeof options}; */
#ifndef TORSOR_H
#define TORSOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TORSOR_API __attribute__((visibility("default")))

#define TORSOR_API_MAJOR 1u
#define TORSOR_API_MINOR 0u

typedef int32_t torsor_result;
enum {
  TORSOR_SUCCESS = 0,
  /* A mistake in a file, an argument or a model, or a run that failed */
  TORSOR_USER_ERROR = 1,
  TORSOR_OUT_OF_MEMORY = 2,
  /* A progress function has stopped the work */
  TORSOR_STOPPED = 3,
  /* A mistake in the engine */
  TORSOR_INTERNAL_ERROR = 4
};

/* The text of the last error, or "". A longer text is cut at the end of the struct, between two
 * characters. The caller may make it longer: struct_size is then the size of its memory. */
typedef struct torsor_error {
  uint32_t struct_size;
  torsor_result result;
  char text[2040];
} torsor_error;

/* Returns TORSOR_API_MAJOR << 16 | TORSOR_API_MINOR of the library. [shared] */
TORSOR_API uint32_t torsor_api_version(void);
/* Returns the version of the engine, such as "0.1.0". [shared] */
TORSOR_API const char* torsor_version(void);

/* ---- The engine: the plugins that were found, and permissions ---- */

typedef struct torsor_engine torsor_engine;
typedef struct torsor_engine_options {
  uint32_t struct_size;
  /* Not 0: scenes may load plugins of machine code and read files outside of their folder */
  uint32_t allow_plugins;
  /* Plugin files and folders, searched before TORSOR_PLUGIN_PATH, the user's folder and the plugins
   * of the installation */
  const char* const* plugin_paths;
  size_t n_plugin_paths;
  /* Receives each line that a script prints. NULL: lines are written to stderr. The samples of a
   * study print nothing */
  void (*print)(void* user, const char* line);
  void* user;
} torsor_engine_options;

/* Finds the plugins, which takes some milliseconds. options may be NULL. */
TORSOR_API torsor_result torsor_engine_create(const torsor_engine_options* options,
                                              torsor_engine** out, torsor_error* error);
TORSOR_API void torsor_engine_destroy(torsor_engine* engine);
/* Returns one line for each plugin file that cannot be used, or "". [shared] */
TORSOR_API const char* torsor_engine_warnings(const torsor_engine* engine);

/* ---- Robots ---- */

/* The value of a parameter that a Lua file declares, as text. It is converted to the type of its
 * default. This struct does not grow. */
typedef struct torsor_setting {
  const char* name;
  const char* value;
} torsor_setting;

typedef struct torsor_load_options {
  uint32_t struct_size;
  /* Flags for robot files; see `torsor eval --help` */
  uint32_t strict, floating_base, collisions;
  /* Parameters of a Lua file */
  const torsor_setting* settings;
  size_t n_settings;
  /* Names that replace those of the scene; NULL keeps them. For a robot: the solver of evaluators,
   * "newton_euler" by default */
  const char* solver;
  const char* constraint_solver;
  const char* integrator;
  /* Step and duration, s; 0 keeps those of the scene */
  double dt, duration;
  /* [3] gravity in the axes of the world, m/s^2, or NULL. For robots only */
  const double* gravity;
} torsor_load_options;

/* A robot: an immutable model with the names of its parts. */
typedef struct torsor_robot torsor_robot;

/* Reads a robot file, a Lua file that returns a robot, or a scene, whose robots are one model then.
 * options may be NULL. [shared] for the engine. */
TORSOR_API torsor_result torsor_robot_load(const torsor_engine* engine, const char* file,
                                           const torsor_load_options* options, torsor_robot** out,
                                           torsor_error* error);
TORSOR_API void torsor_robot_destroy(torsor_robot* robot);

/* The parts of a robot. */
typedef enum torsor_part {
  TORSOR_COORDINATES = 0, /* entries of q; their number is n_q */
  TORSOR_DOFS = 1,        /* entries of v; their number is n_v */
  TORSOR_JOINTS = 2,
  TORSOR_FRAMES = 3, /* frames of links, and other frames of the user */
  TORSOR_LINKS = 4
} torsor_part;

/* Return the number of parts, or 0 for an unknown kind; the name of a part, or NULL if there is
 * none; and the unit of a coordinate, or of the velocity of a dof, or "". [shared] */
TORSOR_API size_t torsor_robot_count(const torsor_robot* robot, torsor_part part);
TORSOR_API const char* torsor_robot_name(const torsor_robot* robot, torsor_part part, size_t index);
TORSOR_API const char* torsor_robot_unit(const torsor_robot* robot, torsor_part part, size_t index);
/* Returns the warnings of the file, one line each, or "". [shared] */
TORSOR_API const char* torsor_robot_warnings(const torsor_robot* robot);

/* Writes the neutral position, q [n_q]: zeros and identity quaternions. [shared] */
TORSOR_API torsor_result torsor_robot_neutral(const torsor_robot* robot, double* q,
                                              torsor_error* error);
/* Writes the limits of each joint, [joints] each; infinite if there are none. The limits of
 * position are in the unit of q. Each pointer may be NULL. [shared] */
TORSOR_API torsor_result torsor_robot_limits(const torsor_robot* robot, double* lower,
                                             double* upper, double* velocity, double* effort,
                                             torsor_error* error);
/* Writes q (+) h v: the position after a motion with the constant velocity v [n_v] for h seconds.
 * q and out: [n_q], may be the same array. [shared] */
TORSOR_API torsor_result torsor_robot_integrate(const torsor_robot* robot, const double* q,
                                                const double* v, double h, double* out,
                                                torsor_error* error);
/* Writes the d [n_v] with q0 (+) d = q1. [shared] */
TORSOR_API torsor_result torsor_robot_difference(const torsor_robot* robot, const double* q0,
                                                 const double* q1, double* d, torsor_error* error);

/* ---- Quantities ---- */

/* Returns the name of a quantity, or NULL beyond the last one. The names are those of
 * `torsor eval`. [shared] */
TORSOR_API const char* torsor_quantity_name(size_t index);

/* The results of a quantity, such as the two matrices of inverse_dynamics_partials. */
typedef struct torsor_quantity_info {
  uint32_t struct_size;
  uint32_t n_results;
  /* What it depends on: "q", "q v", "q v vdot" or "q v tau". The last two name the argument x */
  const char* inputs;
  /* Number of entries of all results together: the length of `out` */
  size_t entries;
} torsor_quantity_info;
typedef struct torsor_result_info {
  uint32_t struct_size;
  uint32_t n_dims;
  size_t dims[4];
  const char* name;
} torsor_result_info;
/* Describe a quantity of this robot, and one of its results. A quantity of frames may be limited to
 * one frame: "poses:FRAME". [shared] */
TORSOR_API torsor_result torsor_quantity_describe(const torsor_robot* robot, const char* name,
                                                  torsor_quantity_info* out, torsor_error* error);
TORSOR_API torsor_result torsor_quantity_result(const torsor_robot* robot, const char* name,
                                                size_t index, torsor_result_info* out,
                                                torsor_error* error);

/* An evaluator: a solver with its memory. Make one for each thread. */
typedef struct torsor_evaluator torsor_evaluator;
/* solver: name of the solver, or NULL for that of the robot. [shared] for the robot. */
TORSOR_API torsor_result torsor_evaluator_create(const torsor_robot* robot, const char* solver,
                                                 torsor_evaluator** out, torsor_error* error);
TORSOR_API void torsor_evaluator_destroy(torsor_evaluator* evaluator);
/* Sets gravity [3] for later evaluations, in the axes of the world, m/s^2. */
TORSOR_API torsor_result torsor_evaluator_set_gravity(torsor_evaluator* evaluator,
                                                      const double* gravity, torsor_error* error);
/* Replaces the applied wrenches of later evaluations: n wrenches [n][6] on frames with these
 * indices, at the origins of the frames in their axes, N m and N. */
TORSOR_API torsor_result torsor_evaluator_set_wrenches(torsor_evaluator* evaluator, size_t n,
                                                       const size_t* frames, const double* wrenches,
                                                       torsor_error* error);

/* Computes a quantity at one state. q [n_q], v [n_v], x [n_v]: vdot or tau. Arguments on which the
 * quantity does not depend may be NULL. out [entries]: the results, one after the other. The second
 * and later evaluations of a quantity do not allocate memory, except for jacobians, jacobian_rates
 * and constrained dynamics. */
TORSOR_API torsor_result torsor_evaluate(torsor_evaluator* evaluator, const char* name,
                                         const double* q, const double* v, const double* x,
                                         double* out, torsor_error* error);

/* n states. State k has its q at q + k * q_stride, and so on. A stride counts doubles; 0 means that
 * the states follow each other without gaps. */
typedef struct torsor_states {
  uint32_t struct_size;
  size_t n;
  const double *q, *v, *x;
  size_t q_stride, v_stride, x_stride;
} torsor_states;
/* Computes a quantity at many states, several of them in each SIMD register if the solver can. The
 * results of state k are at out + k * out_stride. If states fail, their results are NaN, those of
 * the others are complete, and the error names the first one. */
TORSOR_API torsor_result torsor_evaluate_batch(torsor_evaluator* evaluator, const char* name,
                                               const torsor_states* states, double* out,
                                               size_t out_stride, torsor_error* error);

/* n motions of a robot, which start at the states q, v and make `steps` steps of dt. Motion k has
 * its torques of step t, from 0, at tau + k * tau_stride + t * tau_step_stride, and its start as in
 * torsor_states. A stride counts doubles; 0 means that there are no gaps. */
typedef struct torsor_motions {
  uint32_t struct_size;
  /* Not 0: all motions have the same torques, and tau_stride is not used */
  uint32_t tau_is_shared;
  /* Not 0: all steps have the same torques, and tau_step_stride is not used */
  uint32_t tau_is_constant;
  /* "euler", "semi_implicit_euler" or "rk4"; NULL: rk4 */
  const char* integrator;
  double dt; /* s */
  size_t n;
  uint64_t steps;
  /* Steps between two samples; 0: 1. steps is a multiple of it */
  uint64_t sample_every;
  /* q [n][n_q]; v [n][n_v], NULL: at rest; torques of the motors tau [n][steps][n_v], constant over
   * a step, N m or N, NULL: zero */
  const double *q, *v, *tau;
  size_t q_stride, v_stride, tau_stride, tau_step_stride;
  /* [n] Receives the number of steps of each motion: less than `steps` if it fails. May be NULL */
  uint64_t* done;
} torsor_motions;
/* Computes motions, several of them in each SIMD register if the solver can: an evaluator with the
 * solver "articulated_body" is the fastest. Joints may only have damping and armature, and contacts
 * are ignored. Gravity and wrenches are those of the evaluator. Writes the samples q
 * [n][steps / sample_every + 1][n_q] and v [..][n_v]. The first one is the start. If motions fail,
 * their samples are NaN from there on, those of the others are complete, and the error names the
 * first one. Later calls with the same integrator, dt and n do not allocate memory. */
TORSOR_API torsor_result torsor_rollout(torsor_evaluator* evaluator, const torsor_motions* motions,
                                        double* q, double* v, torsor_error* error);

/* ---- Scenes ---- */

/* A scene: an experiment that was loaded from a Lua file. */
typedef struct torsor_scene torsor_scene;
/* Loads a scene. options may be NULL. [shared] for the engine. */
TORSOR_API torsor_result torsor_scene_load(const torsor_engine* engine, const char* file,
                                           const torsor_load_options* options, torsor_scene** out,
                                           torsor_error* error);
TORSOR_API void torsor_scene_destroy(torsor_scene* scene);
/* Makes a robot of the model of the scene, with its gravity. */
TORSOR_API torsor_result torsor_scene_robot(const torsor_scene* scene, torsor_robot** out,
                                            torsor_error* error);
TORSOR_API const char* torsor_scene_warnings(const torsor_scene* scene);
/* Return the name and the value of a parameter of the scene, or NULL beyond the last one. */
TORSOR_API const char* torsor_scene_parameter(const torsor_scene* scene, size_t index);
TORSOR_API const char* torsor_scene_value(const torsor_scene* scene, size_t index);
TORSOR_API double torsor_scene_dt(const torsor_scene* scene);       /* s */
TORSOR_API double torsor_scene_duration(const torsor_scene* scene); /* s */

/* The measurements of a control, at the time t, s. */
typedef struct torsor_control_state {
  uint32_t struct_size;
  double t;
  /* [n_q], [n_v] of the control's robot */
  const double *q, *v;
  size_t n_q, n_v;
} torsor_control_state;
/* A control law of the host. It must depend on its arguments only. */
typedef struct torsor_control {
  uint32_t struct_size;
  /* Name of the control, without dots; signals begin with ROBOT.NAME */
  const char* name;
  /* Name of the robot; NULL if the scene has one robot */
  const char* robot;
  /* Sampling period, s. 0: the law acts in continuous time, and is called several times in a step
   */
  double period;
  /* Writes the torques tau [n_v] of the motors, N m or N. They are zero before the call. Returns 0,
   * or another number to end the run */
  int32_t (*function)(void* user, const torsor_control_state* at, double* tau);
  void* user;
} torsor_control;
/* The state of a force at the time t, s. */
typedef struct torsor_force_state {
  uint32_t struct_size;
  double t;
  /* [n_q], [n_v] of the force's robot */
  const double *q, *v;
  size_t n_q, n_v, n_frames;
  /* [n_frames][12] poses of the frames in the world: the rotation by rows, then the position */
  const double* X_WF;
  /* [n_frames][6] twists (omega, velocity of the origin) in the axes of the world */
  const double* V_WF_W;
} torsor_force_state;
/* A force of the host. It must depend on its arguments only. */
typedef struct torsor_external_force {
  uint32_t struct_size;
  const char* name;
  const char* robot;
  /* Names of the frames on which it acts */
  const char* const* frames;
  size_t n_frames;
  /* Writes torques tau [n_v], and wrenches F_W [n_frames][6] at the origins of the frames in the
   * axes of the world. They are zero before the call. Returns 0, or another number to end the run
   */
  int32_t (*function)(void* user, const torsor_force_state* at, double* tau, double* F_W);
  void* user;
} torsor_external_force;
/* Add a function of the host to the scene, for simulations that are created later. Recordings then
 * list it in "host_functions", and say "replayable": false. The function is called by the thread
 * that steps the simulation. */
TORSOR_API torsor_result torsor_scene_add_control(torsor_scene* scene,
                                                  const torsor_control* control,
                                                  torsor_error* error);
TORSOR_API torsor_result torsor_scene_add_force(torsor_scene* scene,
                                                const torsor_external_force* force,
                                                torsor_error* error);

/* Returns 0 to continue, or another number to stop the work. Called about ten times per second by
 * the thread that waits. done, all: steps or samples. */
typedef int32_t (*torsor_progress)(void* user, uint64_t done, uint64_t all);
/* Runs the scene to its end, and writes the signals that it records to a file, .h5 or .csv. The
 * file of a run that fails or is stopped ends with its last step. progress may be NULL. */
TORSOR_API torsor_result torsor_scene_record(const torsor_scene* scene, const char* file,
                                             torsor_progress progress, void* user,
                                             torsor_error* error);

/* ---- Simulations ---- */

typedef struct torsor_simulation torsor_simulation;
/* Creates a simulation at the start of the scene. [shared] for the scene, if its functions of the
 * host may be called by several threads. */
TORSOR_API torsor_result torsor_simulation_create(const torsor_scene* scene,
                                                  torsor_simulation** out, torsor_error* error);
TORSOR_API void torsor_simulation_destroy(torsor_simulation* simulation);
/* Makes n steps. The changes that the scene schedules are made. After an error, the simulation is
 * at its last good step. */
TORSOR_API torsor_result torsor_simulation_step(torsor_simulation* simulation, uint64_t n,
                                                torsor_error* error);
TORSOR_API double torsor_simulation_time(const torsor_simulation* simulation); /* s */
TORSOR_API uint64_t torsor_simulation_steps(const torsor_simulation* simulation);
/* Returns a hash of all bits of the state. */
TORSOR_API uint64_t torsor_simulation_hash(const torsor_simulation* simulation);
/* Read and change the positions q [n_q] and velocities v [n_v]. A pointer that is NULL is not used:
 * this value is not read, or keeps its value. */
TORSOR_API torsor_result torsor_simulation_state(const torsor_simulation* simulation, double* q,
                                                 double* v, torsor_error* error);
TORSOR_API torsor_result torsor_simulation_set_state(torsor_simulation* simulation, const double* q,
                                                     const double* v, torsor_error* error);
/* Sets the constant torques of the motors from the present time on, tau [n_v]. Those of control
 * laws are added to them. */
TORSOR_API torsor_result torsor_simulation_set_torque(torsor_simulation* simulation,
                                                      const double* tau, torsor_error* error);

/* A snapshot: a copy of the state, with the changes that were made. */
typedef struct torsor_snapshot torsor_snapshot;
TORSOR_API torsor_result torsor_simulation_snapshot(const torsor_simulation* simulation,
                                                    torsor_snapshot** out, torsor_error* error);
TORSOR_API void torsor_snapshot_destroy(torsor_snapshot* snapshot);
/* Returns to a snapshot of this simulation, or of one of the same scene with the same mechanism and
 * dt. The steps that follow have the same bits as those after the snapshot. */
TORSOR_API torsor_result torsor_simulation_restore(torsor_simulation* simulation,
                                                   const torsor_snapshot* snapshot,
                                                   torsor_error* error);
/* Save and load the state as bytes, in the format of `torsor run --save-state`. Torques that were
 * set are not part of it. size: the number of bytes. If it exceeds capacity, save writes size only,
 * and succeeds; bytes may be NULL then. */
TORSOR_API torsor_result torsor_simulation_save(const torsor_simulation* simulation, void* bytes,
                                                size_t capacity, size_t* size, torsor_error* error);
TORSOR_API torsor_result torsor_simulation_load(torsor_simulation* simulation, const void* bytes,
                                                size_t size, torsor_error* error);

/* Returns the name of a signal that the simulation provides, or NULL beyond the last one. */
TORSOR_API const char* torsor_simulation_signal(const torsor_simulation* simulation, size_t index);

/* Signals of a simulation: values at its present state, in columns. Column 0 is the time, s. */
typedef struct torsor_signals torsor_signals;
/* names: n names of signals. NULL selects those that the scene records. */
TORSOR_API torsor_result torsor_signals_create(torsor_simulation* simulation,
                                               const char* const* names, size_t n,
                                               torsor_signals** out, torsor_error* error);
TORSOR_API void torsor_signals_destroy(torsor_signals* signals);
TORSOR_API size_t torsor_signals_columns(const torsor_signals* signals);
/* Return the name, the unit and the frame of a column, or NULL if there is none. */
TORSOR_API const char* torsor_signals_name(const torsor_signals* signals, size_t column);
TORSOR_API const char* torsor_signals_unit(const torsor_signals* signals, size_t column);
TORSOR_API const char* torsor_signals_frame(const torsor_signals* signals, size_t column);
/* Writes the present values, row [columns]. */
TORSOR_API torsor_result torsor_signals_read(torsor_signals* signals, double* row,
                                             torsor_error* error);
/* Makes n steps. Writes the values after each `every` steps to rows [n / every][columns]. n must be
 * a multiple of every. done: the number of rows that were written, also after an error; may be
 * NULL. */
TORSOR_API torsor_result torsor_signals_run(torsor_signals* signals, uint64_t n, uint64_t every,
                                            double* rows, uint64_t* done, torsor_error* error);

/* ---- Recordings ---- */

typedef struct torsor_recording torsor_recording;
/* Reads a recording, .h5 or .csv. */
TORSOR_API torsor_result torsor_recording_read(const char* file, torsor_recording** out,
                                               torsor_error* error);
TORSOR_API void torsor_recording_destroy(torsor_recording* recording);
TORSOR_API size_t torsor_recording_columns(const torsor_recording* recording);
TORSOR_API size_t torsor_recording_rows(const torsor_recording* recording);
TORSOR_API const char* torsor_recording_name(const torsor_recording* recording, size_t column);
TORSOR_API const char* torsor_recording_unit(const torsor_recording* recording, size_t column);
TORSOR_API const char* torsor_recording_frame(const torsor_recording* recording, size_t column);
/* Returns the values, [rows][columns]. */
TORSOR_API const double* torsor_recording_values(const torsor_recording* recording);
/* Return the description of the run as JSON, and why the recording is not complete, or "". */
TORSOR_API const char* torsor_recording_description(const torsor_recording* recording);
TORSOR_API const char* torsor_recording_problem(const torsor_recording* recording);

/* ---- Studies ---- */

typedef struct torsor_study_options {
  uint32_t struct_size;
  /* Number of threads, at most 4096; 0: one for each core */
  uint32_t jobs;
  /* Parameters of the scene that do not vary, and settings of its runs, as torsor_load_options */
  const torsor_setting* settings;
  size_t n_settings;
  const char* solver;
  const char* constraint_solver;
  const char* integrator;
  double dt, duration;
  /* The samples, as `torsor study --help`: a number of samples of a design ("random", "latin",
   * "sobol", "saltelli"; NULL: random) with a seed, or a grid, or neither */
  uint64_t samples, seed;
  const char* design;
  /* Values of a parameter: "0,2,4", or "0:4:5" for five numbers from 0 to 4 */
  const torsor_setting* grid;
  size_t n_grid;
  /* If the file exists: 0: an error, 1: continue it, 2: replace it */
  uint32_t existing;
  /* Wall time of a sample, s; 0: no limit */
  double limit;
  torsor_progress progress;
  void* user;
} torsor_study_options;
/* Runs a scene many times, and writes its table of outcomes to a file, .h5. options may be NULL.
 * [shared] for the engine. */
TORSOR_API torsor_result torsor_study_run(const torsor_engine* engine, const char* scene,
                                          const char* file, const torsor_study_options* options,
                                          torsor_error* error);

/* The table of a study. Its columns are the parameters, then the outcomes. */
typedef struct torsor_study torsor_study;
TORSOR_API torsor_result torsor_study_read(const char* file, torsor_study** out,
                                           torsor_error* error);
TORSOR_API void torsor_study_destroy(torsor_study* study);
TORSOR_API size_t torsor_study_parameters(const torsor_study* study);
TORSOR_API size_t torsor_study_outcomes(const torsor_study* study);
TORSOR_API uint64_t torsor_study_samples(const torsor_study* study);
TORSOR_API const char* torsor_study_name(const torsor_study* study, size_t column);
TORSOR_API const char* torsor_study_unit(const torsor_study* study, size_t column);
/* Returns the text for a value of a column of text, or NULL: the column has numbers, or the value
 * is beyond the last one. */
TORSOR_API const char* torsor_study_label(const torsor_study* study, size_t column, size_t value);
/* Returns the name of the status of a sample, such as "done", or NULL beyond the last one. */
TORSOR_API const char* torsor_study_status(const torsor_study* study, uint64_t sample);
/* Returns the message of a sample that failed, or "". */
TORSOR_API const char* torsor_study_message(const torsor_study* study, uint64_t sample);
/* Returns the values, [samples][columns]; NaN if undefined, or if the sample has not been run. */
TORSOR_API const double* torsor_study_values(const torsor_study* study);
/* Returns a hash of all results. It is the same for any number of threads. */
TORSOR_API uint64_t torsor_study_hash(const torsor_study* study);

#ifdef __cplusplus
}
#endif
#endif
