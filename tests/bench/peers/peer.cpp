#include "bench/peers/peer.hpp"

#include <algorithm>

namespace torsor::bench {

std::vector<Peer> peers() {
  return {
#ifdef TORSOR_BENCH_MUJOCO
      mujoco_peer(),
#endif
#ifdef TORSOR_BENCH_KDL
      kdl_peer(),
#endif
#ifdef TORSOR_BENCH_DART
      dart_peer(),
#endif
#ifdef TORSOR_BENCH_PINOCCHIO
      {"Pinocchio", pinocchio_version(), make_pinocchio},
#endif
#ifdef TORSOR_BENCH_RBDL
      {"RBDL", rbdl_version(), make_rbdl},
#endif
  };
}

std::vector<std::string> missing_peers() {
  return {
#ifndef TORSOR_BENCH_MUJOCO
      "MuJoCo",
#endif
#ifndef TORSOR_BENCH_KDL
      "KDL",
#endif
#ifndef TORSOR_BENCH_DART
      "DART",
#endif
  };
}

bool is_passive(const Experiment& experiment) {
  const Load& load = experiment.load;
  return load.motor_tau.empty() && !load.tau_of_time && load.wrench_F.empty() &&
         load.wrench_of_time.empty() && load.forces.empty() && load.force_functions.empty() &&
         load.prescriptions.empty() && load.controls.empty() && !load.pull &&
         experiment.payloads.empty() && experiment.changes.empty();
}

CentralInertia about_com(const SpatialInertia<double>& M) {
  const Vec3<double> c = M.m == 0 ? Vec3<double>{0, 0, 0} : (1 / M.m) * M.h;
  const Sym3<double> s = point_inertia(c);
  return {c, M.I - Sym3<double>{M.m * s.xx, M.m * s.yy, M.m * s.zz, M.m * s.xy, M.m * s.xz,
                                M.m * s.yz}};
}

void require_centres_of_mass(const Model& model) {
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    if (M.m == 0 && dot(M.h, M.h) != 0)
      throw Error("takes no body with first moments but no mass, as that of joint '" +
                  model.joint_of_body(i) + "'");
  }
}

std::vector<int> leaves(const Model& model) {
  std::vector<int> out;
  for (int i = 1; i < model.n_body; ++i)
    if (std::find(model.parent.begin(), model.parent.end(), i) == model.parent.end())
      out.push_back(i);
  return out;
}

static Error no_joint_like(const Model& model, int body) {
  return Error("has no joint like '" + model.joint_of_body(body) + "'");
}

void require_single_joints(const Model& model) {
  for (int i = 1; i < model.n_body; ++i)
    if (model.v_count[i] != 1) throw no_joint_like(model, i);
}

void require_simple_joints(const Model& model) {
  require_single_joints(model);
  for (int i = 1; i < model.n_body; ++i) {
    const bool turns = model.turn[i] == 1 && model.pitch[i] == 0;
    const bool slides = model.turn[i] == 0 && model.pitch[i] == 1;
    if (!(turns || slides)) throw no_joint_like(model, i);
  }
}

}  // namespace torsor::bench
