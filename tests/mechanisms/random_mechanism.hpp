#pragma once
// Random robots with every kind of actuation, in a random state.

#include <memory>
#include <vector>

#include "torsor/simulation/load.hpp"
#include "torsor/simulation/payload.hpp"

namespace torsor::test {

struct RandomMechanism {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v;  // within its stops, along its mimics
  // Torques, zero for passive joints; prescribed motions; a control at its own rate.
  Load load;
  std::vector<Payload> payloads;
  Vec3<double> gravity_W;
};

// Returns a tree of 2 to 6 joints of every kind. It has:
// - frictions of every law, on the link and the motor
// - stops of every restitution, some of them active at the start
// - mimic joints, elastic joints, springs and transmissions
// - payloads that are attached and released
// - prescribed joints
// Springs and bristles are soft enough for a step of 1e-2 s. The same seed gives the same mechanism
// on every machine.
RandomMechanism random_mechanism(uint64_t seed);

}  // namespace torsor::test
