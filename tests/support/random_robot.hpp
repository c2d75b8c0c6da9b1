#pragma once
#include "torsor/base/random.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {

using Shape = TreeShape;
using Kinds = RandomKinds;

}  // namespace torsor::test

// Adds the seed to the message of each failure in this scope.
#define TORSOR_TRACE_SEED(seed) SCOPED_TRACE("seed " + std::to_string(seed))
