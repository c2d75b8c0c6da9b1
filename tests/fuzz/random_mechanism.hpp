#pragma once
// Random robots with all that can act at their joints, somewhere and moving.

#include <memory>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::test {

struct RandomMechanism {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v, tau;  // within its stops, along its mimics, none where it is passive
  Vec3<double> gravity_W;
};

// 2 to 6 joints of every kind in a tree: frictions of every law on the link and the motor, stops of every restitution (some of
// which it stands at), mimics, elastic joints, springs, transmissions. Its springs, and the bristles of its friction, are soft
// enough for a step of 1e-2 s. The same seed gives the same mechanism everywhere.
RandomMechanism random_mechanism(uint64_t seed);

}  // namespace torsor::test
