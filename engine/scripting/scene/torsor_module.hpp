#pragma once
// The built-in module "torsor". Each file bind_AREA.cpp adds its functions to the module.

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Creates the Lua types and the built-in module "torsor".
void open_torsor(lua_State* L);

// Each of these functions adds a group of functions to the module table on top of the stack. It
// also creates the Lua types that these functions return.
void add_parameter_functions(lua_State* L);
void add_distribution_functions(lua_State* L);  // scripting/study/bind_distributions.cpp
void add_study_functions(lua_State* L);         // scripting/study/bind_study.cpp
void add_robot_functions(lua_State* L);
void add_world_functions(lua_State* L);
void add_planning_functions(lua_State* L);
void add_cost_functions(lua_State* L);
void add_analysis_functions(lua_State* L);
int linearise_step(lua_State* L);    // method of arm:dynamics
int respond_in_batch(lua_State* L);  // method of arm:dynamics (bind_batch.cpp)
int evaluate_states(lua_State* L);   // method of arm:dynamics (bind_evaluate.cpp)
int roll_out(lua_State* L);          // method of arm:dynamics (bind_rollouts.cpp)
void add_dynamics_functions(lua_State* L);
void add_plugin_functions(lua_State* L);

// Methods of arm:dynamics that analyse the structure of the equations.
int coefficients_of_velocities(lua_State* L);
int bounds_of_robot(lua_State* L);

// Methods of arm:dynamics for the limits of motions (bind_motion.cpp).
int check_torques_of_motion(lua_State* L);
int time_optimal_motion(lua_State* L);
int limits_of_actuators(lua_State* L);

// Methods of robot objects that use the model (bind_dynamics.cpp).
int robot_dynamics(lua_State* L);
int robot_inverse_kinematics(lua_State* L);
// Methods of robot objects for actuators and named states of a robot file (bind_robot_file.cpp).
int robot_actuators(lua_State* L);
int robot_keyframe(lua_State* L);
int robot_keyframes(lua_State* L);
// bind_identification.cpp
int robot_base_parameters(lua_State* L);
int robot_identify(lua_State* L);
int robot_exciting_motion(lua_State* L);
void set_robot_parameters(lua_State* L, RobotObject& robot);

// Copy what a script has set for one robot into the experiment: its sensors, or its initial state,
// loads and controls (robot_loads.cpp). columns: the robot in the model of the experiment. Controls
// refer to sensors, so those of all robots must be added first. Throw Error, which begins with the
// place in the script, for unknown names and values that do not fit.
void add_robot_sensors(lua_State* L, RobotObject& robot, const Robot& columns,
                       ExperimentObject& made);
void add_robot_loads(lua_State* L, RobotObject& robot, const Robot& columns,
                     ExperimentObject& made);

// Builds the model of all robots of a world for an experiment. Accepts implausible inertias if
// SceneContext::any_inertia is true.
void build_model(lua_State* L, WorldObject& world, ExperimentObject& made);

// Creates the Lua type of finished runs, and reads `outcome` of world:experiment: a function of a
// run, or { function, units = { NAME = UNIT } } (scripting/study/bind_outcome.cpp).
void add_finished_run_type(lua_State* L);
// Returns the finished run at a stack index, or null if the value is no run. Throws Error if the
// outcome function of the run has returned.
const FinishedRun* finished_run_at(lua_State* L, int index, const char* call);
std::optional<OutcomeRequest> read_outcome(const TableReader& experiment);
// Returns the outcome function of an experiment. It keeps the script.
OutcomeFunction outcome_function(const OutcomeRequest& request,
                                 const std::shared_ptr<LoadedScript>& script);

// Pushes the overrides as a table of strings. torsor.options converts each string of this table to
// the type of the option's default.
void push_overrides(lua_State* L);

}  // namespace torsor::lua
