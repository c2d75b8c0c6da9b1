#pragma once
// Centre of mass and momentum of all moving bodies together (Orin, Goswami and Lee 2013). Links
// fixed in the world are not included. Rotors that are modelled as armature are not included
// either, because they have no momentum in the world.

#include <Eigen/Core>
#include <vector>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Centroidal quantities in the axes of the world. G is the frame at the centre of mass with the
// axes of the world. Wrenches, and the six rows of A_G, are (moment about the centre of mass,
// force).
struct Centroidal {
  double mass = 0;                     // kg
  Vec3<double> com{}, com_velocity{};  // m, m/s
  Eigen::MatrixXd com_jacobian;        // J_c [3 x n_v]: com_velocity = J_c v
  Wrench<double> momentum{};           // h_G = A_G v, N m s and N s
  Eigen::MatrixXd A, A_dot;            // A_G, Adot_G [6 x n_v]
  Wrench<double> bias{};               // Adot_G v: hdot_G = A_G vdot + Adot_G v, N m and N
  // Inertia of all moving bodies about the centre of mass if the joints were locked, kg m^2.
  Sym3<double> inertia{};
};

// Computes the centroidal quantities at q and v of the state, relative to its world frame. Throws
// Error if no moving body has mass.
Centroidal centroidal(const State& state);

// Memory of centroidal(), for calls in a loop.
struct CentroidalScratch {
  // A body, expressed in G.
  struct Body {
    Pose<double> X_GB;
    Twist<double> V;
    SpatialInertia<double> I, I_dot;  // of the body, later of all bodies that it carries
  };
  explicit CentroidalScratch(const Model& model)
      : bodies(size_t(model.n_body)), S(size_t(model.n_v)) {}
  std::vector<Body> bodies;
  std::vector<Twist<double>> S;
};
// Writes the same quantities to `out`. Does not allocate if its matrices already have their sizes.
void centroidal(const State& state, CentroidalScratch& scratch, Centroidal& out);

}  // namespace torsor
