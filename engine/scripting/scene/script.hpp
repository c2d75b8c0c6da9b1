#pragma once
// Scenes and robots written in Lua 5.4 and run in a sandbox. A file declares an Experiment or a
// RobotDescription. The Lua state lives until the file has been loaded, or until the last function
// of the experiment is gone.
//
// A script sees base, math, string, table, coroutine and utf8. Functions that access the system,
// load code, or depend on time or addresses are removed. require loads modules from the script's
// own folder and from ScriptOptions::scripts. Other files, and binary plugins, need
// ScriptOptions::permission. Without permission the load ends with PermissionNeeded, which a script
// cannot catch.
//
// Limits and stop() apply everywhere, including C functions of the libraries. pcall, coroutines and
// metamethods cannot suppress them. The same file always produces the same result.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/run/experiment.hpp"

struct lua_State;

namespace torsor {

class Registry;

namespace lua {
struct LoadedScript;
}

struct ScriptLimits {
  // Budget of Lua instructions. Library functions charge equivalent steps. The default is enough
  // for about a second.
  long long steps = 100'000'000;
  size_t memory = size_t(128) << 20;  // bytes allocated by Lua and by the engine for the script
  // Limit of wall time for work that steps do not measure, such as comparing huge strings. It is
  // far longer than the steps take.
  double seconds = 60;
};

struct ScriptOptions {
  std::filesystem::path scripts = {};  // folder of modules; empty: default_script_folder()
  ScriptLimits limits = {};
  // Receives each line of print. Empty: lines go to stderr.
  std::function<void(std::string_view)> print = {};
  // The plugins that are available during loading. Null: there are none.
  const Registry* plugins = nullptr;
  // Stops the script when it becomes true, during loading and in functions that a run calls later.
  // It must outlive these functions. May be null.
  const std::atomic<bool>* stop = nullptr;
  // Asks the user for permission before the script loads a binary plugin, or reads a file outside
  // its own folder and `scripts`. Empty: both are denied.
  Permission permission = {};
};

// Parameter names and values from outside, as in `--set name=value`. Each value is converted to the
// type of the default that it replaces.
using Overrides = std::map<std::string, std::string>;

class Script {
 public:
  explicit Script(ScriptOptions options = {});

  // Runs a scene: a Lua file that returns world:experiment{...}. Throws Error, one line "file:line:
  // what", which names the file as it was given.
  Experiment load_scene(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a file that returns a robot, or a module { build = function(options) ... end }. Calls
  // build with the overrides. Throws the errors of load_scene.
  RobotDescription load_robot(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a file that returns an experiment or a robot. Throws the errors of load_scene.
  std::variant<Experiment, RobotDescription> load(const std::filesystem::path& file,
                                                  const Overrides& overrides = {});

  // Runs a file that returns an experiment or a robot, and returns only the descriptions of its
  // robots. Accepts any inertia. Otherwise throws the errors of load_scene.
  std::vector<RobotDescription> load_robots(const std::filesystem::path& file,
                                            const Overrides& overrides = {});

  // Returns the files that the last load tried to read, in order of first use: the scene, required
  // modules, robot files. The list is also valid after a failed load, so that the files can be
  // watched for a fix.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // Ends the current or the next load with an Error. May be called from any thread. It cannot be
  // undone.
  void stop() noexcept { stop_ = true; }

  // Returns the state of math.random. Each load starts from this state and stores its final state
  // here.
  const Random& random() const { return random_; }
  void set_random(const Random& random) { random_ = random; }

 private:
  using Finish = std::function<void(lua_State*, const std::shared_ptr<lua::LoadedScript>&)>;
  void run(const std::filesystem::path& file, const Overrides& overrides, const Finish& finish,
           bool any_inertia = false);

  ScriptOptions options_;
  std::atomic<bool> stop_ = false;
  Random random_;
  std::vector<std::filesystem::path> files_;
};

// Loads a scene with the forces and trajectories of these plugins, if any. permission has the
// meaning of ScriptOptions::permission.
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

// Returns the value of TORSOR_SCRIPTS if it is set, else ../share/torsor/scripts relative to the
// program.
std::filesystem::path default_script_folder();

}  // namespace torsor
