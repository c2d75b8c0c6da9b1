/* A program in C: c_consumer SCENE simulates 10 ms of a scene. */
#include <stdio.h>
#include <torsor.h>

int main(int argc, char** argv) {
  torsor_error error = {.struct_size = sizeof error};
  torsor_engine* engine = NULL;
  torsor_scene* scene = NULL;
  torsor_simulation* simulation = NULL;
  if (argc < 2) return 2;
  if (torsor_engine_create(NULL, &engine, &error) == TORSOR_SUCCESS &&
      torsor_scene_load(engine, argv[1], NULL, &scene, &error) == TORSOR_SUCCESS &&
      torsor_simulation_create(scene, &simulation, &error) == TORSOR_SUCCESS)
    torsor_simulation_step(simulation, 10, &error);
  printf("%g s %s\n", torsor_simulation_time(simulation), error.text);
  torsor_simulation_destroy(simulation);
  torsor_scene_destroy(scene);
  torsor_engine_destroy(engine);
  return error.result;
}
