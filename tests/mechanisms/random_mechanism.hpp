#pragma once
// Random robots with all that can act at their joints, somewhere and moving.

#include <memory>
#include <vector>

#include "torsor/simulation/load.hpp"
#include "torsor/simulation/payload.hpp"

namespace torsor::test {

struct RandomMechanism {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v;  // within its stops, along its mimics
  // Torques, none where it is passive; motions that are prescribed, a control at its own rate.
  Load load;
  std::vector<Payload> payloads;
  Vec3<double> gravity_W;
};

// 2 to 6 joints of every kind in a tree: frictions of every law on the link and the motor, stops of
// every restitution (some of which it stands at), mimics, elastic joints, springs, transmissions,
// payloads that come and go, prescribed joints. Its springs, and the bristles of its friction, are
// soft enough for a step of 1e-2 s. The same seed gives the same mechanism everywhere.
RandomMechanism random_mechanism(uint64_t seed);

}  // namespace torsor::test
