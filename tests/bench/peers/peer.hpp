#pragma once
// Other libraries that compute the same quantities. Each library has one file in this folder, which
// is compiled with the flags of Debian's packages if the library is found. No type of a library is
// used outside its file.

#include "bench/subject.hpp"

namespace torsor::bench {

struct Peer {
  std::string name, version;
  // Creates the subject. Throws Error if the library does not support this robot. The message
  // continues the name of the library ("has no ...").
  std::unique_ptr<Subject> (*make)(const Model& model, std::span<const Sample> samples);
};

Peer mujoco_peer();
Peer kdl_peer();
Peer dart_peer();
Peer pinocchio_peer();

// Return the libraries that are built in, and the names of missing libraries that --peers installs
// (not Pinocchio).
std::vector<Peer> peers();
std::vector<std::string> missing_peers();

// The inertia about the COM, the form that most libraries require. Without mass, the COM is the
// origin.
struct CentralInertia {
  Vec3<double> com;
  Sym3<double> I;  // about the COM
};
CentralInertia about_com(const SpatialInertia<double>& M);

// Throws Error if a joint does not have exactly one degree of freedom.
void require_single_joints(const Model& model);
// Throws Error if a joint is not revolute or prismatic.
void require_simple_joints(const Model& model);

}  // namespace torsor::bench
