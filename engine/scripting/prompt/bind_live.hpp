#pragma once
// Lua bindings of the prompt to the current run.

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/prompt/live_run.hpp"

namespace torsor::lua {

class LiveContext {
 public:
  explicit LiveContext(LiveRun& run) : run(run) {}

  LiveRun& run;
  // Returns a dynamics object for the model of the run with the active solver.
  DynamicsObject& dynamics();

 private:
  std::unique_ptr<DynamicsObject> dynamics_;
  std::shared_ptr<const Model> model_;
  std::string solver_;
};

// Registers the Lua types of the run objects. `live` must outlive the Lua state.
void open_live(lua_State* L, LiveContext& live);
// Adds the functions that perform actions to the table on top of the stack.
void add_live_functions(lua_State* L);
// Pushes the robot with this name, or `state`. Returns false and pushes nothing if the run has no
// such object.
bool push_live(lua_State* L, std::string_view name);
// Returns "state" and the names of the robots.
std::vector<std::string> live_names(lua_State* L);
// Returns the field names of the run object at a stack index. Returns an empty list for any other
// value.
std::vector<std::string> live_fields(lua_State* L, int index);

}  // namespace torsor::lua
