#pragma once
// The objects that a script has built so far. Lua has only handles to them. The objects live here
// until the script is unloaded, so they need no finalizers.

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

// Joint values as the script gave them: all values in dof order, or values of some joints by name.
// They are checked against the robot's joints when the experiment is created, because links may
// still be added.
struct JointValues {
  enum class Target { q, v, tau, motor_q, motor_v, motor_tau, input } target;
  std::variant<std::vector<double>, std::map<std::string, std::vector<double>>> values;
  std::string source;  // "file:line"
};

// A reference to a function of time in Lua's registry (time_function.hpp).
struct FunctionReference {
  int key;
};
struct AppliedWrench {
  std::string frame;
  std::variant<Wrench<double>, FunctionReference> F_F;
  std::string source;
};
// A torque as a function of time, or a prescribed motion. A trajectory may replace the function of
// a prescribed motion.
struct JointFunction {
  std::string joint;
  FunctionReference function;
  std::string source;
  std::shared_ptr<const Trajectory> trajectory = nullptr;
};
struct RobotObject;
// The arguments of arm:control, see read_control.hpp.
struct ControlRequest {
  std::variant<std::string, FunctionReference> law;  // id of a plugin, or a function
  std::vector<Parameter> parameters;
  std::optional<ReferenceLaw> reference;
  std::optional<FunctionReference> reference_of_time;
  // The robot that the controller uses as its nominal model, or null for its own robot.
  const RobotObject* model = nullptr;
  std::string solver;              // solver of the nominal model
  std::vector<double> memory;      // initial memory of a function
  std::vector<double> max_torque;  // [n_v], or one value for all; empty: no limit
  double period;                   // sampling period in s; 0: continuous-time
  bool of_motors;  // true if it measures the motors of elastic joints instead of the joints
  Sensor sensor;
  std::string name, source;
};
struct CarriedPayload {
  std::string frame;
  Payload payload;  // its frame is still to be resolved
  std::string source;
};

// The arguments of world:force. They are checked when the experiment is created and the plugin
// knows its model.
struct ForceRequest {
  std::string id;
  std::vector<Parameter> parameters;
  std::string source;
};

// The arguments of arm:force.
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
  const WorldObject* world = nullptr;  // the world that contains the robot
  Pose<double> X_WR = Pose<double>::identity();
  // Model of this robot alone, at its place in the world. Created by the first request for
  // dynamics, kinematics or a trajectory. From then on, links can no longer be added.
  std::shared_ptr<const Model> model;
  bool built = false;  // true if the robot is part of an experiment: it can no longer be changed
};

struct TrajectoryObject {
  std::shared_ptr<const Trajectory> trajectory;
};

struct WorldObject {
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<RobotObject*> robots;
  std::vector<ForceRequest> forces;
};

// A robot's model with a solver (arm:dynamics). Each call sets the state, so all methods are
// functions of their arguments.
struct DynamicsObject {
  std::string owner;  // "dynamics of 'iiwa'"
  // The solver. It is empty if scenes are loaded only for their descriptions.
  std::optional<Solver> solver;
  State state;
  // Creates the same solver for another model. Empty if solver is empty.
  SolverFactory make_solver = {};
};

// A function that the run calls. index is its frame, dof, joint or robot in the model.
struct RunFunction {
  int index, function;
  std::string name, source;
};
// A control: a prepared plugin or a function, and the reference that it follows. The Lua functions
// are stored as registry keys.
struct RunControl {
  Control control;  // its law has the signals but calls no function
  std::shared_ptr<const Controller> controller;
  std::optional<ReferenceLaw> reference;
  std::optional<int> law_function, reference_function;
  std::vector<double> memory;
};
// A force that a function computes. The Lua function is stored as a registry key.
struct RunForce {
  ForceFunction force;
  int function;
  std::vector<std::string> frames;  // names as the script gives them
  std::string source;
};
struct ExperimentObject {
  // The experiment without its functions, because these own the script.
  Experiment experiment;
  std::string source;
  std::vector<RunFunction> wrenches, torques, motions;
  std::vector<RunControl> controls;
  std::vector<RunForce> forces;
};

