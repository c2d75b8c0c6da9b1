// Computes the values of MuJoCo for the MJCF files of this folder, in MuJoCo's own conventions:
//
//   g++ -std=c++20 mujoco_values.cpp -lmujoco -o mujoco_values
//   ./mujoco_values FILE.xml > FILE.json
//
// Each of the 100 states has random qpos, qvel and tau. For these:
//   M_tau    M tau, with the mass matrix M
//   bias     qfrc_bias: Coriolis, centrifugal and gravity forces
//   gravity  qfrc_bias at rest
//   qacc     M^-1 (tau - bias), without passive forces and constraints
//   pose     xpos and xquat of each body
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

void print(const char* name, const double* values, int n, const char* end) {
  std::printf("\"%s\": [", name);
  for (int i = 0; i < n; ++i) std::printf("%s%.13g", i == 0 ? "" : ", ", values[i]);
  std::printf("]%s", end);
}

void randomise(const mjModel& m, std::mt19937_64& random, mjData& d) {
  const auto uniform = [&] { return 2 * double(random() >> 11) * 0x1p-53 - 1; };
  for (int j = 0; j < m.njnt; ++j) {
    double* q = d.qpos + m.jnt_qposadr[j];
    const double q0 = m.qpos0[m.jnt_qposadr[j]];
    const auto quaternion = [&](double* x) {
      for (int k = 0; k < 4; ++k) x[k] = uniform();
      mju_normalize4(x);
    };
    if (m.jnt_type[j] == mjJNT_FREE) {
      for (int k = 0; k < 3; ++k) q[k] = uniform();
      quaternion(q + 3);
    } else if (m.jnt_type[j] == mjJNT_BALL) {
      quaternion(q);
    } else {
      *q = q0 + (m.jnt_type[j] == mjJNT_SLIDE ? 0.3 : 2) * uniform();
    }
  }
  for (int i = 0; i < m.nv; ++i) {
    d.qvel[i] = 2 * uniform();
    d.qfrc_applied[i] = uniform();
  }
}

void print_state(const mjModel& m, mjData& d, bool last) {
  mj_forward(&m, &d);
  std::printf("    {");
  print("qpos", d.qpos, m.nq, ", ");
  print("qvel", d.qvel, m.nv, ", ");
  print("tau", d.qfrc_applied, m.nv, ",\n     ");
  Numbers product(size_t(m.nv), 0.0), poses;
  mj_mulM(&m, &d, product.data(), d.qfrc_applied);
  print("M_tau", product.data(), m.nv, ", ");
  print("bias", d.qfrc_bias, m.nv, ", ");
  print("qacc", d.qacc_smooth, m.nv, ",\n     ");
  for (int b = 1; b < m.nbody; ++b) {
    poses.insert(poses.end(), d.xpos + 3 * b, d.xpos + 3 * b + 3);
    poses.insert(poses.end(), d.xquat + 4 * b, d.xquat + 4 * b + 4);
  }
  print("pose", poses.data(), int(poses.size()), ", ");
  mju_zero(d.qvel, m.nv);
  mj_forward(&m, &d);
  print("gravity", d.qfrc_bias, m.nv, last ? "}\n" : "},\n");
}

}  // namespace

int main(int, char** arguments) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(arguments[1], nullptr, error, sizeof error);
  if (!m) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  m->opt.disableflags |= mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_CONSTRAINT;
  mjData* d = mj_makeData(m);
  std::mt19937_64 random(1);
  const int states = 100;
  std::printf("{\"mujoco\": \"%s\", \"bodies\": [", mj_versionString());
  for (int b = 1; b < m->nbody; ++b) {
    const std::string name = mj_id2name(m, mjOBJ_BODY, b) ? mj_id2name(m, mjOBJ_BODY, b) : "";
    std::printf("%s\"%s\"", b == 1 ? "" : ", ",
                (name.empty() ? "body" + std::to_string(b) : name).c_str());
  }
  std::printf("],\n  \"states\": [\n");
  for (int k = 0; k < states; ++k) {
    randomise(*m, random, *d);
    print_state(*m, *d, k + 1 == states);
  }
  std::printf("  ]}\n");
  mj_deleteData(d);
  mj_deleteModel(m);
}
