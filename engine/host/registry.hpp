#pragma once
// Finds and loads plugins. A Registry contains the plugins found in a list of search paths, and the
// files that were skipped, with reasons. Registries are values: there is no global registry.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/handles/constraint_solver.hpp"
#include "torsor/handles/controller.hpp"
#include "torsor/handles/force.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/host/parameters.hpp"
#include "torsor/loading/first_load.hpp"
#include "torsor/loading/plugin_source.hpp"

namespace torsor {

struct ParameterInfo {
  std::string name, unit, help;
  int type;        // TORSOR_REAL, ...
  uint32_t count;  // number of values; 0: variable length, or an optional motion parameter
};

struct PluginInfo {
  std::string id, version, summary, family;
  // Returns the first part of the id, such as "solver".
  std::string_view kind() const { return std::string_view(id).substr(0, id.find('.')); }
  std::filesystem::path file;
  std::string sha256;  // hash of the file
  unsigned abi_major, abi_minor;
  std::vector<ParameterInfo> parameters;
  std::filesystem::path path;  // search path in which it was found; empty if added by a scene
  // Processor level for which the file is built (loading/plugin_variant.hpp), or "" if there is one
  // file for all processors
  std::string level = "";
};

class Registry;

// A plugin whose code is generated for each model. Its id is NAME, or NAME(ARGUMENTS) with
// arguments for the generator, such as "generated(inverse_dynamics+mass_matrix)".
struct GeneratedPlugin {
  PluginInfo info;  // info.id is the id without arguments. file and sha256 are empty
  // Returns the source of the plugin for a model. Its first plugin is used. Throws Error with the
  // reason.
  std::function<std::shared_ptr<const PluginSource>(const Registry& registry,
                                                    const std::shared_ptr<const Model>& model,
                                                    std::string_view arguments)>
      generate;
};

struct SkippedFile {
  std::filesystem::path file;
  std::string reason;          // a clause whose subject is the file, such as "is empty"
  std::filesystem::path path;  // search path in which it was found
  // True if the plugin is valid but another plugin already has its id.
  bool is_second = false;
};

class Registry {
 public:
  // Loads the plugins of a Lua script. Throws Error with the reason as a clause whose subject is
  // the file.
  using ScriptLoader =
      std::function<std::shared_ptr<const PluginSource>(const std::filesystem::path&)>;

  // Searches for plugins. Each path is a plugin file, or a folder with plugin files. In a folder,
  // files *.so are searched and, if load_script is set, files *.lua. If a file *.so has variants,
  // the best one for this processor replaces it (loading/plugin_variant.hpp). Other subfolders are
  // not searched. Throws Error if a path does not exist or a folder cannot be read, and under the
  // same conditions as processor_level().
  //
  // The following files are skipped, and skipped() lists them with the reasons:
  // - files that cannot be loaded, including those that would end the process (see FirstLoads);
  // - subfolders without variants, variants of no file, and broken links;
  // - plugins whose id another plugin already has.
  //
  // If two paths provide the same id, the first path has priority. A file that is found twice
  // counts once.
  explicit Registry(const std::vector<std::filesystem::path>& paths, ScriptLoader load_script = {},
                    FirstLoads::Tried tried = FirstLoads::Tried::if_unknown);
  ~Registry();
  // The copy shares the loaded files, and the list of plugins until one of the two adds a plugin.
  Registry(const Registry&);
  Registry(Registry&&) noexcept;

  // Searches the same paths again and returns the new registry. Files that have not changed are
  // shared and not loaded again. A changed file is skipped if it would share symbols with its
  // previous version. Throws Error under the same conditions as the constructor.
  Registry again(const std::vector<std::filesystem::path>& changed) const;