// Memory of one continuous state, or of one memory number, of a plugin. Every stage of an
// integrator and every snapshot has a copy.
inline constexpr double bytes_per_state = 16 * sizeof(double);
// Memory of a link or frame after building: its description, its rows in the model, the state and a
// solver. Also the memory of a visual, and of stored joint values or a wrench.
inline constexpr size_t bytes_per_link = 4096, bytes_per_visual = 512, bytes_per_setting = 512;

struct SceneContext {
  // Declared first, because objects of these plugins are declared below.
  std::vector<std::unique_ptr<PluginDefinition>> definitions;
  LoadedScript* script = nullptr;  // the script that owns this context
  // The available plugins, including those that the script adds. Empty: loaded without plugins.
  std::optional<Registry> plugins;
  // Files of plugins that the script names.
  std::vector<std::shared_ptr<const PluginSource>> brought;
  Overrides overrides;
  bool overrides_taken = false;  // true if torsor.params or torsor.options has read them
  bool has_parameters = false;
  bool any_inertia = false;  // true if robots may have implausible inertias
  std::map<std::string, SceneParameter> parameters;
  std::vector<std::unique_ptr<RobotObject>> robots;
  std::vector<std::unique_ptr<TrajectoryObject>> trajectories;
  std::vector<std::unique_ptr<WorldObject>> worlds;
  std::vector<std::unique_ptr<DynamicsObject>> dynamics;
  std::vector<std::unique_ptr<ExperimentObject>> experiments;
};

// A loaded script with the objects that it has created. It lives as long as any of its functions is
// in use.
struct LoadedScript {
  LoadedScript(const ScriptOptions& options, const std::atomic<bool>& stop, const Random& random)
      : box(options, stop, random) {
    box.context = &scene;
    scene.script = this;
    if (options.plugins) scene.plugins.emplace(*options.plugins);
  }
  // Runs f in the sandbox, one thread at a time. Each outermost call gets the steps and the time of
  // one call. A nested call uses the rest of these.
  void ask(const std::function<void(lua_State*)>& f) {
    const std::lock_guard turn(mutex);
    if (!box.is_running()) box.renew_budget();
    box.run(f);
  }

  std::recursive_mutex mutex;  // serializes calls of the script's functions
  Frozen frozen;               // reachable values of the functions that the run calls
  Sandbox box;
  // Declared last, so that objects of Lua plugins are destroyed before the state.
  SceneContext scene;
};

// Returns the scene that is being built. Throws Error if loading has ended.
inline SceneContext& scene_of(lua_State* L) {
  Sandbox::of(L).require_loading("a function that builds a scene");
  return *Sandbox::of(L).context;
}

inline constexpr const char* robot_type = "robot";
inline constexpr const char* world_type = "world";
inline constexpr const char* dynamics_type = "dynamics";
inline constexpr const char* experiment_type = "experiment";

// Builds the model of a world's robots for an experiment. Accepts any inertia if the scene allows
// it.
void build_model(lua_State* L, WorldObject& world, ExperimentObject& made);

// Builds the model of a robot alone, with this name and place X_WR.
std::shared_ptr<const Model> build_alone(lua_State* L, const RobotObject& robot,
                                         const std::string& name, const Pose<double>& X_WR);
// Returns the model of a robot alone at its place in its world, or at the origin if it is in none.
// Builds it at the first call.
const std::shared_ptr<const Model>& own_model(lua_State* L, RobotObject& robot);

// Pushes a handle of one of these types.
void push_handle(lua_State* L, void* object, const char* type);
// Returns the object of the handle at a stack index, or null for another value.
void* object_at(lua_State* L, int index, const char* type);

template <class T>
T& self(lua_State* L, const char* type, const char* call) {
  if (void* object = object_at(L, 1, type)) return *static_cast<T*>(object);
  throw Error(fmt::format("{} is not called on a {}; write a colon, not a dot", call, type));
}

// Charges the steps and the memory of building a model of these robots.
void charge_model(lua_State* L, std::span<const RobotObject* const> robots);

// Creates the types and provides the module "torsor".
void open_torsor(lua_State* L);

// Each of these functions adds a group of functions to the module table on top and creates the
// group's types.
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

// Pushes the overrides as a table of strings. torsor.options recognizes this table and converts
// each string to the type of its default.
void push_overrides(lua_State* L);

}  // namespace torsor::lua
