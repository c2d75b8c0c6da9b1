#pragma once
// ModelBuilder: builds a Model from links with joints, which are placed by screws, standard or
// modified DH rows.

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

// The pose of a link's frame L in frame P of its parent, and the axis of its joint through a point
// in L, at the neutral q. If at_home, pose and axis are in the robot's base frame instead (M_i and
// S_i of MR 9).
// - Planar: the axis is the normal; x and y of the joint are those of L, after the smallest
//   rotation of z to the axis.
// - Spherical: it has a point and no axis.
// - Floating: it has neither; its v is the twist of L.
struct ScrewPlacement {
  Pose<double> X_PL = Pose<double>::identity();
  Vec3<double> axis{0, 0, 1};  // of any length
  Vec3<double> point{0, 0, 0};
  bool at_home = false;
};
// T = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha). The joint moves along z of the parent
// (JIN).
struct StandardDh {
  double a = 0, alpha = 0, d = 0, theta = 0;
};
// T = Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r). The joint
// moves along z of the link. gamma and b are for links at which a tree branches (KHALIL).
struct ModifiedDh {
  double alpha = 0, d = 0, theta = 0, r = 0, gamma = 0, b = 0;
};

// One number for all degrees of freedom of a joint, or a list with one for each.
struct PerColumn {
  PerColumn(double all = 0) : all(all) {}
  PerColumn(std::vector<double> each) : all(0), each(std::move(each)) {}
  double of(int column) const { return each.empty() ? all : each[size_t(column)]; }
  bool operator==(const PerColumn&) const = default;
  double all;
  std::vector<double> each;
};

// Returns whether a joint has motors if its description does not say. Floating joints have none.
// Joints with three or more dof (planar, spherical) have none at_base, which means that they
// connect the robot to the world.
bool has_motors_by_default(JointKind kind, bool at_base);

struct JointDescription {
  std::string name;
  JointKind kind = JointKind::fixed;
  double pitch = 0;  // helical: metres per radian
  // DH rows are for joints with an axis.
  std::variant<ScrewPlacement, StandardDh, ModifiedDh> placement;
  // Second axis, in L, of a universal joint. It becomes two revolute joints NAME_1 and NAME_2 with
  // the massless link NAME_cross between them: `axis` is fixed in the parent, the second axis in
  // the link.
  std::optional<Vec3<double>> second_axis = std::nullopt;
  PerColumn armature = 0, damping = 0;
  // One for each degree of freedom. Empty: plain motors, or none (has_motors_by_default).
  std::vector<Drive> drives = {};
  std::optional<Mimic> mimic = std::nullopt;
  std::optional<ElasticDrive> elastic_drive = std::nullopt;  // for rotors only (rotor_body.hpp)
  // Limits, for joints with one degree of freedom.
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();
  double velocity_limit = std::numeric_limits<double>::infinity();
  double effort_limit = std::numeric_limits<double>::infinity();
  std::string source = "";  // "file:line"; "" if it is that of the link
};

struct LinkDescription {
  std::string name;
  std::string parent;  // a link's name; "" for the base of the robot
  JointDescription joint;
  SpatialInertia<double> inertia = SpatialInertia<double>::zero();  // about L's origin, in L
  bool grouped = false;  // grouped (base) parameters, which are not checked as a body
  std::vector<VisualDescription> visuals;
  bool shapes_left_out = false;  // it has shapes, such as capsules, that are not in visuals
  std::string source;            // "file:line" for messages; may be ""
  std::string inertia_source;    // "file:line"; "" if it is that of the link
};

struct FrameDescription {
  std::string name, link;
  Pose<double> X_LF = Pose<double>::identity();
  std::string source;
};

// A word of a robot file that the reader does not use.
struct UnusedWord {
  enum class Kind : unsigned char {
    ignored,      // known; it does not concern the motion
    unsupported,  // known; it describes the motion, but the engine has no model of it
    unknown,
    broken  // it refers to something that does not exist or does not fit
  };
  Kind kind;
  // "<collision>", "lower of continuous joints", "joint 'j' mimics 'k', which is ..".
  std::string what;
  std::string file;
  int line;
  std::string hint = "";  // "; what to do", to end a message; may be ""
};

// A doubtful place in a robot file, which the reader accepts. The warnings name it, and lint lists
// it.
struct FileFault {
  std::string rule;     // "joint.unlimited"
  std::string source;   // "file:line"
  std::string subject;  // "joint 'elbow'"
  std::string what;
  std::string advice;
};

// Joints that several motors move together (model.hpp). The Jacobian includes the gears. The
// friction of a motor is at its shaft.
struct TransmissionDescription {
  std::vector<std::string> joints;
  std::vector<std::vector<double>> jacobian;  // rows of J_qm: dq = J_qm dq_m, rad or m per rad
  std::vector<Motor> motors;
  std::string source;
};

enum class Nonphysical { refuse, warn, allow };

struct RobotDescription {
  std::string name;
  std::vector<LinkDescription> links;  // in any order
  std::vector<FrameDescription> frames;
  std::vector<TransmissionDescription> transmissions = {};
  // Names of the moving joints, in the order of their dof. If it is empty, this is the order of the
  // links.
  std::vector<std::string> column_order;
  Nonphysical nonphysical = Nonphysical::refuse;
  bool com_frames = false;            // move the frame of each link to its COM, same axes (MR 9)
  std::vector<std::string> warnings;  // from the reader; the Model receives them
  std::vector<UnusedWord> unused;     // in the order of the file
  std::vector<FileFault> faults;      // doubtful places of the file
  std::string added_joint;            // the floating joint that the reader added; "" if none
  std::string family;                 // "", or a family that special solvers know
};

class ModelBuilder {
 public:
  // Adds a robot with its base frame at X_WR. If there are several robots, every name becomes
  // "ROBOT.name".
  // Several links may be on the base. Throws Error for two robots with one name and for a robot
  // without links.
  void add(const RobotDescription& robot, const Pose<double>& X_WR = Pose<double>::identity());
  // Builds the model of all robots. Throws Error for duplicate names, unknown parents and loops,
  // and for numbers that are not finite or not possible. Throws Error for negative mass, inertia
  // that no body has (unless allowed), and visuals that cannot be drawn.
  std::shared_ptr<const Model> build() const;

 private:
  std::vector<std::pair<RobotDescription, Pose<double>>> robots_;
};

// Builds a model of one robot.
std::shared_ptr<const Model> build(const RobotDescription& robot);

}  // namespace torsor
