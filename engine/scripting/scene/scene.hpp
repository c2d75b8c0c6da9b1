#pragma once
// What a script has built so far. Lua holds handles; everything they stand for lives here, so that
// it goes with the load and needs no finalizers.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "torsor/control/controller_law.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/plugins/plugin_definition.hpp"
#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"
#include "torsor/scripting/scene/frozen.hpp"

namespace torsor::lua {

// Values for joints as the script gave them: all in column order, or those of some by name. They
// are checked against the robot's joints when the experiment is made, since links may still be
// added.
struct JointValues {
  enum class Target { q, v, tau, motor_q, motor_v, motor_tau, input } target;
  std::variant<std::vector<double>, std::map<std::string, std::vector<double>>> values;
  std::string source;  // "file:line"
};

// Functions of t are kept in Lua's registry (time_function.hpp).
struct FunctionReference {
  int key;
};
struct AppliedWrench {
  std::string frame;
  std::variant<Wrench<double>, FunctionReference> F_F;
  std::string source;
};
// A torque of time, or a prescribed motion, which may be a trajectory's in place of a function's.
struct JointFunction {
  std::string joint;
  FunctionReference function;
  std::string source;
  std::shared_ptr<const Trajectory> trajectory = nullptr;
};
struct RobotObject;
// arm:control, see read_control.hpp.
struct ControlRequest {
  std::variant<std::string, FunctionReference> law;  // id of a plugin, or a function
  std::vector<Parameter> parameters;
  std::optional<ReferenceLaw> reference;
  std::optional<FunctionReference> reference_of_time;
  const RobotObject* model = nullptr;  // that it takes for its robot's; none: its robot
  std::string solver;                  // of that model
  std::vector<double> memory;          // of a function, at the start
  std::vector<double> max_torque;      // [columns], or one for all; empty: none
  double period;                       // s; 0: asked all the time
  bool of_motors;                      // measures motors of elastic joints in place of these
  Sensor sensor;
  std::string name, source;
};
struct CarriedPayload {
  std::string frame;
  Payload payload;  // its frame to be found
  std::string source;
};

// world:force: checked when the experiment is made and the plugin knows its model.
struct ForceRequest {
  std::string id;
  std::vector<Parameter> parameters;
  std::string source;
};

// arm:force, a function's.
struct ForceFunctionRequest {
  FunctionReference function;
  std::vector<std::string> frames;
  std::string source;
};

struct WorldObject;

struct RobotObject {
  RobotDescription description;
  std::vector<JointValues> values;
  std::vector<AppliedWrench> wrenches;
  std::vector<JointFunction> torques, motions;
  std::vector<ControlRequest> controls;
  std::vector<ForceFunctionRequest> forces;
  std::vector<CarriedPayload> payloads;
  const WorldObject* world = nullptr;  // that it is in
  Pose<double> X_WR = Pose<double>::identity();
  // Of it alone, where it stands: once somebody has asked for its dynamics, kinematics or a
  // trajectory, its links stay as they are.
  std::shared_ptr<const Model> model;
  bool built = false;  // in an experiment: nothing can be changed any more
};

struct TrajectoryObject {
  std::shared_ptr<const Trajectory> trajectory;
};

struct WorldObject {
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<RobotObject*> robots;
  std::vector<ForceRequest> forces;
};

// arm:dynamics: a robot's model with a solver. Its state is set by each call, so that all are
// functions of their arguments.
struct DynamicsObject {
  std::string owner;             // "dynamics of 'iiwa'"
  std::optional<Solver> solver;  // none where scenes are loaded for their descriptions alone
  State state;
  // The same solver for other models; none where that is.
  std::function<Solver(std::shared_ptr<const Model>)> make_solver = {};
};

// A function that the run asks, with what it is for: its name, and its frame, column, joint or
// robot in the model.
struct RunFunction {
  int index, function;
  std::string name, source;
};
// A control: a plugin, already prepared, or a function; and what it follows, without its function.
struct RunControl {
  Control control;  // its law has the signals, but asks no function
  std::shared_ptr<const Controller> controller;
  std::optional<ReferenceLaw> reference;
  std::optional<int> law_function, reference_function;
  std::vector<double> memory;
};
// A force of a function, without it.
struct RunForce {
  ForceFunction force;
  int function;
  std::vector<std::string> frames;  // as the script names them
  std::string source;
};
struct ExperimentObject {
  Experiment experiment;  // without its functions: these own the script
  std::string source;
  std::vector<RunFunction> wrenches, torques, motions;
  std::vector<RunControl> controls;
  std::vector<RunForce> forces;
};

// A continuous state or a number of memory of a plugin has a place in every stage of an integrator
// and in every snapshot.
inline constexpr double bytes_per_state = 16 * sizeof(double);
// What a link or frame costs once built: its description, its rows of the model, the state and a
// solver. And what a visual costs, and remembering values for joints or a wrench.
inline constexpr size_t bytes_per_link = 4096, bytes_per_visual = 512, bytes_per_setting = 512;

struct SceneContext {
  // first: objects of these plugins are below.
  std::vector<std::unique_ptr<PluginDefinition>> definitions;
  LoadedScript* script = nullptr;  // that this is of
  std::optional<Registry>
      plugins;  // with what the script has brought; none: there are no plugins where it is loaded
  std::vector<std::shared_ptr<const PluginSource>> brought;  // files of plugins that it names
  Overrides overrides;
  bool overrides_taken = false;  // somebody has looked at them
  bool has_parameters = false;
  bool any_inertia = false;  // robots are made whatever their inertia
  std::map<std::string, SceneParameter> parameters;
  std::vector<std::unique_ptr<RobotObject>> robots;
  std::vector<std::unique_ptr<TrajectoryObject>> trajectories;
  std::vector<std::unique_ptr<WorldObject>> worlds;
  std::vector<std::unique_ptr<DynamicsObject>> dynamics;
  std::vector<std::unique_ptr<ExperimentObject>> experiments;
};

// A script with what it has made: as long as somebody has one of its functions.
struct LoadedScript {
  LoadedScript(const ScriptOptions& options, const std::atomic<bool>& stop, const Random& random)
      : box(options, stop, random) {
    box.context = &scene;
    scene.script = this;
    if (options.plugins) scene.plugins.emplace(*options.plugins);
  }
  // Runs f as the sandbox does, one thread after the other, each time with the steps and the time
  // of one call; what a call of the script has led to has what is left of them.
  void ask(const std::function<void(lua_State*)>& f) {
    const std::lock_guard turn(mutex);
    if (!box.is_running()) box.renew_budget();
    box.run(f);
  }

