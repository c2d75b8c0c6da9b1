#include "torsor/scripting/scene/torsor_module.hpp"

#include "torsor/scripting/objects/dual_values.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"

namespace torsor::lua {

void open_torsor(lua_State* L) {
  constexpr int functions = 64;  // about as many as are added below
  lua_createtable(L, 0, functions);
  add_parameter_functions(L);
  add_distribution_functions(L);
  add_finished_run_type(L);
  add_study_functions(L);
  add_robot_functions(L);
  add_trajectory_functions(L);
  add_world_functions(L);
  add_planning_functions(L);
  add_analysis_functions(L);
  add_cost_functions(L);
  add_dual_type(L);
  add_dynamics_functions(L);
  add_plugin_functions(L);
  make_strict(L, "torsor");
  provide_module(L, "torsor");
}

}  // namespace torsor::lua
