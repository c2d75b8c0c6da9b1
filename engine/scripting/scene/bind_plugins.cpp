#include "torsor/base/input_file.hpp"
#include "torsor/loading/plugin_file.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/read_plugin.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/load_scene_plugins.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/symbolic/generated_solver.hpp"

namespace torsor::lua {

std::shared_ptr<const PluginSource> make_source(
    const std::filesystem::path& file, const std::string& sha256,
    const std::vector<const PluginDefinition*>& definitions, std::shared_ptr<const void> owner,
    std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create,
    std::vector<std::filesystem::path> files) {
  struct Held {
    std::shared_ptr<const void> owner;
    std::vector<const torsor_descriptor*> descriptors;
    torsor_entry entry;
  };
  const auto held = std::make_shared<Held>();
  held->owner = std::move(owner);
  for (const PluginDefinition* definition : definitions)
    held->descriptors.push_back(&definition->descriptor);
  held->entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, uint32_t(held->descriptors.size()),
                 held->descriptors.data()};
  return std::make_shared<const PluginSource>(
      PluginSource{file, sha256, &held->entry, std::move(create), held, std::move(files), nullptr});
}

namespace {

// Returns a plugin source for a plugin that the script defines. The plugin's objects run in the Lua
// state of the script. While the script is loading, its scene stores the returned source. The
// caller must then pass a non-owning `script` pointer, to avoid a reference cycle.
std::shared_ptr<const PluginSource> own_source(const PluginDefinition& definition,
                                               const std::shared_ptr<LoadedScript>& script) {
  return make_source(script->box.main_file, sha256_of(script->box.main_file), {&definition}, script,
                     [script, &definition](const torsor_descriptor&, const torsor_host* host) {
                       return LuaPlugin::create(script, definition, host);
                     },
                     {});
}

void reject_defined(const SceneContext& scene, const PluginDefinition& definition) {
  for (const auto& other : scene.definitions)
    if (other->id == definition.id)
      throw Error(fmt::format("'{}' is already defined at {}; choose another name", definition.id,
                              other->source));
  if (!scene.plugins) return;
  for (const PluginInfo& other : scene.plugins->plugins())
    if (other.id == definition.id)
      throw Error(fmt::format("'{}' is already a plugin of {}; choose another name", definition.id,
                              other.file.string()));
}

// Implements torsor.KIND(name, {...}). The C closure has one upvalue, the name of the kind
// ("solver", "force", ...).
int define(lua_State* L) {
  const char* kind = lua_tostring(L, lua_upvalueindex(1));
  SceneContext& scene = scene_of(L);
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  auto made = read_plugin(L, kind, Sandbox::of(L).where(L, 1));
  reject_defined(scene, *made);
  if (scene.plugins) {
    LoadedScript& script = *scene.script;
    scene.plugins->add(own_source(*made, {std::shared_ptr<void>(), &script}));
  }
  scene.definitions.push_back(std::move(made));
  return 0;
}

// Loads a plugin file that the scene names. Machine code is loaded only if the file still has the
// SHA-256 that the user allowed.
std::shared_ptr<const PluginSource> load_allowed(lua_State* L, const std::filesystem::path& file) {
  constexpr const char* call = "torsor.plugins";
  std::string allowed;
  if (is_script(file))  // the registry also detects scripts by this extension
    require_readable_by_script(L, file, call);
  else
    allowed = require_loadable_by_script(L, file, call);
  return scene_of(L).plugins->load(file, load_plugin_script, allowed);
}

// Implements torsor.plugins{ "build/mine.so", "mine.lua" }. Paths are relative to the scene's
// folder. The plugins are available to the rest of the scene file and to the run of the scene.
int load_plugins(lua_State* L) {
  SceneContext& scene = scene_of(L);
  lua_settop(L, 1);
  lua_createtable(L, 0, 1);
  lua_insert(L, 1);
  lua_setfield(L, 1, "files");
  const std::vector<std::string> names =
      TableReader(L, 1, {"torsor.plugins", ""}, {"files"}).texts("files");
  if (names.empty())
    throw Error(
        "torsor.plugins: the list is empty; give the names of plugin files, such as "
        "torsor.plugins{ 'build/mine.so' }");
  if (!scene.plugins)
    throw Error(
        "torsor.plugins: plugins are not available where this file is loaded; run it as a scene");
  for (const std::string& name : names) {
    const std::filesystem::path file = named_file(L, name);
    Sandbox::of(L).note_file(L, file);
    try {
      scene.loaded_plugins.push_back(load_allowed(L, file));
    } catch (const Error& error) {
      throw Error(fmt::format("torsor.plugins: plugin file '{}' {}", file.string(), error.what()));
    }
    scene.plugins->add(scene.loaded_plugins.back());
  }
  return 0;
}

// Implements torsor.generated{ quantities = {..} }. Returns the id of the generated solver.
int generated(lua_State* L) {
  lua_settop(L, 1);
  if (lua_isnil(L, 1)) {
    lua_createtable(L, 0, 0);
    lua_replace(L, 1);
  }
  const TableReader table(L, 1, {"torsor.generated", ""}, {"quantities"});
  if (!table.has("quantities")) {
    lua_pushstring(L, "generated");
    return 1;
  }
  const std::vector<std::string> quantities = table.texts("quantities");
  try {
    lua_pushstring(L, symbolic::generated_solver_id(quantities).c_str());
  } catch (const Error& error) {
    table.fail(error.what());
  }
  return 1;
}

}  // namespace

std::shared_ptr<const Registry> plugins_with_own(const ScriptOptions& options,
                                                 const std::shared_ptr<LoadedScript>& script) {
  if (!options.plugins) return nullptr;
  auto out = std::make_shared<Registry>(*options.plugins);
  for (const auto& source : script->scene.loaded_plugins) out->add(source);
  for (const auto& definition : script->scene.definitions)
    out->add(own_source(*definition, script));
  return out;
}

void add_plugin_functions(lua_State* L) {
  make_dynamics_type(L);
  constexpr Function functions[] = {{"generated", guarded<generated>},
                                    {"plugins", guarded<load_plugins>}};
  add_functions(L, functions);
  for (const LuaKind& kind : lua_kinds()) {
    lua_pushstring(L, kind.name);
    lua_pushcclosure(L, guarded<define>, 1);
    lua_setfield(L, -2, kind.name);
  }
}

}  // namespace torsor::lua
