#include "torsor/scripting/scene/plugin_script.hpp"

#include <algorithm>

#include "torsor/base/memory.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/loading/search_paths.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/scene/load_scene_plugins.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/symbolic/generated_solver.hpp"

namespace torsor {

namespace {

using lua::LoadedScript;
using lua::PluginDefinition;

// Runs a plugin file. The `scene` of the returned script contains the plugin definitions.
std::shared_ptr<LoadedScript> load(const std::filesystem::path& file) {
  ScriptOptions options;
  options.scripts = default_script_folder();
  // The plugin script may use at most the memory that is left in the scene's budget.
  const size_t most = std::min(options.limits.memory, memory_left());
  options.limits.memory = most;
  const std::atomic<bool> never = false;
  const auto script = std::make_shared<LoadedScript>(options, never);
  script->box.main_file = file.string();
  script->box.run([&](lua_State* L) {
    lua::open_environment(L);
    lua::open_torsor(L);
    script->box.load_file(L, file);
    lua::set_environment(L);
    lua_call(L, 0, 0);
  });
  script->box.end_loading();
  reserve_memory(fmt::format("the state of {}", file.string()), double(most - script->box.left()));
  return script;
}

const PluginDefinition& definition(const LoadedScript& script, std::string_view id) {
  for (const auto& each : script.scene.definitions)
    if (each->id == id) return *each;
  throw Error(fmt::format("{} no longer defines '{}'", script.box.main_file, id));
}

// Runs the plugin file in a new Lua state and creates a plugin object there. Reports an error to
// the host and returns null if this fails or if the SHA-256 of the file has changed.
torsor_plugin* create(const std::filesystem::path& file, const std::string& sha256,
                      const torsor_descriptor& descriptor, const torsor_host* host) {
  try {
    if (sha256_of(file) != sha256)
      throw Error(fmt::format("{} has changed since it was read; reload the scene", file.string()));
    const std::shared_ptr<LoadedScript> script = load(file);
    return lua::LuaPlugin::create(script, definition(*script, descriptor.id), host);
  } catch (const std::exception& error) {
    host->report(host, TORSOR_INTERNAL, error.what());
    return nullptr;
  }
}

// Returns the calls that define plugins, for error messages: "torsor.solver(name, {...}),
// torsor.controller, ... or torsor.trajectory".
std::string defining_calls() {
  const std::vector<lua::LuaKind>& kinds = lua::lua_kinds();
  std::string out;
  for (size_t k = 0; k < kinds.size(); ++k)
    out += fmt::format("{}torsor.{}{}",
                       k == 0                 ? ""
                       : k + 1 < kinds.size() ? ", "
                                              : " or ",
                       kinds[k].name, k == 0 ? "(name, {...})" : "");
  return out;
}

}  // namespace

std::shared_ptr<const PluginSource> load_plugin_script(const std::filesystem::path& file) {
  require_readable(file);
  try {
    const std::string sha256 = sha256_of(file);
    const std::shared_ptr<LoadedScript> script = load(file);
    std::vector<const PluginDefinition*> definitions;
    for (const auto& each : script->scene.definitions) definitions.push_back(each.get());
    if (definitions.empty())
      throw Error(fmt::format("it defines no plugin; define one with {}", defining_calls()));
    return lua::make_source(
        file, sha256, definitions, script,
        [file, sha256](const torsor_descriptor& descriptor, const torsor_host* host) {
          return create(file, sha256, descriptor, host);
        },
        script->box.files());
  } catch (const Error& error) {
    throw Error(fmt::format("cannot be used: {}", error.what()));
  }
}

Registry find_all_plugins(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> all = paths;
  for (const std::filesystem::path& path : default_plugin_paths()) all.push_back(path);
  Registry registry(all, load_plugin_script);
  symbolic::add_generated_solver(registry);
  return registry;
}

}  // namespace torsor
