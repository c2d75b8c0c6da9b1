#pragma once
// What a prompt sees of the run that it stands beside.

#include "torsor/scripting/prompt/live_run.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

class LiveContext {
 public:
  explicit LiveContext(LiveRun& run) : run(run) {}

  LiveRun& run;
  // The dynamics of the run's model by the solver in force.
  DynamicsObject& dynamics();

 private:
  std::unique_ptr<DynamicsObject> dynamics_;
  std::shared_ptr<const Model> model_;
  std::string solver_;
};

// Makes the types of what is live; the context outlives the state.
void open_live(lua_State* L, LiveContext& live);
// Adds functions that do something to the table on top.
void add_live_functions(lua_State* L);
// Pushes what a name stands for; false, and pushes nothing, where it is nothing of the run.
bool push_live(lua_State* L, std::string_view name);
// "state" and the robots.
std::vector<std::string> live_names(lua_State* L);
// The names that can follow the value at an index; none where it has nothing of the run.
std::vector<std::string> live_fields(lua_State* L, int index);

}  // namespace torsor::lua
