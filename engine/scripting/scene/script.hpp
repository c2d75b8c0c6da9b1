#pragma once
// Scenes and robots written in Lua 5.4, run in a sandbox: what a file declares becomes an
// Experiment or a RobotDescription, and the Lua state is gone when that is done, or with the last
// function of time in the experiment.
//
// A script sees base, math, string, table, coroutine and utf8 without what reaches the system,
// loads code or depends on time or addresses; modules come through require from the script's own
// folder and from ScriptOptions::scripts. Other files, and plugins of machine code, need
// ScriptOptions::permission; a script cannot catch the PermissionNeeded that it gets without.
// Limits and stop() hold wherever the script is, in C functions of the libraries too, and pcall,
// coroutines or metamethods cannot swallow them. The same file gives the same result every time.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/host/trust.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/sandbox/random.hpp"

struct lua_State;

namespace torsor {

class Registry;

namespace lua {
struct LoadedScript;
}

struct ScriptLimits {
  // Instructions of the Lua machine, and as many more for what library functions do in their place:
  // enough for about a second.
  long long steps = 100'000'000;
  size_t memory = size_t(128) << 20;  // bytes, of Lua and of what the script has made for it
  // Wall time, for what steps do not measure (comparing huge texts): far more than the steps take.
  double seconds = 60;
};

struct ScriptOptions {
  std::filesystem::path scripts = {};  // folder of modules; empty: default_script_folder()
  ScriptLimits limits = {};
  // Takes each line that print makes; empty: stderr.
  std::function<void(std::string_view)> print = {};
  // Where forces and trajectories come from, while a file is loaded; null: there are none.
  const Registry* plugins = nullptr;
  // Ends the script when it becomes true: while it is loaded, and in functions that a run calls
  // later, which it must outlive. May be null.
  const std::atomic<bool>* stop = nullptr;
  // Asked before the script loads a binary plugin, and before it reads a file that is neither below
  // its own folder nor below `scripts`. Empty: both are denied.
  Permission permission = {};
};

// Names and texts given from outside, as `--set name=text`; each takes the type of the default it
// replaces.
using Overrides = std::map<std::string, std::string>;

class Script {
 public:
  explicit Script(ScriptOptions options = {});

  // Runs a scene: a Lua file that returns world:experiment{...}. Throws Error, one line "file:line:
  // what", with the file as it was given.
  Experiment load_scene(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a file that returns a robot, or a module { build = function(options) ... end } which is
  // called with the overrides. Throws Error as load_scene.
  RobotDescription load_robot(const std::filesystem::path& file, const Overrides& overrides = {});

  // Runs a file that returns either. Throws Error as load_scene.
  std::variant<Experiment, RobotDescription> load(const std::filesystem::path& file,
                                                  const Overrides& overrides = {});

  // Runs a file that returns either, for who looks at descriptions alone: the robot, or those of
  // the scene's worlds. No inertia is refused. Throws Error as load_scene for all else.
  std::vector<RobotDescription> load_robots(const std::filesystem::path& file,
                                            const Overrides& overrides = {});

  // The files that the last load set out to read, in order, each once: the scene, modules that it
  // required, URDF files. Also when that load failed, so that they can be watched for a change that
  // mends it.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // Ends a load, now or later, with an Error. From any thread; there is no way back.
  void stop() noexcept { stop_ = true; }

  // What math.random continues from. Every load starts from it and leaves it where it stopped.
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

// Loads a scene with the forces and trajectories of these plugins, if any. permission: as
// ScriptOptions::permission.
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

// TORSOR_SCRIPTS where it is set, else ../share/torsor/scripts beside the program.
std::filesystem::path default_script_folder();

}  // namespace torsor
