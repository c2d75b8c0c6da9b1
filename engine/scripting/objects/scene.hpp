#pragma once
// The objects that a script has created. A Lua value is only a handle to such an object. All
// objects live until the script is unloaded, so Lua needs no finalizers.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "torsor/contact/contact_detector.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/objects/cost_object.hpp"
#include "torsor/scripting/objects/frozen.hpp"
#include "torsor/scripting/objects/plugin_definition.hpp"
#include "torsor/scripting/objects/study_objects.hpp"
#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

// Joint values as given in the script: a list of all values in dof order, or values by joint name.
// They are checked when the experiment is created, because links may be added until then.
struct JointValues {
  enum class Target { q, v, tau, motor_q, motor_v, motor_tau, input } target;
  std::variant<std::vector<double>, std::map<std::string, std::vector<double>>> values;
  std::string source;  // place in the script, "file:line"
};

// A Lua function of time, stored in the Lua registry (time_function.hpp).
struct FunctionReference {
  int key;
};
struct AppliedWrench {
  std::string frame;
  std::variant<Wrench<double>, FunctionReference> F_F;
  std::string source;
};
// A torque or a prescribed motion of one joint as a function of time. A prescribed motion may be
// defined by a trajectory instead of a function.
struct JointFunction {
  std::string joint;
  FunctionReference function;
  std::string source;
  std::shared_ptr<const DesiredMotion> trajectory = nullptr;
};
struct LoadedScript;
struct RobotObject;
// The arguments of arm:control (read_control.hpp).
struct ControlRequest {
  std::variant<std::string, FunctionReference> law;  // id of a controller plugin, or a Lua function
  std::vector<Parameter> parameters;
  std::optional<ReferenceLaw> reference;
  std::optional<FunctionReference> reference_of_time;
  // The robot whose model the controller uses as its nominal model. Null: the controlled robot.
  const RobotObject* model = nullptr;
  std::string solver;              // id of the solver of the nominal model
  std::vector<double> memory;      // initial memory of a Lua control law
  std::vector<double> max_torque;  // [n_v], or one value for all dof; empty: unlimited
  double period;                   // sampling period in s; 0: continuous-time
  bool of_motors;     // true: measures the motors of elastic joints; false: measures the joints
  bool gives_inputs;  // true: returns inputs of amplifiers; false: returns torques
  Sensor sensor;
  std::vector<std::string> sensors;  // names of the sensors that the law reads
  std::string name, source;
};
// The arguments of arm:sensor (read_sensor.hpp). The indices of the sensor are set when the
// experiment is created.
struct SensorRequest {
  RobotSensor sensor;
  std::string frame, joint, link;  // "" if not given
};
struct AttachedPayload {
  std::string frame;
  Payload payload;  // the frame index is set when the experiment is created
  std::string source;
};

// The arguments of world:force. They are checked when the experiment is created, because the plugin
// needs the model.
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

struct JointNames {
  std::vector<std::string> names;
  std::string source;  // "file:line"
};

struct RobotObject {
  RobotDescription description;
  std::vector<JointValues> values;
  std::vector<AppliedWrench> wrenches;
  std::vector<JointFunction> torques, motions;
  std::vector<ControlRequest> controls;
  std::vector<SensorRequest> sensors;
  std::vector<ForceFunctionRequest> forces;
  std::vector<AttachedPayload> payloads;
  std::optional<JointNames> hold;      // joints that keep their values when loops are closed
  const WorldObject* world = nullptr;  // the world that contains the robot, or null
  Pose<double> X_WR = Pose<double>::identity();
  // Model of this robot alone, with its base pose X_WR. Built at the first request for dynamics,
  // kinematics or a trajectory. After that, links can no longer be added.
  std::shared_ptr<const Model> model;
  // True if an experiment contains the robot. The robot can then no longer be changed.
  bool built = false;
};

struct TrajectoryObject {
  std::shared_ptr<const DesiredMotion> trajectory;
};

struct WorldObject {
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<RobotObject*> robots;
  std::vector<ForceRequest> forces;
  std::vector<ClosureDescription> closures;  // between frames of several robots
  std::vector<CollisionDescription> collisions;
  std::vector<CollisionPairDescription> collision_pairs;
};

// The result of arm:dynamics: a robot model with a solver. Each method call sets the state first,
// so the results depend only on the arguments.
struct DynamicsObject {
  std::string owner;  // owner in error messages, such as "dynamics of 'iiwa'"
  // The solver. Empty if the scene is loaded only for its robot descriptions.
  std::optional<Solver> solver;
  State state;
  // Creates a solver of the same kind for another model. Empty if `solver` is empty.
  SolverFactory make_solver = {};
  std::shared_ptr<ContactDetector> detector = nullptr;  // made at its first use
};

// A Lua function that the run calls. index: index in the model of the frame, dof, joint or robot to
// which the function belongs.
struct RunFunction {
  int index, function;
  std::string name, source;
};
// A control with its law and its reference. The law is either a prepared controller plugin or a Lua
// function. Lua functions are stored as registry keys.
struct RunControl {
  Control control;  // describes the signals; its law does not call Lua functions
  std::shared_ptr<const Controller> controller;
  std::optional<ReferenceLaw> reference;
  std::optional<int> law_function, reference_function;
  std::vector<double> memory;
  std::vector<std::string> sensor_names;  // of Control::sensors, as given in the script
};
// A force computed by a Lua function, which is stored as a registry key.
struct RunForce {
  ForceFunction force;
  int function;
  std::vector<std::string> frames;  // frame names as given in the script
  std::string source;
};
struct ExperimentObject {
  // The experiment without the Lua functions. The functions are added later, because they own the
  // script.
  Experiment experiment;
  std::string source;
  std::vector<RunFunction> wrenches, torques, motions;
  std::vector<RunControl> controls;
  std::vector<RunForce> forces;
  std::optional<OutcomeRequest> outcome;
};

