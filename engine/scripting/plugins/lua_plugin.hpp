#pragma once
// A plugin object in Lua: the tables of the plugin ABI over functions of a script. No exception
// leaves it. Errors are reported to the host with file and line.

#include <functional>

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/scene/scene.hpp"
#include "torsor/sdk/ext/host_dynamics.h"

namespace torsor::lua {

class LuaPlugin {
 public:
  // The script owns the definition. The host must outlive the object.
  static torsor_plugin* create(std::shared_ptr<LoadedScript> script,
                               const PluginDefinition& definition, const torsor_host* host);
  static const LuaPlugin& of(const torsor_plugin* plugin) {
    return *static_cast<LuaPlugin*>(plugin->self);
  }

  // Calls a function of the definition with the model table and further arguments. push pushes
  // these arguments and returns their number. read gets the results from index 1 on and returns the
  // status.
  using Push = std::function<int(lua_State*)>;
  using Read = std::function<torsor_status(lua_State*, int results, const std::string& owner)>;
  torsor_status ask(const char* function, const Push& push, const Read& read) const noexcept;

  // Reports the reason why the plugin rejects a model or a call. Returns TORSOR_UNSUPPORTED.
  torsor_status refuse(std::string_view reason) const;

  const PluginDefinition& definition() const { return definition_; }
  // The sizes are valid after prepare().
  size_t n_v() const { return n_v_; }
  size_t n_x() const { return n_x_; }
  size_t n_memory() const { return n_memory_; }
  // Break times of a trajectory, s, from the last call of its function `describe`.
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
  void call_prepare(lua_State* L, std::string& refusal);
  size_t count(lua_State* L, const char* function, size_t constant) const;
  void push_parameters(lua_State* L, const torsor_model& model) const;
  void push_parameter(lua_State* L, const torsor_model& model, size_t row) const;
  const void* table(std::string_view id) const;

  torsor_plugin plugin_{};
  std::shared_ptr<LoadedScript> script_;
  const PluginDefinition& definition_;
  const torsor_host* host_;
  std::vector<std::vector<double>> values_;  // values of the parameters
  std::vector<std::vector<torsor_frame>> frames_;
  int model_ = LUA_NOREF;  // the table that functions get
  mutable Frozen frozen_;
  size_t n_v_ = 0, n_x_ = 0, n_memory_ = 0;
  mutable std::vector<double> breaks_;
  const LuaKind& kind_;
  std::vector<LuaInterface> interfaces_;
};

// Provide the dynamics of the controller's host as model.dynamics and model.drives. end_service()
// makes them unavailable when the controller is destroyed.
void make_dynamics_type(lua_State* L);
void push_service(lua_State* L, const torsor_dynamics* dynamics, const torsor_model& model);
void end_service(lua_State* L, int index);
void push_drives(lua_State* L, const torsor_dynamics& dynamics, const torsor_model& model);

}  // namespace torsor::lua
