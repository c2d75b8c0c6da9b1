#pragma once

#include "torsor/handles/tracer.hpp"

namespace torsor::editor {

// Draws the symbol, the owner and the numbers of a traced value. A six-vector has two lines,
// angular part first, each with its unit.
void draw_traced_value(const TracedValue& value);

}  // namespace torsor::editor