// Memory in bytes charged per continuous state and per memory entry of a plugin. It accounts for
// the copies in each integrator stage and in each snapshot.
inline constexpr double bytes_per_state = 16 * sizeof(double);
// Memory in bytes charged for script objects. bytes_per_link covers a link or frame: its
// description, its rows in the model and the state, and its share of a solver. bytes_per_setting
// covers a set of joint values or a wrench.
inline constexpr size_t bytes_per_link = 4096, bytes_per_visual = 512, bytes_per_setting = 512;

struct SceneContext {
  // Declared first: the objects below use these plugin definitions and must be destroyed before
  // them.
  std::vector<std::unique_ptr<PluginDefinition>> definitions;
  LoadedScript* script = nullptr;  // the script that owns this context
  // The available plugins, including those that the script adds. Empty if the script was loaded
  // without plugins.
  std::optional<Registry> plugins;
  // Plugin files loaded by torsor.plugins.
  std::vector<std::shared_ptr<const PluginSource>> loaded_plugins;
  Overrides overrides;
  bool overrides_taken = false;  // true if torsor.params or torsor.options has read the overrides
  bool has_parameters = false;
  bool any_inertia = false;  // true if physically implausible inertias are accepted
  std::map<std::string, SceneParameter> parameters;
  std::vector<StudyParameter> study_parameters;  // of torsor.params, sorted by name
  std::vector<std::unique_ptr<DistributionObject>> distributions;
  std::vector<std::unique_ptr<FinishedRunObject>> finished_runs;
  std::vector<std::unique_ptr<StudyObject>> studies;
  std::vector<std::unique_ptr<RobotObject>> robots;
  std::vector<std::unique_ptr<TrajectoryObject>> trajectories;
  std::vector<std::unique_ptr<WorldObject>> worlds;
  std::vector<std::unique_ptr<DynamicsObject>> dynamics;
  std::vector<std::unique_ptr<CostObject>> costs;
  std::vector<std::unique_ptr<ExperimentObject>> experiments;
};

// A loaded script and the objects that it has created. It lives as long as one of its functions is
// in use.
struct LoadedScript : std::enable_shared_from_this<LoadedScript> {
  LoadedScript(const ScriptOptions& options, const std::atomic<bool>& stop) : box(options, stop) {
    box.context = &scene;
    scene.script = this;
    if (options.plugins) scene.plugins.emplace(*options.plugins);
  }
  // Runs f in the sandbox, one thread at a time. An outermost call starts with the full budget of
  // one call. A nested call uses what is left of this budget.
  void ask(const std::function<void(lua_State*)>& f) {
    const std::lock_guard turn(mutex);
    if (!box.is_running()) box.renew_budget();
    box.run(f);
  }

  std::recursive_mutex mutex;  // only one thread at a time calls functions of the script
  Frozen frozen;               // saved values that the functions of the run can reach
  Sandbox box;
  // Declared last: objects of Lua plugins must be destroyed before the Lua state.
  SceneContext scene;
};

// Returns the scene that is being loaded. Throws Error if loading has ended.
inline SceneContext& scene_of(lua_State* L) {
  Sandbox::of(L).require_loading("a function that builds a scene");
  return *Sandbox::of(L).context;
}

inline constexpr const char* robot_type = "robot";
inline constexpr const char* world_type = "world";
inline constexpr const char* dynamics_type = "dynamics";
inline constexpr const char* experiment_type = "experiment";

// Builds the model of one robot alone. name: the name of the robot in the model. X_WR: the pose of
// its base in the world. collisions, pairs: of the world.
std::shared_ptr<const Model> build_alone(lua_State* L, const RobotObject& robot,
                                         const std::string& name, const Pose<double>& X_WR,
                                         std::span<const CollisionDescription> collisions = {},
                                         std::span<const CollisionPairDescription> pairs = {});
// Returns the model of one robot alone, with its base pose in its world, the collisions of the
// world, and its rules for pairs that name no other robot. The base is at the origin if the robot
// is in no world. Builds the model at the first call.
const std::shared_ptr<const Model>& own_model(lua_State* L, RobotObject& robot);
// Does the same after the scene was loaded, for outcome functions.
const std::shared_ptr<const Model>& model_of_run(lua_State* L, RobotObject& robot);

// Pushes a handle to an object of one of the types above.
void push_handle(lua_State* L, void* object, const char* type);
// Returns the object to which the handle at a stack index refers. Returns null if the value is not
// a handle of this type.
void* object_at(lua_State* L, int index, const char* type);

template <class T>
T& self(lua_State* L, const char* type, const char* call) {
  if (void* object = object_at(L, 1, type)) return *static_cast<T*>(object);
  throw Error(fmt::format("{} is not called on a {}; write a colon, not a dot", call, type));
}

// Charges the steps and the memory needed to build a model of these robots.
void charge_model(lua_State* L, std::span<const RobotObject* const> robots);

void make_type(lua_State* L, const char* type, std::span<const Function> methods);

}  // namespace torsor::lua
