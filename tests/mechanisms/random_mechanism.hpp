#pragma once
// Random robots with every kind of actuation, in a random state.

#include <memory>
#include <vector>

#include "torsor/simulation/load.hpp"
#include "torsor/simulation/payload.hpp"

namespace torsor::test {

struct RandomMechanism {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v;  // within the stops, consistent with mimic joints
  // Torques (zero for passive joints), and sometimes a prescribed motion and a sampled control.
  Load load;
  std::vector<Payload> payloads;
  Vec3<double> gravity_W;
};

// Returns a tree of 2 to 6 joints of random kinds. It may have:
// - frictions of every law, on links and motors
// - stops of every restitution, some of them active at the start
// - mimic joints, elastic joints, springs and a transmission
// - payloads that are attached and released
// - a prescribed joint
// Springs and bristles are soft enough for a step of 1e-2 s. The same seed gives the same mechanism
// on every machine.
RandomMechanism random_mechanism(uint64_t seed);

}  // namespace torsor::test
