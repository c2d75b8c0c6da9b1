#pragma once
// The immutable model: flat arrays over bodies and dof, plus the names that the user gave.
//
// Bodies are in topological order; body 0 is the world. Links that fixed joints connect are one
// body. The entries of q and v are in the user's order, for example the order of moving joints in a
// file. The entries of the joint of body i begin at q[q_index[i]] and v[v_index[i]].
//
// The builder selects the frame B of a body so that the screws of its joint are those of joint.hpp:
// along z through the origin, or along the axes of the link's frame for spherical and floating
// joints. The names of the user refer to a Frame: the frame of a link, or another frame fixed in a
// body. Every public body-fixed quantity is expressed in such a frame.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/closure.hpp"
#include "torsor/model/collider.hpp"
#include "torsor/model/drive.hpp"
#include "torsor/model/joint.hpp"
#include "torsor/model/visual.hpp"
#include "torsor/sdk/torsor_model.h"
#include "torsor/spatial/inertia.hpp"

namespace torsor {

struct Joint {
  std::string name;
  JointKind kind;
  int body;              // body that the joint moves
  int q_index, v_index;  // indices of the joint's first entries in q and v
  double lower, upper;   // position limits in the unit of q; infinite if there are none
  double velocity_limit, effort_limit;
  std::optional<PoseSpring> spring = std::nullopt;  // springs of other joints are in their drives
};

// A frame fixed in a body. The frames of links come in the order of the user's description.
struct Frame {
  std::string name;
  int body;
  Pose<double> X_BF;
};

struct Link {
  std::string name;
  int frame;   // index in Model::frames of the link's frame
  int parent;  // index in Model::links of the parent link, or -1 for the world
  // Name of the joint that moves this link. It may be "" for a fixed joint.
  std::string joint;
  SpatialInertia<double> inertia_L;  // this link only, about the origin of its link frame
  bool grouped;                      // true: the inertia contains grouped (base) parameters
};

// The part of a model that was added as one robot: ranges of links, joints, and entries of q and v.
struct Robot {
  std::string name;
  int first_link, n_link;
  int first_joint, n_joint;
  int first_q, n_q, first_v, n_v;
};

// A body whose joint has several dof.
struct MappedBody {
  int body;
  const JointTraits* kind;
};

// A dof that mimics another dof: q[dof] = ratio * q[of_dof] + offset.
struct Mimicry {
  int dof, of_dof;
  double ratio, offset;
};

// A rotor that is a separate body and drives a dof by a spring. The spring acts between q of the
// dof and q / ratio of the rotor.
struct ElasticRotor {
  int dof, rotor_dof;
  double ratio;
  Elasticity elasticity;
};

// An entry (i, j) off the diagonal of the stiffness matrix k of elastic joints (KHALIL 7.34):
//   U_k = 1/2 e^T k e,  e = q - theta
// The diagonal entries are those of the drives.
struct StiffnessCoupling {
  int dof_i, dof_j;
  double stiffness;
};

// The Jacobian J_qm of a transmission as a function of the positions of its n joints.
class TransmissionLaw {
 public:
  virtual ~TransmissionLaw() = default;
  // Computes J_qm(q) and its rate dJ_qm/dt at the joint rates v, [n * n] by rows. q and v [n] are
  // those of the transmission's joints. Throws Error if the law is not defined at q.
  virtual void evaluate(std::span<const double> q, std::span<const double> v, std::span<double> J,
                        std::span<double> J_dot) const = 0;
  // Returns a hash of the numbers that define the law, or of the code of a script's function and
  // the numbers that it captures.
  virtual uint64_t fingerprint() const = 0;
  // Returns the entries of J_qm as expressions of the joints' positions, by rows, or an empty list.
  virtual std::vector<std::string> expressions(std::span<const std::string> joints) const = 0;
};

// Joints that several motors move together: v[dofs] = J_qm (rates of the motors) (KHALIL 7.31).
// Their armature is the full matrix J_qm^-T diag(J_m) J_qm^-1. If J_qm is constant,
// Model::armature includes the diagonal, and the simulation adds the off-diagonal entries. If J_qm
// depends on q, the simulation adds the whole armature and its Coriolis forces (transmission.hpp).
struct Transmission {
  std::vector<int> dofs;
  std::vector<double> jacobian, inverse;  // J_qm and J_qm^-1, stored by rows; empty with a law
  std::vector<Motor> motors;
  std::shared_ptr<const TransmissionLaw> law = nullptr;  // null: J_qm is constant
  std::string source = "";                               // "file:line"; may be ""
  // Returns entry (i, j) of the constant armature, where i and j count the joints of this
  // transmission.
  double armature(size_t i, size_t j) const {
    const size_t n = dofs.size();
    double sum = 0;
    for (size_t m = 0; m < n; ++m)
      sum += inverse[m * n + i] * motors[m].rotor_inertia * inverse[m * n + j];
    return sum;
  }
};

struct Model {
  int n_body = 1, n_q = 0, n_v = 0;

  // Arrays of length [n_body].
  std::vector<int32_t> parent, q_index, v_index, v_count;
  std::vector<Pose<double>> X_PB0;  // pose in the parent at the neutral q
  std::vector<double> turn, pitch;  // set for joints with one dof (joint.hpp), otherwise 0
  std::vector<SpatialInertia<double>> inertia_B;  // about the body origin

