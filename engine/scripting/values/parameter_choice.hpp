#pragma once
// Reads { rotor =, friction = }, which selects the joints whose rotor inertias and friction
// coefficients are parameters of the dynamics.

#include "torsor/identification/linear_model.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads the keys rotor and friction. true selects all joints and false selects none. For a missing
// key, uses the value in `otherwise`.
ParameterChoice read_parameter_choice(const TableReader& table, ParameterChoice otherwise);

void push_texts(lua_State* L, const std::vector<std::string>& texts);

}  // namespace torsor::lua
