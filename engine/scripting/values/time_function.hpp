#pragma once
// Lua functions that an experiment calls during a run:
// - wrenches, torques and prescribed motions as functions of time;
// - forces as functions of time and state;
// - control laws, continuous-time or sampled.
//
// The integrator calls these functions within its steps, from any thread and not in order of time.
// A replay calls them again. The results must therefore depend only on the arguments.
//
// The values that a function can reach are frozen when the experiment is created: its upvalues and
// tables, and those of the functions that it calls. Changing one of them is an error. It is also an
// error to use random numbers, coroutines created outside the function, or functions that build a
// scene.

#include <memory>

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Stores the Lua function at a stack index in the Lua registry. Returns its registry key.
int keep_function(lua_State* L, int index);

// Returns the load of an experiment, including its Lua functions. The functions share the script,
// so only one of them runs at a time.
Load with_functions(lua_State* L, const ExperimentObject& made,
                    std::shared_ptr<const Registry> plugins,
                    const std::shared_ptr<LoadedScript>& script);

// Reads a wrench { moment =, force = }. At least one of the two keys must be present.
Wrench<double> read_wrench(const TableReader& wrench);

}  // namespace torsor::lua
