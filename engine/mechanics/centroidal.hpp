#pragma once
// What moves, as one: centre of mass and momentum of all bodies together (Orin, Goswami and Lee
// 2013). Links fixed in the world count in none of it, nor do rotors that are armature: these have
// no momentum in the world.

#include <Eigen/Core>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// All in the axes of the world. G is the frame that the centre of mass carries, in these axes, and
// every wrench and six rows here are (moment about the centre of mass, force).
struct Centroidal {
  double mass = 0;                     // kg
  Vec3<double> com{}, com_velocity{};  // m, m/s
  Eigen::MatrixXd com_jacobian;        // J_c [3 x n_v]: com_velocity = J_c v
  Wrench<double> momentum{};           // h_G = A_G v, N m s and N s
  Eigen::MatrixXd A, A_dot;            // A_G, Adot_G [6 x n_v]
  Wrench<double> bias{};               // Adot_G v: hdot_G = A_G vdot + Adot_G v, N m and N
  // Of all about the centre of mass as if the joints were locked, kg m^2.
  Sym3<double> inertia{};
};

// At the q and v of the state, relative to its world frame. Throws Error where nothing that moves
// has mass.
Centroidal centroidal(const State& state);

}  // namespace torsor
