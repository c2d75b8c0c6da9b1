#pragma once
// Finding and loading plugins. A Registry is a value: it looks in the paths it is given, keeps what
// it found and says why anything was skipped. Nothing is global.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/host/parameters.hpp"
#include "torsor/loading/first_load.hpp"
#include "torsor/loading/plugin_source.hpp"
#include "torsor/plugin/controller.hpp"
#include "torsor/plugin/force.hpp"
#include "torsor/plugin/solver.hpp"
#include "torsor/plugin/trajectory.hpp"

namespace torsor {

struct ParameterInfo {
  std::string name, unit, help;
  int type;        // TORSOR_REAL, ...
  uint32_t count;  // of values; 0: any number, or what may be left out
};

struct PluginInfo {
  std::string id, version, summary, family;
  std::filesystem::path file;
  std::string sha256;  // of the file
  unsigned abi_major, abi_minor;
  std::vector<ParameterInfo> parameters;
  std::filesystem::path path;  // that was looked in; empty: it was added
};

struct SkippedFile {
  std::filesystem::path file;
  std::string reason;          // a clause whose subject is the file, as "is empty"
  std::filesystem::path path;  // that was looked in
  bool is_second = false;      // sound, but of an id that another gave
};

class Registry {
 public:
  // Makes a source of a script; throws Error with the reason.
  using ScriptLoader =
      std::function<std::shared_ptr<const PluginSource>(const std::filesystem::path&)>;

  // Looks in each path: a plugin file or a folder of them (*.so and, with a loader, *.lua; not its
  // subfolders). Throws Error where a path does not exist or a folder cannot be read. A file that
  // cannot be loaded is skipped with its reason, even if it would end the process (FirstLoads); so
  // are subfolders, links to nothing and a second plugin with an id already found: the first path
  // that has an id gives it. A file reached twice counts once.
  explicit Registry(const std::vector<std::filesystem::path>& paths, ScriptLoader load_script = {},
                    FirstLoads::Tried tried = FirstLoads::Tried::if_unknown);
  ~Registry();
  Registry(const Registry&);  // shares what is loaded
  Registry(Registry&&) noexcept;

  // Returns a registry of the same paths as they are now. It shares the files that are not among
  // those that have changed, and does not load them again. A file that shares symbols with the
  // version before it is skipped. Throws Error as the constructor.
  Registry again(const std::vector<std::filesystem::path>& changed) const;

  // A file that is in none of its paths, checked as those that are. sha256: of the bytes that may
  // be loaded; "": any. Throws Error with the reason as a clause whose subject is the file.
  std::shared_ptr<const PluginSource> load(const std::filesystem::path& file,
                                           const ScriptLoader& load_script,
                                           const std::string& sha256 = "") const;
  // Takes in what a scene brings. Throws Error where one of its plugins is malformed or has an id
  // that is there already.
  void add(const std::shared_ptr<const PluginSource>& source);

  const std::vector<PluginInfo>& plugins() const;  // sorted by id
  const std::vector<SkippedFile>& skipped() const;
  const std::vector<std::filesystem::path>& paths() const;
  std::vector<std::shared_ptr<const PluginSource>> sources() const;  // of its plugins, each once
  // That its plugins were made of, those that it skipped, and its paths, each once: where one of
  // them changes, again() may give other plugins.
  std::vector<std::filesystem::path> files() const;
  // Throws Error where a file that gave plugins to the registry before gives none to this one:
  // "plugin file 'x.so' is empty".
  void require_files_of(const Registry& before) const;

  // A solver by id, "newton_euler" or "solver.newton_euler", with its parameters set, prepared for
  // the model. Throws Error: unknown id (with "did you mean", the list and the paths), a parameter
  // it does not take; and UnsupportedModel.
  Solver solver(std::string_view id, std::shared_ptr<const Model> model,
                const std::vector<Parameter>& parameters = {}) const;
  const PluginInfo& find_solver(std::string_view id) const;
  // A force by id, "ground" or "force.ground". Throws Error as solver(), and where a frame that it
  // needs is not given.
  std::shared_ptr<const Force> force(std::string_view id, std::shared_ptr<const Model> model,
                                     const std::vector<Parameter>& parameters = {}) const;
  // A controller by id, "pid" or "controller.pid", for a model that it takes the robot's for, whose
  // dynamics this solver gives it. Throws Error as force().
  std::shared_ptr<const Controller> controller(std::string_view id,
                                               std::shared_ptr<const Model> model,
                                               std::string_view solver,
                                               const Vec3<double>& gravity_W,
                                               const std::vector<Parameter>& parameters = {}) const;
  // A trajectory by id, "quintic" or "trajectory.quintic". Throws Error as force().
  std::shared_ptr<const Trajectory> trajectory(std::string_view id,
                                               std::shared_ptr<const Model> model,
                                               const std::vector<Parameter>& parameters = {}) const;
  const PluginInfo& find_trajectory(std::string_view id) const;
  const torsor_descriptor& descriptor(
      std::string_view id) const;  // of any kind by its whole id; throws Error
  // An object of any kind by its whole id, with its parameters set and not prepared. Throws Error
  // as solver().
  std::unique_ptr<Plugin> object(std::string_view id, const Model& model,
                                 const std::vector<Parameter>& parameters = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
