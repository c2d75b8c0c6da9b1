#pragma once
// Random robots, for tests of laws that are true for every robot.

#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {

enum class TreeShape { chain, tree, planar };

enum class RandomKinds { one_column, every };

// Returns a robot with n moving joints of every kind, or of every kind with one dof. It contains
// every kind of placement: screws through points off the origin, at home or body-fixed, and both DH
// conventions. Inertias are physical, over two decades of size. Some joints have armature, and some
// links are fixed to others. The links are in random order, and the dof are in another. The same
// seed gives the same robot on every machine.
RobotDescription random_robot(int n_moving, TreeShape shape, uint64_t seed,
                              RandomKinds kinds = RandomKinds::one_column);
// Returns a robot as described above whose moving joints are of the given kinds. At least one of
// these kinds must have dof.
RobotDescription random_robot(int n_moving, TreeShape shape, uint64_t seed,
                              const std::vector<JointKind>& kinds);

// Returns RCFS's planar chain, in a plane of any direction. It has n point masses, each at the next
// joint, which is at any place in the axes of its link. Some joints have rotors. Links and dof are
// in random order. Its family is "planar_n_link".
RobotDescription random_planar_chain(int n, uint64_t seed);

// Returns the inertia of a generic body with about this size in metres and mass in kg: a positive
// density, off the origin.
SpatialInertia<double> random_inertia(Random& random, double size, double mass);

// Returns n numbers from -size to size.
std::vector<double> random_values(Random& random, int n, double size);

// Returns a random point on the manifold: the neutral q, moved by up to `size` along each dof.
std::vector<double> random_position(Random& random, const Model& model, double size);

}  // namespace torsor
