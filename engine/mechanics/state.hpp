#pragma once
// The state of a model: position, velocity, gravity, base motion and applied wrenches.

#include <memory>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

class State {
 public:
  explicit State(std::shared_ptr<const Model> model);

  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& model_ptr() const { return model_; }

  double time = 0;
  std::vector<double> v;  // [n_v]

  std::span<const double> q() const { return q_; }
  // Sets q [n_q]. Does not allocate.
  void set_q(std::span<const double> q);
  // Returns the poses [n_body] at q. The first call after set_q() evaluates them: call it once
  // before several threads use this state.
  std::span<const Pose<double>> X_PB() const {
    if (!posed_) evaluate_poses();
    return X_PB_;
  }

  // Gravity in the axes of the world, m/s^2. The default is (0, 0, -9.81).
  const Vec3<double>& gravity_W() const { return gravity_W_; }
  void set_gravity(const Vec3<double>& gravity_W);

  // The motion of the world frame, for a robot on a moving base (V_0 of MR 9.69). V_W is the twist
  // of the world frame, expressed in the axes of this frame, zero by default. Vdot_W is its time
  // derivative by component. gravity_W is in the same axes. Solvers include this motion in inverse
  // dynamics, forward dynamics and bias. Poses, Jacobians, twists and energies are relative to the
  // world frame.
  const Twist<double>& V_W() const { return V_W_; }
  const Twist<double>& Vdot_W() const { return Vdot_W_; }
  void set_world_motion(const Twist<double>& V_W, const Twist<double>& Vdot_W);

  // Adds a wrench BY the environment ON the body of a frame. The wrench acts at the frame's origin
  // and is expressed in its axes. A wrench on a frame that is fixed in the world has no effect.
  void add_wrench(const Frame& frame, const Wrench<double>& F_F);
  void clear_wrenches();
  // Replaces all wrenches: [n_body] at the body origins in body axes. Does not allocate.
  void set_wrenches(std::span<const Wrench<double>> F_B);
  // Returns the wrenches: [n_body] at the body origins in body axes.
  std::span<const Wrench<double>> F_B() const { return F_B_; }

  // Returns views of the arrays for a plugin. They are valid as long as this State exists and is
  // not moved. X_PB is null without poses.
  torsor_state view(bool with_poses = true) const;

 private:
  void evaluate_poses() const;

  std::shared_ptr<const Model> model_;
  std::vector<double> q_;
  mutable std::vector<double> scratch_;
  mutable std::vector<Pose<double>> X_PB_;
  mutable bool posed_ = false;
  std::vector<Wrench<double>> F_B_;
  Vec3<double> gravity_W_{0, 0, -9.81};
  Twist<double> V_W_{}, Vdot_W_{}, A_W_{{0, 0, 0}, {0, 0, 9.81}};
  bool wrenched_ = false;
};

}  // namespace torsor
