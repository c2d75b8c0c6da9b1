#pragma once
// A plugin object implemented in Lua: its ABI tables call functions of a script. No exception
// crosses the ABI. Errors are reported to the host with file and line.

#include <functional>

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/sdk/ext/host_dynamics.h"

namespace torsor::lua {

class LuaPlugin {
 public:
  // The script must own the definition. The host must outlive the plugin object.
  static torsor_plugin* create(std::shared_ptr<LoadedScript> script,
                               const PluginDefinition& definition, const torsor_host* host);
  static const LuaPlugin& of(const torsor_plugin* plugin) {
    return *static_cast<LuaPlugin*>(plugin->self);
  }

  // Calls a Lua function of the definition. The first argument is the model table. push(L) pushes
  // the other arguments and returns their number. read() converts the results, which begin at stack
  // index 1, and returns the status of the call.
  using Push = std::function<int(lua_State*)>;
  using Read = std::function<torsor_status(lua_State*, int results, const std::string& owner)>;
  torsor_status ask(const char* function, const Push& push, const Read& read) const noexcept;

  // Reports to the host why the plugin rejects a model or a call. Returns TORSOR_UNSUPPORTED.
  torsor_status reject(std::string_view reason) const;

  const PluginDefinition& definition() const { return definition_; }
  // The three sizes are valid after prepare().
  size_t n_v() const { return n_v_; }
  size_t n_x() const { return n_x_; }
  size_t n_memory() const { return n_memory_; }
  // Break times of a trajectory in s, as returned by the last call of its Lua function `describe`.
  std::vector<double>& breaks() const { return breaks_; }

 private:
  LuaPlugin(std::shared_ptr<LoadedScript> script, const PluginDefinition& definition,
            const torsor_host* host);
  ~LuaPlugin();

  torsor_status report(torsor_status status, const char* function, const std::string& owner,
                       std::string_view what) const noexcept;
  torsor_status prepare(const torsor_model& model, torsor_sizes& out) noexcept;
  void make_model(lua_State* L, const torsor_model& model);
  void end_service();
  void freeze_functions(lua_State* L);
  void call_prepare(lua_State* L, std::string& rejection);
  size_t count(lua_State* L, const char* function, size_t constant) const;
  void push_parameters(lua_State* L, const torsor_model& model) const;
  void push_parameter(lua_State* L, const torsor_model& model, size_t row) const;
  const void* table(std::string_view id) const;

  torsor_plugin plugin_{};
  std::shared_ptr<LoadedScript> script_;
  const PluginDefinition& definition_;
  const torsor_host* host_;
  std::vector<std::vector<double>> values_;  // parameter values, one vector per parameter
  std::vector<std::vector<torsor_frame>> frames_;
  int model_ = LUA_NOREF;  // Lua registry reference of the model table
  mutable Frozen frozen_;
  size_t n_v_ = 0, n_x_ = 0, n_memory_ = 0;
  mutable std::vector<double> breaks_;
  const LuaKind& kind_;
  std::vector<LuaInterface> interfaces_;
};

// Functions for model.dynamics and model.drives of a controller. make_dynamics_type() registers the
// Lua type. push_service() pushes model.dynamics, and push_drives() pushes model.drives.
// end_service() makes the object at `index` unusable; it is called before `dynamics` becomes
// invalid.
void make_dynamics_type(lua_State* L);
void push_service(lua_State* L, const torsor_dynamics* dynamics, const torsor_model& model);
void end_service(lua_State* L, int index);
void push_drives(lua_State* L, const torsor_dynamics& dynamics, const torsor_model& model);

}  // namespace torsor::lua
