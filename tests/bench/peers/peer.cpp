#include "bench/peers/peer.hpp"

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

void require_simple_joints(const Model& model) {
  for (int i = 1; i < model.n_body; ++i) {
    const bool turns = model.turn[i] == 1 && model.pitch[i] == 0;
    const bool slides = model.turn[i] == 0 && model.pitch[i] == 1;
    if (model.v_count[i] != 1 || !(turns || slides))
      throw Error("has no joint like '" + model.joint_of_body(i) + "'");
  }
}

}  // namespace torsor::bench
