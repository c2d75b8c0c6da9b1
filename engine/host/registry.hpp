#pragma once
// Finds and loads plugins. A Registry is a value: it searches the paths that it is given, stores
// what it finds, and reports why files were skipped. There is no global state.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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
  uint32_t count;  // number of values; 0: any number, or an optional motion
};

struct PluginInfo {
  std::string id, version, summary, family;
  std::filesystem::path file;
  std::string sha256;  // hash of the file
  unsigned abi_major, abi_minor;
  std::vector<ParameterInfo> parameters;
  std::filesystem::path path;  // the search path; empty for a plugin that was added
};

struct SkippedFile {
  std::filesystem::path file;
  std::string reason;          // a clause whose subject is the file: "is empty"
  std::filesystem::path path;  // the search path
  bool is_second = false;      // true: sound, but another plugin has the same id
};

class Registry {
 public:
  // A function that loads a plugin from a Lua script. It throws Error with the reason.
  using ScriptLoader =
      std::function<std::shared_ptr<const PluginSource>(const std::filesystem::path&)>;

  // Searches each path: a plugin file, or a folder of them (*.so and, with a loader, *.lua, without
  // subfolders). Throws Error if a path does not exist or a folder cannot be read.
  //
  // A file that cannot be loaded is skipped with its reason, even if it would end the process
  // (FirstLoads). Subfolders, broken links and a second plugin with the same id are skipped too:
  // the first path with an id provides it. A file that is found twice counts once.
  explicit Registry(const std::vector<std::filesystem::path>& paths, ScriptLoader load_script = {},
                    FirstLoads::Tried tried = FirstLoads::Tried::if_unknown);
  ~Registry();
  Registry(const Registry&);  // shares the loaded files
  Registry(Registry&&) noexcept;

  // Returns a registry of the same paths in their present state. It shares the files that have not
  // changed and does not load them again. A changed file that shares symbols with its previous
  // version is skipped. Throws Error as the constructor does.
  Registry again(const std::vector<std::filesystem::path>& changed) const;

  // Loads a file that is in none of the paths, with the same checks. sha256: the hash of the bytes
  // that may be loaded; "" for any. Throws Error with the reason as a clause whose subject is the
  // file.
  std::shared_ptr<const PluginSource> load(const std::filesystem::path& file,
                                           const ScriptLoader& load_script,
                                           const std::string& sha256 = "") const;
  // Adds the plugins that a scene contains. Throws Error if one of them is malformed or has an id
  // that already exists.
  void add(const std::shared_ptr<const PluginSource>& source);

  const std::vector<PluginInfo>& plugins() const;  // sorted by id
  const std::vector<SkippedFile>& skipped() const;
  const std::vector<std::filesystem::path>& paths() const;
  std::vector<std::shared_ptr<const PluginSource>> sources() const;  // of its plugins, each once
  // Returns the files of its plugins, the skipped files, and its paths, each once. If one of them
  // changes, again() may find other plugins.
  std::vector<std::filesystem::path> files() const;
  // Throws Error if a file that provided plugins to the registry `before` provides none to this
  // one: "plugin file 'x.so' is empty".
  void require_files_of(const Registry& before) const;

  // Returns a solver by id, "newton_euler" or "solver.newton_euler", with its parameters set and
  // prepared for the model. Throws Error for an unknown id (with "did you mean", the list and the
  // paths) or an invalid parameter. Throws UnsupportedModel.
  Solver solver(std::string_view id, std::shared_ptr<const Model> model,
                const std::vector<Parameter>& parameters = {}) const;
  const PluginInfo& find_solver(std::string_view id) const;
  // Returns a force by id, "ground" or "force.ground". Throws Error as solver() does, and if a
  // required frame is not given.
  std::shared_ptr<const Force> force(std::string_view id, std::shared_ptr<const Model> model,
                                     const std::vector<Parameter>& parameters = {}) const;
  // Returns a controller by id, "pid" or "controller.pid". model: its nominal model of the robot.
  // solver: the id of the solver that computes the dynamics of this model. Throws Error as force()
  // does.
  std::shared_ptr<const Controller> controller(std::string_view id,
                                               std::shared_ptr<const Model> model,
                                               std::string_view solver,
                                               const Vec3<double>& gravity_W,
                                               const std::vector<Parameter>& parameters = {}) const;
  // Returns a trajectory by id, "quintic" or "trajectory.quintic". Throws Error as force() does.
  std::shared_ptr<const Trajectory> trajectory(std::string_view id,
                                               std::shared_ptr<const Model> model,
                                               const std::vector<Parameter>& parameters = {}) const;
  const PluginInfo& find_trajectory(std::string_view id) const;
  // Returns the descriptor of a plugin of any kind by its full id. Throws Error if there is none.
  const torsor_descriptor& descriptor(std::string_view id) const;
  // Returns an object of any kind by its full id, with its parameters set and not prepared. Throws
  // Error as solver() does.
  std::unique_ptr<Plugin> object(std::string_view id, const Model& model,
                                 const std::vector<Parameter>& parameters = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
