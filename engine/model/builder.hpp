#pragma once
// ModelBuilder: builds a Model from links with joints. Joints are placed by screws, or by rows of
// standard or modified DH tables.

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/model/drive.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/model/model.hpp"
#include "torsor/model/visual.hpp"

namespace torsor {

// The placement of a joint by a screw: the pose of the link's frame L in the frame P of its parent,
// and the axis of the joint through a point, both in L. All are for the neutral q. If at_home is
// true, pose, axis and point are in the robot's base frame instead (M_i and S_i of MR).
// - Planar joint: the axis is the normal of the plane. The x and y axes of the joint are those of
//   L, turned by rotation_z_to(axis) (spatial/so3.hpp).
// - Spherical joint: has a point and no axis.
// - Floating joint: has neither. Its v is the twist of L.
struct ScrewPlacement {
  Pose<double> X_PL = Pose<double>::identity();
  Vec3<double> axis{0, 0, 1};  // need not have length 1
  Vec3<double> point{0, 0, 0};
  bool at_home = false;
};
// Standard DH row (JIN): T = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha). The joint moves
// along the z axis of the parent.
struct StandardDh {
  double a = 0, alpha = 0, d = 0, theta = 0;
};
// Modified DH row (KHALIL): T = Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta)
// Trans(z, r). The joint moves along the z axis of the link. gamma and b are for links at which a
// tree branches.
struct ModifiedDh {
  double alpha = 0, d = 0, theta = 0, r = 0, gamma = 0, b = 0;
};

// A quantity per degree of freedom of a joint: one number for all of them, or a list with one
// number for each.
struct PerDof {
  PerDof(double all = 0) : all(all) {}
  PerDof(std::vector<double> each) : all(0), each(std::move(each)) {}
  double of(int dof) const { return each.empty() ? all : each[size_t(dof)]; }
  bool operator==(const PerDof&) const = default;
  double all;
  std::vector<double> each;
};

// Returns whether a joint has motors if its description does not state it. Floating joints have
// none. Planar and spherical joints have none if at_base, which means that they connect the robot
// to the world.
bool has_motors_by_default(JointKind kind, bool at_base);

struct JointDescription {
  std::string name;
  JointKind kind = JointKind::fixed;
  double pitch = 0;  // helical joint: metres per radian
  // DH rows are allowed only for joints with an axis.
  std::variant<ScrewPlacement, StandardDh, ModifiedDh> placement;
  // Second axis, in L, of a universal joint. The builder replaces a universal joint by two revolute
  // joints NAME_1 and NAME_2 with the massless link NAME_cross between them. The first axis is
  // `axis` and is fixed in the parent. The second axis is fixed in the link.
  std::optional<Vec3<double>> second_axis = std::nullopt;
  PerDof armature = 0, damping = 0;
  // One drive for each degree of freedom. If empty, has_motors_by_default() selects between default
  // motors and none.
  std::vector<Drive> drives = {};
  // The spring of a spherical or floating joint. The spring of a dof is in its drive.
  std::optional<PoseSpring> spring = std::nullopt;
  std::optional<Mimic> mimic = std::nullopt;
  // The spring to the joint. Set only for rotor bodies (rotor_body.hpp).
  std::optional<ElasticDrive> elastic_drive = std::nullopt;
  // Limits. Only for joints with one degree of freedom.
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();
  double velocity_limit = std::numeric_limits<double>::infinity();
  double effort_limit = std::numeric_limits<double>::infinity();
  std::string source = "";  // "file:line"; "" means that of the link
};

struct LinkDescription {
  std::string name;
  std::string parent;  // name of a link; "" for the base of the robot
  JointDescription joint;
  // about the origin of L, in the axes of L
  SpatialInertia<double> inertia = SpatialInertia<double>::zero();
  bool grouped = false;  // grouped (base) parameters; not checked as the inertia of a body
  std::vector<VisualDescription> visuals;
  std::vector<CollisionDescription> collisions = {};
  // true: the file has shapes, such as capsules, that are not in visuals
  bool shapes_left_out = false;
  std::string source;          // "file:line" for messages; may be ""
  std::string inertia_source;  // "file:line"; "" means that of the link
};

struct FrameDescription {
  std::string name, link;
  Pose<double> X_LF = Pose<double>::identity();
  std::string source;
};

// An element or attribute of a robot file that the reader does not use.
struct UnusedWord {
  enum class Kind : unsigned char {
    ignored,      // known, but irrelevant to the motion
    unsupported,  // known and relevant to the motion, but not modelled by the engine
    unknown,
    broken  // it refers to something that does not exist or does not fit
  };
  Kind kind;
  // The unused part, such as "<gazebo>", "lower of continuous joints" or "<mimic> of joint 'j'
  // names 'k', which is ..".
  std::string what;
  std::string file;
  int line;
  std::string hint = "";  // end of the message: "; what to do"; may be ""
};

// A suspicious entry in a robot file, which the reader accepts. The reader warns of it, and `torsor
// lint` lists it.
struct FileFault {
  std::string rule;     // for example "joint.unlimited"
  std::string source;   // "file:line"
  std::string subject;  // for example "joint 'elbow'"
  std::string what;
  std::string advice;
};

// Joints that several motors move together (Transmission in model.hpp). The Jacobian includes the
// gear ratios. The friction of a motor acts at its shaft.
struct TransmissionDescription {
  std::vector<std::string> joints;
  std::vector<std::vector<double>> jacobian;  // rows of J_qm: dq = J_qm dq_m, rad or m per rad
  std::vector<Motor> motors;
  std::string source;
  // J_qm as a function of the joints' positions, instead of `jacobian`.
  std::shared_ptr<const TransmissionLaw> law = nullptr;
};

// Elastic joints with a common stiffness matrix (KHALIL 7.34). It must be symmetric and positive
// definite. Each joint has one degree of freedom and a motor with an inertia.
struct StiffnessDescription {
  std::vector<std::string> joints;
  std::vector<std::vector<double>> matrix;  // rows of k, N m/rad, N/m or N for mixed entries
  std::vector<double> damping = {};         // of each spring; empty: none
  std::string source = "";
};

// A joint that closes a loop (closure.hpp) between two frames or links of a robot, or a condition
// on joint coordinates. "world" is the frame of the world.
struct ClosureDescription {
  std::string name;
  ClosureKind kind = ClosureKind::weld;
  std::string frames[2] = {"", ""};  // A and B
  // The z axes of the closure, in the axes of each frame. They need not have length 1.
  Vec3<double> axes[2] = {{0, 0, 1}, {0, 0, 1}};
  std::optional<double> parameter = std::nullopt;  // pitch, m/rad; length, m; ratio; or radius, m
  std::string source = "";
  // Poses of A and B in the named frames.
  Pose<double> origins[2] = {Pose<double>::identity(), Pose<double>::identity()};
  // Friction, drives, limits and the like of the joint. Its name, kind and placement are those of
  // the closure. If no drives are given, it has no motors.
  std::optional<JointDescription> joint = std::nullopt;
  // Gears, racks and cables: the coordinates, as in Model::coordinate_names().
  std::vector<std::string> joints = {};
  std::vector<double> radii = {};  // of the pulleys of a cable, m for joints that turn
  std::string carrier = "";        // the joint of the carrier of a gear; "" if there is none
  double offset = 0;               // m or rad
  // Set by the builder: the joint that was cut, and the first frame of the closure.
  struct Cut {
    std::string joint, frame;
    Vec3<double> axis;
    Pose<double> origin;
    bool is_A_cut;
  };
  std::optional<Cut> cut = std::nullopt;
};

// An actuator of a robot file. Its input u causes the force
//   f = (gain_0 + gain_1 p + gain_2 pdot) u + bias_0 + bias_1 p + bias_2 pdot,  p = gear . q
// and the torques gear f at the dof of its joint. u and f are limited to their ranges. Nothing in
// the engine applies these torques: a control law of the scene does.
struct ActuatorDescription {
  std::string name, joint;
  std::string kind;          // the word in the file, such as "motor" or "position"
  std::vector<double> gear;  // one for each dof of the joint
  double gain[3] = {1, 0, 0}, bias[3] = {0, 0, 0};
  TorqueRange input = {}, force = {};
  std::string source = "";
};

// A state with a name, in the coordinates of the robot.
struct NamedState {
  std::string name;
  std::vector<double> q, v;
  std::vector<double> inputs = {};  // of the actuators, in their order; empty: not given
  std::string source = "";
};

enum class Nonphysical { reject, warn, allow };

struct RobotDescription {
  std::string name;
  std::vector<LinkDescription> links;  // in any order
  std::vector<FrameDescription> frames;
  std::vector<TransmissionDescription> transmissions = {};
  std::vector<StiffnessDescription> stiffnesses = {};
  std::vector<ClosureDescription> closures = {};
  std::vector<CollisionPairDescription> collision_pairs = {};
  std::vector<ActuatorDescription> actuators = {};
  std::vector<NamedState> states = {};
  // Names of the moving joints, in the order of their dof. If empty, the order of the links is
  // used.
  std::vector<std::string> dof_order;
  Nonphysical nonphysical = Nonphysical::reject;
  bool com_frames = false;  // moves the frame of each link to its COM, with the same axes (MR)
  std::vector<std::string> warnings;  // from the reader; copied to the Model
  std::vector<UnusedWord> unused;     // in the order of the file
  std::vector<FileFault> faults;      // suspicious entries of the file
  std::string added_joint;            // the floating joint that the reader added; "" if none
  // Gravity in the file, {x, y, z} in world axes, m/s^2, and its place, "file:line". nullopt: the
  // file has none.
  std::optional<Vec3<double>> gravity_W = std::nullopt;
  std::string gravity_source = "";
  std::string family;  // name of a family of robots for which special solvers exist; otherwise ""
};

class ModelBuilder {
 public:
  // Adds a robot with its base frame at X_WR. Several links may be attached to the base. If the
  // model has several robots, every name becomes "ROBOT.name". Throws Error for a second robot with
  // the same name and for a robot without links.
  void add(const RobotDescription& robot, const Pose<double>& X_WR = Pose<double>::identity());
  // Adds a closure between frames of the model: "ROBOT.frame" if it has several robots.
  void close(const ClosureDescription& closure) { closures_.push_back(closure); }
  // Adds a collider that is fixed in the world. Its pose X_LC is that in the world.
  void add(const CollisionDescription& collision) { collisions_.push_back(collision); }
  // Adds a rule for two colliders, links or groups of the model: "ROBOT.link" if it has several
  // robots.
  void add(const CollisionPairDescription& pair) { collision_pairs_.push_back(pair); }
  // Builds the model of all robots. Throws Error for
  // - duplicate names, unknown parents, and parents that form a loop
  // - numbers that are not finite or out of range, such as a negative mass
  // - an inertia that no rigid body has, unless this is allowed
  // - visuals that cannot be drawn
  // - collisions with an impossible shape or material, and rules for names that do not exist
  // - closures that are impossible (building/closures.hpp), and gears that contradict each other
  std::shared_ptr<const Model> build() const;

 private:
  std::vector<std::pair<RobotDescription, Pose<double>>> robots_;
  std::vector<ClosureDescription> closures_;
  std::vector<CollisionDescription> collisions_;
  std::vector<CollisionPairDescription> collision_pairs_;
};

// Builds a model of one robot.
std::shared_ptr<const Model> build(const RobotDescription& robot);

}  // namespace torsor
