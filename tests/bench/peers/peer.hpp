#pragma once
// Other libraries that compute the same quantities. Each is one file of this folder, compiled like
// Debian's packages if the library is found. No type of a library is used outside its file.

#include "bench/subject.hpp"

namespace torsor::bench {

struct Peer {
  std::string name, version;
  // Throws Error if the library does not support this robot. The message is a clause whose subject
  // is the library.
  std::unique_ptr<Subject> (*make)(const Model& model, std::span<const Sample> samples);
};

Peer mujoco_peer();
Peer kdl_peer();
Peer dart_peer();
Peer pinocchio_peer();

// Return the built-in libraries, and the names of those that --peers would add.
std::vector<Peer> peers();
std::vector<std::string> missing_peers();

// The inertia in the form of most libraries. Without mass the centre is the origin.
struct CentralInertia {
  Vec3<double> com;
  Sym3<double> I;  // about the COM
};
CentralInertia about_com(const SpatialInertia<double>& M);

// Throws Error if a joint does not have exactly one degree of freedom.
void require_single_joints(const Model& model);
// Throws Error if a joint is not a rotation or a translation with one degree of freedom.
void require_simple_joints(const Model& model);

}  // namespace torsor::bench
