#pragma once
// Reads a joint that closes a loop from a Lua table.

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads { KIND, name =, between = { A, B }, axis =, axes = { A, B }, pitch =, length = } at a stack
// index. axis: the axis of both frames; axes: one axis for each. Both are z by default.
ClosureDescription read_closure(lua_State* L, int index, const std::string& call,
                                const std::string& source);

}  // namespace torsor::lua
