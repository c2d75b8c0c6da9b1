#pragma once
// An object of a plugin in Lua: the tables of the plugin ABI over functions of a script. No
// exception leaves it; what goes wrong is reported to the host, with the file and line.

#include <functional>

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/scene/scene.hpp"
#include "torsor/sdk/ext/host_dynamics.h"

namespace torsor::lua {

class LuaPlugin {
 public:
  // The script has the definition; the host outlives the object.
  static torsor_plugin* create(std::shared_ptr<LoadedScript> script,
                               const PluginDefinition& definition, const torsor_host* host);
  static const LuaPlugin& of(const torsor_plugin* plugin) {
    return *static_cast<LuaPlugin*>(plugin->self);
  }

  // Calls a function of the definition with the model's table and the arguments that push puts on
  // the stack, as many as it says. read sees the results from index 1 on, and says how it went.
  using Push = std::function<int(lua_State*)>;
  using Read = std::function<torsor_status(lua_State*, int results, const std::string& owner)>;
  torsor_status ask(const char* function, const Push& push, const Read& read) const noexcept;

  // Reports why it does not take a model or a call: TORSOR_UNSUPPORTED.
  torsor_status refuse(std::string_view reason) const;

  const PluginDefinition& definition() const { return definition_; }
  // Since it is prepared.
  size_t n_v() const { return n_v_; }
  size_t n_x() const { return n_x_; }
  size_t n_memory() const { return n_memory_; }
  // Of a trajectory, as it was described last.
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
  std::vector<std::vector<double>> values_;  // of the parameters, as they were set
  std::vector<std::vector<torsor_frame>> frames_;
  int model_ = LUA_NOREF;  // the table that functions get
  mutable Frozen frozen_;
  size_t n_v_ = 0, n_x_ = 0, n_memory_ = 0;
  mutable std::vector<double> breaks_;
  const LuaKind& kind_;
  std::vector<LuaInterface> interfaces_;
};

// The dynamics that a controller's host gives it, as model.dynamics and model.drives; no more once
// the controller is gone.
void make_dynamics_type(lua_State* L);
void push_service(lua_State* L, const torsor_dynamics* dynamics, const torsor_model& model);
void end_service(lua_State* L, int index);
void push_drives(lua_State* L, const torsor_dynamics& dynamics, const torsor_model& model);

}  // namespace torsor::lua
