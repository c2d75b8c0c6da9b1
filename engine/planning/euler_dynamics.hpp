#pragma once
// A robot under torques in steps of explicit Euler, and its linearisation.

#include "torsor/dynamics/solver.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

// x = (q, v), u = tau by columns of the model, as the simulation's integrator `euler` with these torques held (RCFS 111):
//   q+ = q + v dt,   v+ = v + vdot dt,   vdot = forward(q, v, u - D v),   D the damping of the joints
//   A = [1, dt; dt dvdot/dq, 1 + dt (dvdot/dv - dvdot/dtau D)],   B = [0; dt dvdot/dtau]
class EulerDynamics : public DiscreteDynamics {
 public:
  // The solver must outlive this; its model's joints act by damping and torques alone. Throws Error where the solver offers no
  // partial derivatives, where a joint has several columns or what a plan does not know: friction, a spring, elasticity,
  // stops, a clamp, no motor, mimicry, a transmission.
  EulerDynamics(Solver& solver, std::shared_ptr<const Model> model, const Vec3<double>& gravity_W, double dt);

  Eigen::Index n_x() const override { return 2 * n_; }
  Eigen::Index n_u() const override { return n_; }
  bool step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) override;
  bool linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) override;
  // The controls that keep the robot at rest where x has it. Throws Error where there are none.
  Eigen::VectorXd holding(const Eigen::VectorXd& x);
  std::string failure() const override { return solver_.explain(status_); }

 private:
  bool place(const Eigen::VectorXd& x, const Eigen::VectorXd& u);  // false where they are no finite numbers

  Solver& solver_;
  State state_;
  Eigen::Index n_;
  double dt_;
  Status status_;
  Eigen::VectorXd damping_, tau_, vdot_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> dvdot_dq_, dvdot_dv_, dvdot_dtau_;
};

}  // namespace torsor
