#pragma once
// Shapes that overlap deeply at the start of a run.

#include <string>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Returns a sentence that names the pairs of shapes that may collide and overlap by more than a
// hundredth of the thickness of the thinner one, and the depths of the overlaps; "" if there are
// none. Overlaps of compliant contacts are compressions, and are left out.
std::string deep_overlaps(const State& state);

}  // namespace torsor
