#pragma once
// { rotor =, friction = }: whose rotor inertias and friction are among the parameters of a robot's
// dynamics.

#include "torsor/identification/linear_model.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// true: of all joints, false: of none; where nothing is said, what `otherwise` says.
ParameterChoice read_parameter_choice(const TableReader& table, ParameterChoice otherwise);

void push_texts(lua_State* L, const std::vector<std::string>& texts);

}  // namespace torsor::lua
