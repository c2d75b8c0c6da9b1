#pragma once
// Libraries that compute the same quantities. Each is one file of this folder, compiled as Debian compiles its
// packages, where the library was found; no type of a library leaves its file.

#include "bench/subject.hpp"

namespace torsor::bench {

struct Peer {
  std::string name, version;
  // Throws Error, a clause whose subject is the library, where it does not take this robot.
  std::unique_ptr<Subject> (*make)(const Model& model, std::span<const Sample> samples);
};

Peer mujoco_peer();
Peer kdl_peer();
Peer dart_peer();

// Those built in; and the names of those that --peers would add.
std::vector<Peer> peers();
std::vector<std::string> missing_peers();

// For peers that have joints of one degree of freedom which turn or slide, and no others. Throws Error.
void require_simple_joints(const Model& model);

}  // namespace torsor::bench
