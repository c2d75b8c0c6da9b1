#pragma once
// Lua functions that an experiment calls during a run:
// - wrenches, torques and prescribed motions as functions of time
// - forces as functions of time and state
// - control laws at their sample times
// The integrator calls them within its steps, from any thread, forwards and backwards in time. A
// replay calls them again. Their results must therefore depend only on their arguments.
//
// The values that a function can reach are frozen when the experiment is created: its local
// variables and tables, and those of the functions that it calls. A function must not change any of
// them. Random numbers, coroutines from outside, and functions that build a scene are errors as
// well.

#include <memory>

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Stores the function at a stack index in the registry and returns its key.
int keep_function(lua_State* L, int index);

// Returns the load of an experiment including its functions. The functions share the script and run
// one at a time.
Load with_functions(lua_State* L, const ExperimentObject& made,
                    std::shared_ptr<const Registry> plugins,
                    const std::shared_ptr<LoadedScript>& script);

// Reads { moment =, force = }, at least one of them.
Wrench<double> read_wrench(const TableReader& wrench);

}  // namespace torsor::lua
