#pragma once
// The torques of the joints in a motion, by their dependence on its speed.

#include <vector>

#include "torsor/handles/solver.hpp"
#include "torsor/model/pose_spring.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor {

// If a motion runs at x times its speed, velocities are multiplied by x and accelerations by x^2.
// The torque of a dof is then a quadratic function of x, of a value per dof [n_v]:
//   tau(x) = dynamic x^2 + viscous x + constant
//   dynamic = M vdot + C v,   viscous = F_v v,   constant = g + F_c sign(v) + spring
struct TorqueParts {
  std::vector<double> dynamic, viscous, constant;
};

// A quantity that a limit bounds, at x times the speed of a motion:
//   |dynamic x^2 + viscous x + constant| <= limit
struct LimitedLoad {
  int dof;
  const char *option, *unit;  // what sets the limit in a script, and the unit of the limit
  double limit, dynamic, viscous, constant;
};

// Computes TorqueParts. They include armature, the viscous and Coulomb friction of joints, of
// motors that drive a joint rigidly and of the shafts of transmissions, and springs. The torques of
// mimic joints act on the joints that they mimic.
class MotionTorque {
 public:
  // The solver is used by at(). gravity_W: m/s^2. Throws Error if a friction law is not the sum of
  // a viscous and a Coulomb part.
  MotionTorque(std::shared_ptr<const Model> model, Solver& solver, const Vec3<double>& gravity_W);

  // Computes the parts at q [n_q], v and vdot [n_v]. then [n_v]: the direction of motion of what is
  // at rest at v; empty if it stays at rest, without Coulomb friction. The result is valid until
  // the next call. Throws Error if the solver fails.
  const TorqueParts& at(std::span<const double> q, std::span<const double> v,
                        std::span<const double> vdot, std::span<const double> then = {});

  // Returns what the limits of joints and amplifiers bound at the state of the last call of at(),
  // in the same order for each state. With the torque tau_m = K_T i and the rate omega of the shaft
  // of a motor (KHALIL 9.4):
  //   |tau| <= effort,   |tau| <= stall torque,   |i| <= i_max,   |R i + K_T omega| <= V_max
  // The result is valid until the next call. Throws Error if the effort limit of a driven joint is
  // 0.
  const std::vector<LimitedLoad>& loads();

  // The transmissions at the state of the last call of at().
  const Transmissions& transmissions() const { return transmissions_; }

  // Returns whether a motor drives a dof: it is neither passive nor a mimic joint.
  bool is_driven(int dof) const;

  // Returns the velocity limit of a dof that moves at the rate v, or infinity if the dof is
  // passive. Throws Error if the limit is 0 and v is not.
  double velocity_limit(int dof, double v) const;

 private:
  void add_joint(size_t dof, double then);
  void add_shafts(size_t group, std::span<const double> then);
  void couple(const Transmission& transmission, std::span<const double> vdot);
  void load_mimicked_joints();
  void add_loads(int dof);

  std::shared_ptr<const Model> model_;
  Solver& solver_;
  State state_;
  Transmissions transmissions_;
  std::vector<PoseSpringElement> pose_springs_;
  std::vector<double> gravity_;
  TorqueParts parts_, shafts_;      // shafts_: torques of the shafts of the motors
  std::vector<double> shaft_rate_;  // [n_v]
  std::vector<LimitedLoad> loads_;
};

}  // namespace torsor