  // Loads a file outside the search paths, with the same checks. sha256: the SHA-256 that the bytes
  // of the file must have; "" accepts any. Throws Error with the reason as a clause whose subject
  // is the file.
  std::shared_ptr<const PluginSource> load(const std::filesystem::path& file,
                                           const ScriptLoader& load_script,
                                           const std::string& sha256 = "") const;
  // Adds the plugins of a scene. Throws Error if a plugin is malformed or its id is already used.
  void add(const std::shared_ptr<const PluginSource>& source);
  // Adds a generated plugin, unless a plugin with its id was found.
  void add(GeneratedPlugin plugin);

  const std::vector<PluginInfo>& plugins() const;  // those of files and scripts, sorted by id
  std::vector<PluginInfo> generated() const;
  const std::vector<SkippedFile>& skipped() const;
  const std::vector<std::filesystem::path>& paths() const;
  std::vector<std::shared_ptr<const PluginSource>> sources() const;  // each source once
  // Returns the plugin files, the skipped files and the search paths, each once. If none of them
  // has changed, again() finds the same plugins.
  std::vector<std::filesystem::path> files() const;
  // Throws Error if a file that provided plugins in `before` provides none here. The message
  // contains the reason: "plugin file 'x.so' is empty".
  void require_files_of(const Registry& before) const;

  // Creates an object of a plugin of the handle's kind (Solver, Force or another), sets its
  // parameters and prepares it for the model. The id may be "ground" or "force.ground". Throws
  // Error in these cases:
  // - The id is unknown. The message lists the known ids and the search paths.
  // - A parameter is invalid, or a required parameter is missing.
  // Throws UnsupportedModel if the plugin rejects the model.
  template <class Handle>
  std::unique_ptr<Handle> make(std::string_view id, const std::shared_ptr<const Model>& model,
                               const std::vector<Parameter>& parameters = {}) const {
    std::unique_ptr<Handle> out;
    configure(Handle::kind, id, model, parameters, [&](ConfiguredPlugin configured) {
      out = std::make_unique<Handle>(std::move(configured), model);
    });
    return out;
  }
  Solver solver(std::string_view id, const std::shared_ptr<const Model>& model,
                const std::vector<Parameter>& parameters = {}) const {
    return std::move(*make<Solver>(id, model, parameters));
  }
  // Creates a controller. model: the nominal model of the robot that the controller uses. solver:
  // the id of the solver for the dynamics of this model. mechanism: its dynamics with closed loops;
  // empty for a model without closures. Throws Error under the same conditions as make().
  std::shared_ptr<const Controller> controller(std::string_view id,
                                               std::shared_ptr<const Model> model,
                                               std::string_view solver,
                                               const Vec3<double>& gravity_W,
                                               const std::vector<Parameter>& parameters = {},
                                               MechanismDynamics mechanism = {}) const;
  // Returns a plugin of the handle's kind. Throws Error if the id is unknown.
  template <class Handle>
  PluginInfo find(std::string_view id) const {
    return find(Handle::kind, id);
  }
  // Returns the descriptor of a plugin of any kind. id: the full id, such as "force.ground". Throws
  // Error if the id is unknown.
  const torsor_descriptor& descriptor(std::string_view id) const;
  // Creates an object of any kind by its full id and sets its parameters. Does not prepare the
  // object. Throws Error under the same conditions as make().
  std::unique_ptr<Plugin> object(std::string_view id, const std::shared_ptr<const Model>& model,
                                 const std::vector<Parameter>& parameters = {}) const;

 private:
  PluginInfo find(const char* kind, std::string_view id) const;
  // Creates an object, sets its parameters and calls prepare() with it. Adds the plugin file to the
  // message of every Error.
  using Prepare = std::function<void(ConfiguredPlugin)>;
  void configure(const char* kind, std::string_view id, const std::shared_ptr<const Model>& model,
                 const std::vector<Parameter>& parameters, const Prepare& prepare) const;

  struct Impl;
  // Returns the list of plugins for a change. Copies it first if other registries share it.
  Impl& own();
  std::shared_ptr<Impl> impl_;
};

}  // namespace torsor