  std::recursive_mutex mutex;  // of functions that are asked
  Frozen frozen;               // of those that the run asks
  Sandbox box;
  SceneContext scene;  // last: objects of plugins in Lua leave their state
};

// What is being built; throws Error where that has ended.
inline SceneContext& scene_of(lua_State* L) {
  Sandbox::of(L).require_loading("a function that builds a scene");
  return *Sandbox::of(L).context;
}

inline constexpr const char* robot_type = "robot";
inline constexpr const char* world_type = "world";
inline constexpr const char* dynamics_type = "dynamics";
inline constexpr const char* experiment_type = "experiment";

// The model of a world's robots with all that was said of them, for an experiment; no inertia is
// refused where the scene says so.
void build_model(lua_State* L, WorldObject& world, ExperimentObject& made);

// The model of a robot alone, by a name, that stands somewhere.
std::shared_ptr<const Model> build_alone(lua_State* L, const RobotObject& robot,
                                         const std::string& name, const Pose<double>& X_WR);
// The same where it stands, or at the origin; made once.
const std::shared_ptr<const Model>& own_model(lua_State* L, RobotObject& robot);

// Pushes a handle of one of these types.
void push_handle(lua_State* L, void* object, const char* type);
// The object of the handle at an index, or null where something else is there.
void* object_at(lua_State* L, int index, const char* type);

template <class T>
T& self(lua_State* L, const char* type, const char* call) {
  if (void* object = object_at(L, 1, type)) return *static_cast<T*>(object);
  throw Error(fmt::format("{} is not called on a {}; write a colon, not a dot", call, type));
}

// Takes the steps and the memory of making a model of these robots.
void charge_model(lua_State* L, std::span<const RobotObject* const> robots);

// Makes the types and provides the module "torsor".
void open_torsor(lua_State* L);

// The parts of it. Functions are added to the table on top; types are made.
void add_parameter_functions(lua_State* L);
void add_robot_functions(lua_State* L);
void add_world_functions(lua_State* L);
void add_planning_functions(lua_State* L);
int linearise_step(lua_State* L);  // d:linearise{...}
void add_dynamics_functions(lua_State* L);
void add_plugin_functions(lua_State* L);

// Methods of a robot that compute with its model, see bind_dynamics.cpp.
int robot_dynamics(lua_State* L);
int robot_inverse_kinematics(lua_State* L);
int robot_base_parameters(lua_State* L);  // bind_base_parameters.cpp

void make_type(lua_State* L, const char* type, std::span<const Function> methods);

// Pushes the overrides as a table of texts; torsor.options knows it and gives each text its
// default's type.
void push_overrides(lua_State* L);

}  // namespace torsor::lua