  // Arrays of length [n_v].
  std::vector<Twist<double>> S_B;
  std::vector<double> armature;  // kg m^2 or kg; includes the rotor inertia of rigid drives
  std::vector<double> damping;   // N m s/rad or N s/m
  std::vector<Drive> drives;
  std::vector<int> coordinate;  // index in q of the entry whose rate the dof is, or -1

  std::vector<Mimicry> mimics;  // a mimicry of a mimicking dof comes after that dof's own mimicry
  std::vector<ElasticRotor> elastic_rotors;
  std::vector<StiffnessCoupling> stiffness_couplings;
  std::vector<Transmission> transmissions;
  std::vector<Closure> closures;

  std::vector<MappedBody> mapped;  // bodies with several dof; turn and pitch describe all others
  std::vector<Joint> joints;       // in the order of their dof
  std::vector<Frame> frames;
  std::vector<Link> links;
  std::vector<Robot> robots;
  std::vector<Visual> visuals;  // grouped by link, in the order of the description

  // grouped by link, in the order of the description, and those of the world last
  std::vector<Collider> colliders;
  std::vector<std::string> collision_groups;
  // Pairs of colliders that do not collide, and that do in spite of their group; sorted
  std::vector<ColliderPair> excluded_collisions, forced_collisions;
  std::vector<PairMaterial> pair_materials;  // sorted by pair

  // Name of the robot's family, if the model has one robot and special solvers for it exist;
  // otherwise "".
  std::string family;
  // one line each, from the reader and the checks of the description
  std::vector<std::string> warnings;

  // Returns views of the arrays for a plugin. They are valid as long as this Model exists and is
  // not moved.
  torsor_model view() const;

  // Return the index of a named object. Throw Error, which suggests similar names, if there is
  // none.
  int frame(std::string_view name) const;
  int joint(std::string_view name) const;
  int robot(std::string_view name) const;
  int collider(std::string_view name) const;
  // Returns the name of the joint that moves a body, or "" for the world.
  const std::string& joint_of_body(int body) const;
  // Returns the index in links of the link that a joint moves.
  int child_link(const Joint& joint) const;
  // Return the joint to which a dof belongs, and the entry of this dof in the table of the joint's
  // kind.
  const Joint& joint_of_dof(int v) const;
  const JointDof& dof(int v) const;
  // Returns true if no spring separates the motor of a dof from it.
  bool is_driven_rigidly(int v) const;
  // Returns the viscous and Coulomb friction of a dof and of the motor that drives it rigidly, and
  // the first of their laws that is not the sum of both, or nullptr.
  struct LinearFriction {
    double viscous, coulomb;
    const Friction* other_law;
  };
  LinearFriction linear_friction(int v) const;
  // Return a name for each entry of q [n_q] and of v [n_v]: the name of its joint. If the joint has
  // several entries, a suffix is added, as in "base.qw" and "base.wx".
  std::vector<std::string> coordinate_names() const;
  std::vector<std::string> dof_names() const;
};

// Computes the pose X_PB [n_body] of each body in its parent at q [n_q]. The pose of the world is
// the identity. scratch: a buffer of pose_scratch(model) doubles.
void evaluate_poses(const Model& model, const double* q, double* scratch, Pose<double>* X_PB);
// Computes the sines and cosines of n angles, for evaluate_poses(). Its products and sums are
// contracted (CMakeLists.txt), which saves a third of its time.
void sines_and_cosines(int n, const double* angle, double* sine, double* cosine);
size_t pose_scratch(const Model& model);

// Returns the q [n_q] at which each X_PB is X_PB0: zeros, and identity quaternions.
std::vector<double> neutral(const Model& model);

// Returns a hash of the names of the joints and of all numbers that affect the motion.
uint64_t fingerprint(const Model& model);

// Sets the entries of q [n_q] and v [n_v] of mimic joints from those of the joints that they mimic.
void follow_mimics(const Model& model, std::span<double> q, std::span<double> v);

// Scales the quaternions in q [n_q] to norm 1. Does not change a quaternion whose norm is 1 up to
// rounding. Throws Error with the name of the joint if a norm differs from 1 by more than 1 %.
void normalise(const Model& model, std::span<double> q);

// Computes out = q (+) h v: the position after moving from q with the constant velocity v for a
// time h. q (+) d = q exp(S d), with the exponential of each joint's subgroup. For joints with one
// dof, this is q + d. Quaternions in out have norm 1. out may be the same array as q.
void integrate(const Model& model, const double* q, const double* v, double h, double* out);

// Computes the logarithm: the d [n_v] with q0 (+) d = q1, up to the sign of quaternions. For
// quaternions, the result is a rotation by at most pi. The angle of a planar joint counts turns: an
// angle difference of 2 pi k, k != 0, has no logarithm.
void difference(const Model& model, const double* q0, const double* q1, double* d);

// Computes the time derivative of d [n_v] in q = q0 (+) d for joints with velocity v: dexp_(-d)^-1
// v. For joints with one dof, it is v. Each joint's rotation angle in d must be below 2 pi.
void chart_rate(const Model& model, const double* d, const double* v, double* rate);

}  // namespace torsor
