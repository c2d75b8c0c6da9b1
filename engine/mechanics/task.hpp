#pragma once
// A task: the target pose or motion of a frame, and the joints that may move to reach it.
// Components of the pose or motion, in the axes of the world, can be selected.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// Selected components: rotation about x, y and z of the world, then position of the frame's origin
// along x, y and z of the world.
using Components = std::array<bool, 6>;
inline constexpr Components pose_components{true, true, true, true, true, true},
    orientation_components{true, true, true, false, false, false},
    position_components{false, false, false, true, true, true};
inline constexpr const char* component_names[] = {"rx", "ry", "rz", "x", "y", "z"};

// Returns the components with these names. Throws Error for an unknown name, for a component that
// is not in `among`, and for an empty list.
Components named_components(const std::vector<std::string>& names, const Components& among);

// Returns the entries or rows of the selected components.
Eigen::MatrixXd chosen_rows(const Eigen::MatrixXd& six_rows, const Components& components);

// The dof that move independently, with rates x: v = map * x. Locked joints do not move. Mimic
// joints move with the joints that they mimic.
class FreeDofs {
 public:
  // Bounds of the coordinate whose rate is an entry of x. They combine the limits of its joint and
  // of the joints that mimic it.
  struct Bounds {
    double lower, upper;
    // indices in Model::joints whose limits these are; -1 if unbounded
    int lower_joint, upper_joint;
  };

  // Selects the dof that are neither locked nor mimic others. locked: indices of Model::joints.
  // Throws Error if a locked joint mimics another, or if a joint and a joint that mimics it have
  // limits that exclude each other.
  FreeDofs(const Model& model, std::span<const int> locked);

  int size() const { return int(dof_.size()); }
  int dof(int k) const { return dof_[size_t(k)]; }     // dof whose rate is x_k
  const Eigen::MatrixXd& map() const { return map_; }  // [n_v x size]
  // Returns the index in q of the coordinate whose rate is x_k, or -1.
  int coordinate(int k) const { return coordinate_[size_t(k)]; }
  const Bounds& bounds(int k) const { return bounds_[size_t(k)]; }

 private:
  void narrow(const Model& model, int dof, double ratio, double offset, Bounds& bounds) const;

  std::vector<int> dof_, coordinate_;
  std::vector<Bounds> bounds_;
  Eigen::MatrixXd map_;
};

// Describe a direction in text such as "(rotation 0 0 0.6, translation 0.8 0 0)", or "joint 'a'
// 0.6, joint 'b' -0.8". Entries below a thousandth of the largest are shown as 0. The list of
// joints omits them.
std::string describe_task_direction(std::span<const double> six);
std::string describe_joint_direction(const Model& model, std::span<const double> v);

// Joint rates for a given motion of a frame (KHALIL 9.19-9.21):
//   v = J^+ V,   vdot = J^+ (Vdot - Jdot v)
// V and Vdot are the selected components of the frame's twist and of its derivative, in the axes of
// the world (Axes::world). J is the mixed Jacobian of the free dof. If there are more free dof than
// components, v has the minimum |x| and vdot the minimum |xdot|. This vdot is then not the time
// derivative of v along the motion.
struct JointRates {
  std::vector<double> v, vdot;  // [n_v]
};
// Describes the direction that is singular or nearest to singular. Example: "frame 'tcp' cannot be
// moved along (..) here: the configuration is singular; these joint rates do not move it: ..".
std::string describe_singularity(const State& state, const Frame& frame,
                                 const Components& components, std::span<const int> locked = {});
// Computes the joint rates at q of the state. Throws Error if a singular value of J is below
// sqrt(eps) times the largest, where the rates would lose half of their digits. The message states
// the direction along which the frame cannot be moved.
JointRates joint_rates(State state, const Frame& frame, const Components& components,
                       std::span<const int> locked, const Twist<double>& V,
                       const Twist<double>& Vdot);

}  // namespace torsor
