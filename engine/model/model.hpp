#pragma once
// The immutable model: flat arrays over bodies and columns, plus the names of what the user
// described.
//
// Bodies are in topological order, body 0 is the world. Links joined by fixed joints are one body.
// Columns of q and v are in the user's order (a file's order of moving joints): body i's joint
// reads q[q_index[i]..] and v[v_index[i]..]. A body's frame B is chosen by the builder so that its
// joint's screws are those of joint.hpp: along z through the origin, or, of spherical and floating
// joints, along the axes of the link's frame. What a user names is a Frame: a link's frame, or a
// frame of his own, fixed in a body. Every public body-fixed quantity is in such a frame.

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
  int body;              // that it carries
  int q_index, v_index;  // first of its entries in q and v
  double lower, upper;   // position limits in q's unit; infinite where none
  double velocity_limit, effort_limit;
};

// A frame fixed in a body. Links come in the order of the user's description.
struct Frame {
  std::string name;
  int body;
  Pose<double> X_BF;
};

struct Link {
  std::string name;
  int frame;   // its link frame, an index of Model::frames
  int parent;  // link, or -1 for the world
  // That carries it; "" where the link is a root fixed in the world.
  std::string joint;
  SpatialInertia<double> inertia_L;  // of this link alone, about its link frame's origin
  bool grouped;                      // grouped (base) parameters, not a physical body
};

// Part of a model that was added as one robot: its links, joints and columns.
struct Robot {
  std::string name;
  int first_link, n_link;
  int first_joint, n_joint;
  int first_q, n_q, first_v, n_v;
};

// A body whose joint has several columns.
struct MappedBody {
  int body;
  const JointTraits* kind;
};

// q of a column = ratio * q of another + offset.
struct Mimicry {
  int column, of_column;
  double ratio, offset;
};

// A rotor that is a body and drives a column by a spring: between q of the column and 1/ratio of
// that of the rotor.
struct ElasticRotor {
  int column, rotor_column;
  double ratio;
  Elasticity elasticity;
};

// Joints that several motors move together: v[columns] = J_qm (rates of the motors) (KHALIL 7.31).
// Its armature is the full matrix J_qm^-T diag(J_m) J_qm^-1: Model::armature holds the diagonal,
// the simulation adds the rest.
struct Transmission {
  std::vector<int> columns;
  std::vector<double> jacobian, inverse;  // J_qm and J_qm^-1 by rows
  std::vector<Motor> motors;
  // The entry of the armature of its joints i and j.
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
  std::vector<Pose<double>> X_PB0;                // pose in the parent at the neutral q
  std::vector<double> turn, pitch;                // of a joint of one column (joint.hpp), else 0
  std::vector<SpatialInertia<double>> inertia_B;  // about the body origin

  // [n_v]
  std::vector<Twist<double>> S_B;
  std::vector<double> armature;  // kg m^2 or kg
  std::vector<double> damping;   // N m s/rad or N s/m
  std::vector<Drive> drives;     // a rigid one's rotor inertia is in the armature
  std::vector<int> coordinate;   // entry of q whose rate the column is, -1 where there is none

  std::vector<Mimicry> mimics;  // what is mimicked comes before who mimics it
  std::vector<ElasticRotor> elastic_rotors;
  std::vector<Transmission> transmissions;

  std::vector<MappedBody> mapped;  // all others move by turn and pitch
  std::vector<Joint> joints;       // in column order
  std::vector<Frame> frames;
  std::vector<Link> links;
  std::vector<Robot> robots;
  std::vector<Visual> visuals;  // those of a link together, as described
  // Of a model of one robot that special solvers may know; else "".
  std::string family;
  std::vector<std::string> warnings;  // one line each, from reading and checking the description

  // The arrays as a plugin sees them; valid while this Model lives and is not moved.
  torsor_model view() const;

  // Index of a named thing; throws Error with "did you mean".
  int frame(std::string_view name) const;
  int joint(std::string_view name) const;
  int robot(std::string_view name) const;
  // Name of the joint that carries a body.
  const std::string& joint_of_body(int body) const;
  // The link that a joint carries, an index of links.
  int carried_link(const Joint& joint) const;
  // The joint with this column, and the column's place in its kind.
  const Joint& joint_of_column(int v) const;
  const JointColumn& column(int v) const;
  // Of every entry of q [n_q] and of v [n_v]: the name of its joint, followed where that has
  // several by its own, as in "base.qw" and "base.wx".
  std::vector<std::string> coordinate_names() const;
  std::vector<std::string> column_names() const;
};

// Pose X_PB [n_body] of every body in its parent at q [n_q]; the world's is the identity.
// scratch: pose_scratch(model) doubles.
void evaluate_poses(const Model& model, const double* q, double* scratch, Pose<double>* X_PB);
size_t pose_scratch(const Model& model);

// The q [n_q] at which every X_PB is X_PB0: zeros, and the quaternion 1.
std::vector<double> neutral(const Model& model);

// Of all numbers that its motion depends on, and the names of its joints.
uint64_t fingerprint(const Model& model);

// Puts joints that mimic others where these are: their entries of q [n_q] and of v [n_v].
void follow_mimics(const Model& model, std::span<double> q, std::span<double> v);

// Scales the quaternions in a q [n_q] to norm 1. Throws Error, naming the joint, where a norm is
// not within 1 % of 1. One that is 1 to rounding stays as it is, bit for bit.
void normalise(const Model& model, std::span<double> q);

// q moved along v for a time h: q (+) h v, where q (+) d = q exp(S d), the exponential of each
// joint's subgroup; on joints of one degree of freedom this is q + h v. Quaternions come out of
// norm 1. out may be q.
void integrate(const Model& model, const double* q, const double* v, double h, double* out);

// The d [n_v] with q0 (+) d = q1, up to the sign of quaternions: the logarithm. Quaternions give
// angles up to pi; planar joints count turns, and a difference of 2 pi k has none.
void difference(const Model& model, const double* q0, const double* q1, double* d);

// The rate of d [n_v] in q = q0 (+) d where the joints move at v: dexp_(-d)^-1 v, which is v for
// joints of one degree of freedom. Every joint's angle |d| < 2 pi.
void chart_rate(const Model& model, const double* d, const double* v, double* rate);

}  // namespace torsor
