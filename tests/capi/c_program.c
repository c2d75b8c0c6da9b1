#include "c_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <torsor.h>

#define SIZE_OF(type) \
  { #type, sizeof(type) }

const struct c_size c_sizes[] = {
    SIZE_OF(torsor_error),         SIZE_OF(torsor_engine_options), SIZE_OF(torsor_setting),
    SIZE_OF(torsor_load_options),  SIZE_OF(torsor_quantity_info),  SIZE_OF(torsor_result_info),
    SIZE_OF(torsor_states),        SIZE_OF(torsor_motions),        SIZE_OF(torsor_control_state),
    SIZE_OF(torsor_control),       SIZE_OF(torsor_force_state),    SIZE_OF(torsor_external_force),
    SIZE_OF(torsor_study_options),
};
const size_t n_c_sizes = sizeof c_sizes / sizeof *c_sizes;

static int print_error(const torsor_error* error) {
  fprintf(stderr, "%s\n", error->text);
  return 0;
}

static size_t run(torsor_engine* engine, const char* file, unsigned n, double* q, size_t capacity) {
  torsor_error error = {.struct_size = sizeof error};
  torsor_scene* scene;
  torsor_robot* robot = NULL;
  torsor_simulation* simulation = NULL;
  size_t n_q = 0;
  if (torsor_scene_load(engine, file, NULL, &scene, &error) != TORSOR_SUCCESS ||
      torsor_scene_robot(scene, &robot, &error) != TORSOR_SUCCESS ||
      torsor_simulation_create(scene, &simulation, &error) != TORSOR_SUCCESS ||
      torsor_simulation_step(simulation, n, &error) != TORSOR_SUCCESS) {
    print_error(&error);
  } else if (torsor_robot_count(robot, TORSOR_COORDINATES) <= capacity &&
             torsor_simulation_state(simulation, q, NULL, &error) == TORSOR_SUCCESS) {
    n_q = torsor_robot_count(robot, TORSOR_COORDINATES);
  }
  torsor_scene_destroy(scene);
  torsor_robot_destroy(robot);
  torsor_simulation_destroy(simulation);
  return n_q;
}

size_t simulate_in_c(const char* scene, unsigned n, double* q, size_t capacity) {
  torsor_error error = {.struct_size = sizeof error};
  torsor_engine* engine;
  if (torsor_engine_create(NULL, &engine, &error) != TORSOR_SUCCESS)
    return (size_t)print_error(&error);
  const size_t n_q = run(engine, scene, n, q, capacity);
  torsor_engine_destroy(engine);
  return n_q;
}

size_t mass_matrix_in_c(const char* file, double* M, size_t capacity) {
  torsor_error error = {.struct_size = sizeof error};
  torsor_engine* engine;
  torsor_robot* robot = NULL;
  torsor_evaluator* evaluator = NULL;
  torsor_load_options options = {.struct_size = sizeof options};
  size_t n_v = 0;
  options.solver = "lie_group";
  if (torsor_engine_create(NULL, &engine, &error) == TORSOR_SUCCESS &&
      torsor_robot_load(engine, file, &options, &robot, &error) == TORSOR_SUCCESS &&
      torsor_evaluator_create(robot, NULL, &evaluator, &error) == TORSOR_SUCCESS) {
    const size_t n_q = torsor_robot_count(robot, TORSOR_COORDINATES);
    double* q = malloc((n_q + 1) * sizeof *q);
    n_v = torsor_robot_count(robot, TORSOR_DOFS);
    if (n_v * n_v > capacity || torsor_robot_neutral(robot, q, &error) != TORSOR_SUCCESS ||
        torsor_evaluate(evaluator, "mass_matrix", q, NULL, NULL, M, &error) != TORSOR_SUCCESS)
      n_v = 0;
    free(q);
  }
  if (error.result != TORSOR_SUCCESS) print_error(&error);
  torsor_evaluator_destroy(evaluator);
  torsor_robot_destroy(robot);
  torsor_engine_destroy(engine);
  return n_v;
}
