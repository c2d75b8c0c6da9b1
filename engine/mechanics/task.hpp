#pragma once
// A task: the target pose or motion of a frame, by components in the axes of the world, and the
// joints that may move for it.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// The components that count: the rotation about x, y and z of the world, then the position of the
// frame's origin along them.
using Components = std::array<bool, 6>;
inline constexpr Components pose_components{true, true, true, true, true, true},
    orientation_components{true, true, true, false, false, false},
    position_components{false, false, false, true, true, true};
inline constexpr const char* component_names[] = {"rx", "ry", "rz", "x", "y", "z"};

// Returns the components with these names. Throws Error for an unknown name, a component that is
// not in `among`, and an empty list.
Components named_components(const std::vector<std::string>& names, const Components& among);

// Returns the entries or rows of the components that count.
Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& six_rows, const Components& components);

// The dof that move independently: v = map * x. Held joints do not move. Joints that mimic move
// with the joint that they mimic.
class FreeDofs {
 public:
  // Bounds of the coordinate of an entry of x: the limits of its joint and of the joints that mimic
  // it.
  struct Bounds {
    double lower, upper;
    int lower_joint, upper_joint;  // joints that have these limits; -1 if there is no bound
  };

  // Selects the dof that are not held and do not mimic. held: indices of Model::joints. Throws
  // Error if a held joint mimics another, and if the limits of joints exclude each other.
  FreeDofs(const Model& model, std::span<const int> held);

  int size() const { return int(column_.size()); }
  int column(int k) const { return column_[size_t(k)]; }  // dof of x_k
  const Eigen::MatrixXd& map() const { return map_; }     // [n_v x size]
  // Returns the index in q of the coordinate whose rate is x_k, or -1.
  int coordinate(int k) const { return coordinate_[size_t(k)]; }
  const Bounds& bounds(int k) const { return bounds_[size_t(k)]; }

 private:
  void meet(const Model& model, int column, double ratio, double offset, Bounds& bounds) const;

  std::vector<int> column_, coordinate_;
  std::vector<Bounds> bounds_;
  Eigen::MatrixXd map_;
};

// Describe a direction: "(rotation 0 0 0.6, translation 0.8 0 0)", or "joint 'a' 0.6, joint 'b'
// -0.8". Entries below a thousandth of the largest are shown as 0, or left out in the list of
// joints.
std::string describe_task_direction(std::span<const double> six);
std::string describe_joint_direction(const Model& model, std::span<const double> v);

// Joint rates for a given motion of a frame (KHALIL 9.19-9.21):
//   v = J^+ V,   vdot = J^+ (Vdot - Jdot v)
// V and Vdot are the chosen components of the frame's twist and of its derivative, in the axes of
// the world (Axes::world). J is the mixed Jacobian of the free dof. If there are more free dof than
// components, v has the least |x| and vdot the least |xdot|. This vdot is not the derivative of v
// along the motion.
struct JointRates {
  std::vector<double> v, vdot;  // [n_v]
};
// Describes the direction that is singular, or nearest to it: "frame 'tcp' cannot be moved along
// (..) here: the configuration is singular; these joint rates do not move it: ..".
std::string describe_singularity(const State& state, const Frame& frame,
                                 const Components& components, std::span<const int> held = {});
// Computes the joint rates at q of the state. Throws Error with the direction that cannot be moved
// if a singular value of J is below sqrt(eps) times the largest. The rates would lose half of their
// digits there.
JointRates joint_rates(State state, const Frame& frame, const Components& components,
                       std::span<const int> held, const Twist<double>& V,
                       const Twist<double>& Vdot);

}  // namespace torsor
