#pragma once
// An object of a plugin in Lua: the tables of the plugin ABI over functions of a script. No exception leaves it; what goes wrong is
// reported to the host, with the file and line.

#include <functional>

#include "torsor/scripting/plugin_definition.hpp"
#include "torsor/scripting/scene.hpp"

namespace torsor::lua {

class LuaPlugin {
 public:
  // The script has the definition; the host outlives the object.
  static torsor_plugin* create(std::shared_ptr<LoadedScript> script, const PluginDefinition& definition,
                               const torsor_host* host);
  static const LuaPlugin& of(const torsor_plugin* plugin) { return *static_cast<LuaPlugin*>(plugin->self); }

  // Calls a function of the definition with the model's table and the arguments that push puts on the stack, as many as it says. read
  // sees the results from index 1 on, and says how it went.
  using Push = std::function<int(lua_State*)>;
  using Read = std::function<torsor_status(lua_State*, int results, const std::string& owner)>;
  torsor_status ask(const char* function, const Push& push, const Read& read) const noexcept;

  const PluginDefinition& definition() const { return definition_; }

 private:
  LuaPlugin(std::shared_ptr<LoadedScript> script, const PluginDefinition& definition,
            const torsor_host* host);
  ~LuaPlugin();

  torsor_status report(torsor_status status, const char* function, const std::string& owner,
                       std::string_view what) const noexcept;
  torsor_status prepare(const torsor_model& model, torsor_sizes& out) noexcept;
  void make_model(lua_State* L, const torsor_model& model);
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
  torsor_solver solver_{};
  torsor_solver_partials partials_{};
  torsor_solver_rates rates_{};
};

// Tables with what the definition has a function for.
torsor_solver solver_table(const PluginDefinition& definition);
torsor_solver_partials partials_table();
torsor_solver_rates rates_table();

}  // namespace torsor::lua
