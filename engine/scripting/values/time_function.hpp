#pragma once
// Lua functions that an experiment keeps: wrenches, torques and prescribed motions of time, which
// the integrator asks for within its steps, from any thread, forwards and backwards; forces of
// state, alike; and laws of control, asked at their times, and again by who replays. So they must
// depend on their arguments alone. What a function can reach when the experiment is made, its
// local variables and tables and those of the functions that it calls, is frozen: a function that
// changes any of it is an error, and so are random numbers, coroutines from outside and everything
// that builds a scene.

#include <memory>

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// The function at an index of the stack, kept in the registry.
int keep_function(lua_State* L, int index);

// The load of an experiment with its functions, which share the script; they take turns.
Load with_functions(lua_State* L, const ExperimentObject& made,
                    std::shared_ptr<const Registry> plugins,
                    const std::shared_ptr<LoadedScript>& script);

// { moment =, force = }, one of them at least.
Wrench<double> read_wrench(const TableReader& wrench);

}  // namespace torsor::lua
