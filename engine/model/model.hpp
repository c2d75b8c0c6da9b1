#pragma once
// The immutable model: flat arrays over bodies and dof, plus the names that the user gave.
//
// Bodies are in topological order; body 0 is the world. Links joined by fixed joints are one body.
// The entries of q and v are in the user's order, for example a file's order of moving joints. The
// joint of body i reads q[q_index[i]..] and v[v_index[i]..].
//
// The builder chooses the frame B of a body so that the screws of its joint are those of joint.hpp:
// along z through the origin, or along the axes of the link's frame for spherical and floating
// joints. Names of the user refer to a Frame: the frame of a link, or another frame fixed in a
// body. Every public body-fixed quantity is in such a frame.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/drive.hpp"
#include "torsor/model/joint.hpp"
#include "torsor/model/visual.hpp"
#include "torsor/sdk/torsor_model.h"
#include "torsor/spatial/inertia.hpp"

namespace torsor {

struct Joint {
  std::string name;
  JointKind kind;
  int body;              // body that the joint carries
  int q_index, v_index;  // its first entries in q and v
  double lower, upper;   // position limits in q's unit; infinite if there are none
  double velocity_limit, effort_limit;
};

// A frame fixed in a body. The frames of links come in the order of the user's description.
struct Frame {
  std::string name;
  int body;
  Pose<double> X_BF;
};

struct Link {
  std::string name;
  int frame;   // its link frame, an index of Model::frames
  int parent;  // link, or -1 for the world
  // Name of the joint that carries it. It may be "" for a fixed joint.
  std::string joint;
  SpatialInertia<double> inertia_L;  // of this link alone, about its link frame's origin
  bool grouped;                      // grouped (base) parameters, not a physical body
};

// The part of a model that was added as one robot: its links, joints and dof.
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

// A dof that mimics another one: its q = ratio * q of the other + offset.
struct Mimicry {
  int column, of_column;
  double ratio, offset;
};

// A rotor that is a body and drives a dof by a spring. The spring is between q of the dof and
// 1/ratio of q of the rotor.
struct ElasticRotor {
  int column, rotor_column;
  double ratio;
  Elasticity elasticity;
};

// Joints that several motors move together: v[columns] = J_qm (rates of the motors) (KHALIL 7.31).
// The armature is the full matrix J_qm^-T diag(J_m) J_qm^-1. Model::armature includes its diagonal,
// and the simulation adds the rest.
struct Transmission {
  std::vector<int> columns;
  std::vector<double> jacobian, inverse;  // J_qm and J_qm^-1, stored by rows
  std::vector<Motor> motors;
  // Returns the entry of the armature for its joints i and j.
  double armature(size_t i, size_t j) const {
    const size_t n = columns.size();
    double sum = 0;
    for (size_t m = 0; m < n; ++m)
      sum += inverse[m * n + i] * motors[m].rotor_inertia * inverse[m * n + j];
    return sum;
  }
};

struct Model {
  int n_body = 1, n_q = 0, n_v = 0;

  // [n_body]
  std::vector<int32_t> parent, q_index, v_index, v_count;
  std::vector<Pose<double>> X_PB0;  // pose in the parent at the neutral q
  std::vector<double> turn, pitch;  // for a joint with one dof (joint.hpp), otherwise 0
  std::vector<SpatialInertia<double>> inertia_B;  // about the body origin

  // [n_v]
  std::vector<Twist<double>> S_B;
  std::vector<double> armature;  // kg m^2 or kg
  std::vector<double> damping;   // N m s/rad or N s/m
  std::vector<Drive> drives;     // armature includes rotor inertia of rigid drives
  std::vector<int> coordinate;   // entry of q whose rate the dof is, or -1

  std::vector<Mimicry> mimics;  // each after the mimicry of the dof that it mimics
  std::vector<ElasticRotor> elastic_rotors;
  std::vector<Transmission> transmissions;

  std::vector<MappedBody> mapped;  // all other bodies move by turn and pitch
  std::vector<Joint> joints;       // in the order of their dof
  std::vector<Frame> frames;
  std::vector<Link> links;
  std::vector<Robot> robots;
  std::vector<Visual> visuals;  // grouped by link, in the order of the description
  // Family that special solvers know, for a model of one robot; otherwise "".
  std::string family;
  std::vector<std::string> warnings;  // one line each, from reading and checking the description

  // Returns the arrays as a plugin sees them. They are valid while this Model exists and is not
  // moved.
  torsor_model view() const;

  // Return the index of a named object. Throw Error with "did you mean" if there is none.
  int frame(std::string_view name) const;
  int joint(std::string_view name) const;
  int robot(std::string_view name) const;
  // Returns the name of the joint that carries a body, or "" for the world.
  const std::string& joint_of_body(int body) const;
  // Returns the link that a joint carries, an index of links.
  int carried_link(const Joint& joint) const;
  // Return the joint with this dof, and the row of the dof in the joint's kind.
  const Joint& joint_of_dof(int v) const;
  const JointDof& column(int v) const;
  // Return a name for each entry of q [n_q] and of v [n_v]: the name of its joint. If the joint has
  // several entries, the name of the entry follows, as in "base.qw" and "base.wx".
  std::vector<std::string> coordinate_names() const;
  std::vector<std::string> dof_names() const;
};

// Computes the pose X_PB [n_body] of each body in its parent at q [n_q]. The pose of the world is
// the identity. scratch: pose_scratch(model) doubles.
void evaluate_poses(const Model& model, const double* q, double* scratch, Pose<double>* X_PB);
size_t pose_scratch(const Model& model);

// Returns the q [n_q] at which each X_PB is X_PB0: zeros, and the quaternion 1.
std::vector<double> neutral(const Model& model);

// Returns a hash of all numbers that the motion depends on and of the names of the joints.
uint64_t fingerprint(const Model& model);

// Sets the entries of q [n_q] and of v [n_v] of joints that mimic others.
void follow_mimics(const Model& model, std::span<double> q, std::span<double> v);

// Scales the quaternions in a q [n_q] to norm 1. A quaternion with norm 1 up to rounding error is
// not changed. Throws Error with the name of the joint if a norm is not within 1 % of 1.
void normalise(const Model& model, std::span<double> q);

// Computes out = q (+) h v: q moved along v for a time h. q (+) d = q exp(S d) with the exponential
// of each joint's subgroup. For joints with one dof it is q + d. Quaternions in out have norm 1.
// out may be q.
void integrate(const Model& model, const double* q, const double* v, double h, double* out);

// Computes the logarithm: the d [n_v] with q0 (+) d = q1, up to the sign of quaternions.
// Quaternions result in angles up to pi. Planar joints count turns: an angle difference of 2 pi k,
// k != 0, has no logarithm.
void difference(const Model& model, const double* q0, const double* q1, double* d);

// Computes the rate of d [n_v] in q = q0 (+) d for joints that move at v: dexp_(-d)^-1 v. For
// joints with one dof it is v. Each joint's angle must satisfy |d| < 2 pi.
void chart_rate(const Model& model, const double* d, const double* v, double* rate);

}  // namespace torsor
