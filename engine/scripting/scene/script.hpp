#pragma once
// Loads scenes and robots written in Lua 5.4. A scene file returns an Experiment, and a robot file
// returns a RobotDescription. The scripts run in a sandbox. The Lua state is closed after loading,
// or later when the experiment no longer uses any function of the script.
//
// A script can use the libraries base, math, string, table, coroutine and utf8. The following
// functions are removed: access to the system, loading of code, and functions that depend on time
// or memory addresses. `require` loads modules from the script's own folder and from
// ScriptOptions::scripts. Reading other files and loading binary plugins need
// ScriptOptions::permission. Without permission, loading ends with PermissionNeeded, which a script
// cannot catch.
//
// The limits and stop() also apply inside the C functions of the libraries. A script cannot bypass
// them with pcall, coroutines or metamethods. Loading the same files always produces the same
// result.

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "torsor/model/builder.hpp"
#include "torsor/scripting/sandbox/script_options.hpp"

struct lua_State;

namespace torsor {

struct Experiment;
struct StudyScene;

namespace lua {
struct LoadedScript;
}

class Script {
 public:
  explicit Script(ScriptOptions options = {});

  // Runs a scene, a Lua file that returns world:experiment{...}. Throws Error with a one-line
  // message "file:line: what". The message contains the file name as given by the caller.
  Experiment load_scene(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a scene like load_scene(). Also returns how the scene declares its study: its parameters
  // with their distributions, and its outcome function, which keeps the script.
  StudyScene load_study(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a file that returns a robot, or a module { build = function(options) ... end }. Calls the
  // build function with the overrides. Throws the same errors as load_scene.
  RobotDescription load_robot(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a file that returns an experiment or a robot. Throws the same errors as load_scene.
  std::variant<Experiment, RobotDescription> load(const std::filesystem::path& file,
                                                  const Overrides& overrides = {});

  // Runs a file that returns an experiment or a robot, and returns the descriptions of its robots.
  // Accepts physically implausible inertias. Otherwise throws the same errors as load_scene.
  std::vector<RobotDescription> load_robots(const std::filesystem::path& file,
                                            const Overrides& overrides = {});

  // Runs a file that need not return anything, such as a script with studies. Throws the same
  // errors as load_scene.
  void run_file(const std::filesystem::path& file, const Overrides& overrides = {});

  // Returns the files that the last load tried to read, in order of first use: the scene, its
  // modules, its robot files and their meshes. Also valid after a failed load, so that the caller can watch the
  // files.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // Ends the current load, or the next one, with an Error. Cannot be undone. Thread-safe.
  void stop() noexcept { stop_ = true; }

 private:
  using Finish = std::function<void(lua_State*, const std::shared_ptr<lua::LoadedScript>&)>;
  void run(const std::filesystem::path& file, const Overrides& overrides, const Finish& finish,
           bool any_inertia = false);

  ScriptOptions options_;
  std::atomic<bool> stop_ = false;
  std::vector<std::filesystem::path> files_;
};

// Loads a scene with these plugins (see ScriptOptions::plugins) and this permission (see
// ScriptOptions::permission).
Experiment load_scene(const std::filesystem::path& file, const Overrides& overrides = {},
                      const Registry* plugins = nullptr, const Permission& permission = {});
RobotDescription load_robot(const std::filesystem::path& file, const Overrides& overrides = {});
std::variant<Experiment, RobotDescription> load_scene_or_robot(const std::filesystem::path& file,
                                                               const Overrides& overrides = {},
                                                               const Registry* plugins = nullptr,
                                                               const Permission& permission = {});

std::vector<RobotDescription> load_robots(const std::filesystem::path& file,
                                          const Overrides& overrides = {},
                                          const Registry* plugins = nullptr,
                                          const Permission& permission = {});

}  // namespace torsor
