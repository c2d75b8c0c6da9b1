#pragma once
// Robots that nobody designed: what holds for them holds for all.

#include <vector>

#include "torsor/base/random_values.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {

enum class TreeShape { chain, tree, planar };

enum class RandomKinds { one_column, every };

// n moving joints of every kind, or of every kind of one column, described in every way (screws
// through points off the origin, at home or body-fixed, both DH conventions), with physical
// inertias over two decades of size, armature on some joints and fixed links in between. The links
// come in random order and the columns in another. The same seed gives the same robot everywhere.
RobotDescription random_robot(int n_moving, TreeShape shape, uint64_t seed,
                              RandomKinds kinds = RandomKinds::one_column);
// The same of joints of these kinds alone, one at least that moves.
RobotDescription random_robot(int n_moving, TreeShape shape, uint64_t seed,
                              const std::vector<JointKind>& kinds);

// RCFS's planar chain, in a plane of any direction: n point masses, each at the next joint, which
// is anywhere in the axes of its link; rotors on some joints. Links and columns in random order.
// Its family is "planar_n_link".
RobotDescription random_planar_chain(int n, uint64_t seed);

// A generic body of about this size in metres and mass in kg: a positive density somewhere off the
// origin.
SpatialInertia<double> random_inertia(RandomValues& random, double size, double mass);

// Entries in +-size.
std::vector<double> random_values(RandomValues& random, int n, double size);

// Somewhere on the manifold: the neutral q moved by up to `size` along every column.
std::vector<double> random_position(RandomValues& random, const Model& model, double size);

}  // namespace torsor
