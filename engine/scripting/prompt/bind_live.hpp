#pragma once
// The Lua interface of a prompt to the current run.

#include "torsor/scripting/prompt/live_run.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

class LiveContext {
 public:
  explicit LiveContext(LiveRun& run) : run(run) {}

  LiveRun& run;
  // Returns the dynamics of the run's model with the active solver.
  DynamicsObject& dynamics();

 private:
  std::unique_ptr<DynamicsObject> dynamics_;
  std::shared_ptr<const Model> model_;
  std::string solver_;
};

// Creates the types of live objects. The context must outlive the state.
void open_live(lua_State* L, LiveContext& live);
// Adds the functions that perform actions to the table on top.
void add_live_functions(lua_State* L);
// Pushes the object with this name. Returns false and pushes nothing if the run has no such object.
bool push_live(lua_State* L, std::string_view name);
// Returns "state" and the names of the robots.
std::vector<std::string> live_names(lua_State* L);
// Returns the names of the fields of the value at a stack index. Returns an empty list if the value
// is not an object of the run.
std::vector<std::string> live_fields(lua_State* L, int index);

}  // namespace torsor::lua
