#pragma once
// The mechanisms of tests/reference/constraints, and random mechanisms with closed loops.

#include "support/random_state.hpp"
#include "support/reference.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::test {

Vec3<double> vec3(const Json& list);

// Returns the mechanism of a table NAME.json of tests/reference/constraints. The frames of its
// links are the axes of the world in the position q = 0.
RobotDescription described_mechanism(const std::string& name, const Json& table);

// A state in which all loops of its model are closed.
struct ClosedState {
  std::shared_ptr<const Model> model;
  std::vector<double> q;
};
// Returns a random tree of every joint kind, with a mimic joint, two closures of the kinds number
// `seed` and `seed` + 4 of the table, and a position in which the closures are exactly closed.
ClosedState random_closed_tree(uint64_t seed);

}  // namespace torsor::test
