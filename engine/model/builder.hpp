#pragma once
// ModelBuilder: links with joints, described by screws, standard DH rows or modified DH rows, become a Model.

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/model/drive.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/model/model.hpp"
#include "torsor/model/visual.hpp"

namespace torsor {

// Frame L of the link in frame P of its parent at the neutral q, and the joint's axis through a point, all in L
// (body-fixed) or, at_home, pose and screw in the robot's base frame at the neutral q (MR 9's M_i and S_i). Of a planar joint
// the axis is the normal, and the joint's x and y are those of L, turned the shortest way so that z comes to the axis. A
// spherical joint has a point and no axis, a floating one neither: its v is the twist of L.
struct ScrewPlacement {
  Pose<double> X_PL = Pose<double>::identity();
  Vec3<double> axis{0, 0, 1};  // of any length
  Vec3<double> point{0, 0, 0};
  bool at_home = false;
};
// T = Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha); the joint moves along z of the parent (JIN).
struct StandardDh {
  double a = 0, alpha = 0, d = 0, theta = 0;
};
// T = Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r); the joint moves along z
// of the link (KHALIL; gamma and b where a tree branches).
struct ModifiedDh {
  double alpha = 0, d = 0, theta = 0, r = 0, gamma = 0, b = 0;
};

// One number for every column of a joint, or a list of one for each.
struct PerColumn {
  PerColumn(double all = 0) : all(all) {}
  PerColumn(std::vector<double> each) : all(0), each(std::move(each)) {}
  double of(int column) const { return each.empty() ? all : each[size_t(column)]; }
  bool operator==(const PerColumn&) const = default;
  double all;
  std::vector<double> each;
};

struct JointDescription {
  std::string name;
  JointKind kind = JointKind::fixed;
  double pitch = 0;                                                // helical: metres per radian
  std::variant<ScrewPlacement, StandardDh, ModifiedDh> placement;  // DH rows: of joints with an axis
  // A universal joint is two revolute ones, and no kind: a link whose revolute joint NAME has a second axis, fixed in the
  // link as the first is in its parent, both given in L, is carried by the joints NAME_1 and NAME_2 with the massless link
  // NAME_cross between them.
  std::optional<Vec3<double>> second_axis = std::nullopt;
  PerColumn armature = 0, damping = 0;
  std::vector<Drive> drives = {};  // of each column; empty: none has one
  std::optional<Mimic> mimic = std::nullopt;
  std::optional<ElasticDrive> elastic_drive = std::nullopt;  // of rotors alone (rotor_body.hpp)
  // Of joints of one column.
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double velocity_limit = std::numeric_limits<double>::infinity();
  double effort_limit = std::numeric_limits<double>::infinity();
  std::string source = "";  // "file:line" where it has one of its own; "": the link's
};

struct LinkDescription {
  std::string name;
  std::string parent;  // a link's name; "" for the base of the robot
  JointDescription joint;
  SpatialInertia<double> inertia = SpatialInertia<double>::zero();  // about L's origin, in L
  bool grouped = false;  // grouped parameters: not checked as a body
  std::vector<VisualDescription> visuals;
  bool shapes_left_out = false;  // it has others, say capsules, that are not among the visuals
  std::string source;            // "file:line" for messages; may be ""
  std::string inertia_source;    // "file:line" where the inertia has one of its own; "": the link's
};

struct FrameDescription {
  std::string name, link;
  Pose<double> X_LF = Pose<double>::identity();
  std::string source;
};

// What a file says that is known and has no meaning here.
struct IgnoredField {
  std::string source, what;  // "file:line", "<collision>"
};

// Joints that several motors move together (model.hpp): joint k's motor is motors[k], whose gears are in the Jacobian and whose
// friction is of its shaft.
struct TransmissionDescription {
  std::vector<std::string> joints;
  std::vector<std::vector<double>> jacobian;  // rows of J_qm: dq = J_qm dq_m, rad or m per rad
  std::vector<Motor> motors;
  std::string source;
};

enum class Nonphysical { refuse, warn, allow };

struct RobotDescription {
  std::string name;
  std::vector<LinkDescription>
      links;  // in any order; columns follow the order of column_order, or of the links
  std::vector<FrameDescription> frames;
  std::vector<TransmissionDescription> transmissions = {};
  std::vector<std::string> column_order;  // names of the moving joints; empty: order of links
  Nonphysical nonphysical = Nonphysical::refuse;
  bool com_frames = false;            // put every link's frame at its COM, axes kept (MR 9)
  std::vector<std::string> warnings;  // of whoever read it, handed on to the Model
  std::vector<IgnoredField> ignored;
  std::string family;  // "" or a family special solvers know
};

class ModelBuilder {
 public:
  // Adds a robot whose base frame stands at X_WR. In a model of several robots every name is "ROBOT.name". Several links may
  // stand on the base. Throws Error here for two robots of one name or a robot without links; build() throws it for
  // duplicate names, unknown parents, loops, numbers that are not finite or not possible, mass < 0, inertia that no
  // body has (unless allowed), and visuals that cannot be drawn.
  void add(const RobotDescription& robot, const Pose<double>& X_WR = Pose<double>::identity());
  std::shared_ptr<const Model> build() const;

 private:
  std::vector<std::pair<RobotDescription, Pose<double>>> robots_;
};

// A model of one robot.
std::shared_ptr<const Model> build(const RobotDescription& robot);

}  // namespace torsor
