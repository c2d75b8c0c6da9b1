#pragma once

#include "torsor/plugin/tracer.hpp"

namespace torsor::editor {

// Its symbol, what it belongs to and its numbers: a six-vector in two lines, the angular part
// first, each with its unit.
void draw_traced_value(const TracedValue& value);

}  // namespace torsor::editor
