// Computes qfrc_actuator and qfrc_passive of MuJoCo at 20 random states with random inputs:
//
//   g++ -std=c++20 mujoco_forces.cpp -lmujoco -o mujoco_forces
//   ./mujoco_forces FILE.xml > FILE.json
#include <mujoco/mujoco.h>

#include <cstdio>
#include <random>

namespace {

void print(const char* name, const double* values, int n, const char* end) {
  std::printf("\"%s\": [", name);
  for (int i = 0; i < n; ++i) std::printf("%s%.13g", i == 0 ? "" : ", ", values[i]);
  std::printf("]%s", end);
}

}  // namespace

int main(int, char** arguments) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(arguments[1], nullptr, error, sizeof error);
  if (!m) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  mjData* d = mj_makeData(m);
  std::mt19937_64 random(1);
  const auto uniform = [&] { return 2 * double(random() >> 11) * 0x1p-53 - 1; };
  std::printf("{\"mujoco\": \"%s\", \"states\": [\n", mj_versionString());
  const int states = 20;
  for (int k = 0; k < states; ++k) {
    for (int i = 0; i < m->nq; ++i) d->qpos[i] = uniform();
    mj_normalizeQuat(m, d->qpos);
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = 2 * uniform();
    for (int i = 0; i < m->nu; ++i) d->ctrl[i] = uniform();
    mj_forward(m, d);
    std::printf("  {");
    print("qpos", d->qpos, m->nq, ", ");
    print("qvel", d->qvel, m->nv, ", ");
    print("ctrl", d->ctrl, m->nu, ",\n   ");
    print("actuator", d->qfrc_actuator, m->nv, ", ");
    print("passive", d->qfrc_passive, m->nv, k + 1 == states ? "}\n" : "},\n");
  }
  std::printf("]}\n");
  mj_deleteData(d);
  mj_deleteModel(m);
}
