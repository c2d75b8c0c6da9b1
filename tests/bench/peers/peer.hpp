#pragma once
// Libraries that compute the same quantities. Each is one file of this folder, compiled as Debian
// compiles its packages, where the library was found; no type of a library leaves its file.

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
Peer pinocchio_peer();

// Those built in; and the names of those that --peers would add.
std::vector<Peer> peers();
std::vector<std::string> missing_peers();

// The inertia as most libraries take it. Without mass the centre is the origin.
struct CentralInertia {
  Vec3<double> com;
  Sym3<double> I;  // about the COM
};
CentralInertia about_com(const SpatialInertia<double>& M);

// Throws Error where a joint has another number of degrees of freedom than one.
void require_single_joints(const Model& model);
// For peers that have joints of one degree of freedom which turn or slide, and no others. Throws
// Error.
void require_simple_joints(const Model& model);

}  // namespace torsor::bench
