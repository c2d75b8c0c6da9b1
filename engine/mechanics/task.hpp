#pragma once
// A task: where a frame is to be or how it is to move, by components in the axes of the world, and
// the joints that may move for it.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// Which of the six components count: the rotation about x, y, z of the world, then the position of
// the frame's origin along them.
using Components = std::array<bool, 6>;
inline constexpr Components pose_components{true, true, true, true, true, true},
    orientation_components{true, true, true, false, false, false},
    position_components{false, false, false, true, true, true};
inline constexpr const char* component_names[] = {"rx", "ry", "rz", "x", "y", "z"};

// Those of these names, of `among`. Throws Error for an unknown one, or one that is not among them.
Components named_components(const std::vector<std::string>& names, const Components& among);

// The entries or rows of those that count.
Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& six_rows, const Components& components);

// The columns that move on their own: v = map * x. Those of held joints stand, and joints that
// mimic move with what they mimic.
class FreeColumns {
 public:
  // The bounds of an entry of x's coordinate: the limits of its joint and of those that mimic it.
  struct Bounds {
    double lower, upper;
    int lower_joint, upper_joint;  // whose they are; -1 where there is none
  };

  // held: indices of Model::joints. Throws Error for one that mimics another, and for joints whose
  // limits exclude each other.
  FreeColumns(const Model& model, std::span<const int> held);

  int size() const { return int(column_.size()); }
  int column(int k) const { return column_[size_t(k)]; }  // of v, that x_k is
  const Eigen::MatrixXd& map() const { return map_; }     // [n_v x size]
  // Entry of q whose rate x_k is, or -1.
  int coordinate(int k) const { return coordinate_[size_t(k)]; }
  const Bounds& bounds(int k) const { return bounds_[size_t(k)]; }

 private:
  void meet(const Model& model, int column, double ratio, double offset, Bounds& bounds) const;

  std::vector<int> column_, coordinate_;
  std::vector<Bounds> bounds_;
  Eigen::MatrixXd map_;
};

// "(rotation 0 0 0.6, translation 0.8 0 0)", and "joint 'a' 0.6, joint 'b' -0.8": entries that are
// more than a thousandth of the largest.
std::string describe_task_direction(std::span<const double> six);
std::string describe_joint_direction(const Model& model, std::span<const double> v);

// Rates of the joints at which a frame moves as told (KHALIL 9.19-9.21):
//   v = J^+ V,   vdot = J^+ (Vdot - Jdot v)
// with the chosen components of the frame's twist and of its derivative, both in the axes of the
// world (Axes::world), and the mixed Jacobian of the columns that are free. Where these are more
// than the components, both are of least norm: v that of |x|, vdot that of |xdot|, which is not the
// derivative of v along the motion.
struct JointRates {
  std::vector<double> v, vdot;  // [n_v]
};
// What a singular configuration, or one near to it, cannot do: "frame 'tcp' cannot be moved along
// (..) here: the configuration is singular; these rates of joints do not move it: ..", of the
// direction in which it is nearest to it.
std::string describe_singularity(const State& state, const Frame& frame,
                                 const Components& components, std::span<const int> held = {});
// At q of the state. Throws Error where a direction cannot be moved, naming it: a singular value of
// J is below the root of eps of the largest, where rates would have lost half of their digits.
JointRates joint_rates(State state, const Frame& frame, const Components& components,
                       std::span<const int> held, const Twist<double>& V,
                       const Twist<double>& Vdot);

}  // namespace torsor
