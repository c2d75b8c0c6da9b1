#pragma once
// Reads { rotor =, friction = }: which joints' rotor inertias and friction are parameters of a
// robot's dynamics.

#include "torsor/identification/linear_model.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// true selects all joints, false selects none. A missing key selects the value in `otherwise`.
ParameterChoice read_parameter_choice(const TableReader& table, ParameterChoice otherwise);

void push_texts(lua_State* L, const std::vector<std::string>& texts);

}  // namespace torsor::lua
