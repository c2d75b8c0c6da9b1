#pragma once
// A robot under torques in steps of time as the simulation's integrators make them, and the exact linearisation of such a step.

#include <functional>
#include <optional>

#include "torsor/dynamics/solver.hpp"
#include "torsor/planning/chart.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

// What the simulation does in a step of dt, by its integrators of these names; the flow is what the others solve to their tolerances.
enum class StepMethod { euler, semi_implicit_euler, rk4, implicit_midpoint, flow };

struct Step {
  StepMethod method = StepMethod::euler;
  double dt = 0;
  // Of the flow: of each of its own steps the estimated error stays below rtol |v| + atol of a velocity, rtol + atol of a position, and as
  // much of their derivatives.
  double rtol = 1e-8, atol = 1e-10;
};

// x = (q, v) [n_q + n_v], dx = (dq, dv) [2 n_v] in tangent coordinates, u [n_v] torques held over the step; where a joint has no motor its
// u does nothing. As the simulation has it, the step is one of (d, v) in the chart q (+) d, which begins at d = 0:
//   ddot = K(d) v,   vdot = forward(q (+) d, v, u - D v)                                     D the damping of the joints, K: chart.hpp
// A method of Runge and Kutta differentiates to itself: its stages on Z = d(d, v)/d(dq, dv, du) are those of the variational equation
//   Zdot = F_z Z + F_0,   F_z = [dK v/dd, K; f_q dq/dd, f_v - f_tau D],   F_0 = [0, 0, 0; f_q dq/dq_0, 0, f_tau]
// with the solver's partials f_q, f_v, f_tau of forward dynamics. (RCFS 111 is that of euler.) semi_implicit_euler damps at the new velocity,
// by M + dt D in place of M: v+ = v + dt vdot, d+ = dt v+. implicit_midpoint solves its stage by Newton's method with F_z. The flow
// is Dormand and Prince's method on state and variational equation, of as many steps as the tolerances ask for.
// In the end A, B are the rows of Z with dq+ of d+ (chart.hpp).
class StepDynamics : public DiscreteDynamics {
 public:
  using SolverFactory = std::function<Solver(std::shared_ptr<const Model>)>;
  // The model's joints act by damping and torques alone. Throws Error where the solver offers no partial derivatives, and for what a plan
  // does not know: friction, a spring, elasticity, stops, a clamp, mimicry, a transmission.
  StepDynamics(const SolverFactory& make_solver, std::shared_ptr<const Model> model,
               const Vec3<double>& gravity_W, const Step& step);

  Eigen::Index n_x() const override { return 2 * n_; }
  Eigen::Index n_u() const override { return n_; }
  Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const override;
  bool step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) override;
  bool linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) override;
  // The controls that keep the robot at rest where x has it, but for joints without a motor. Throws Error where there are none.
  Eigen::VectorXd holding(const Eigen::VectorXd& x);
  std::string failure() const override;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // (d, v) and, where a linearisation is asked for, Z: matrices of no columns elsewhere.
  struct Point {
    Eigen::VectorXd z;
    Eigen::MatrixXd Z;
  };

  Solver& solver() { return damped_ ? *damped_ : solver_; }
  Point start(const Eigen::VectorXd& x, bool linear);
  void finish(const Point& end, Eigen::VectorXd& next, LinearStep* out);
  bool is_finite(const Eigen::VectorXd& x, const Eigen::VectorXd& u);
  bool advance(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, LinearStep* out);
  bool rate(const Point& at, Point& out);
  Eigen::MatrixXd variation(const Eigen::VectorXd& v, const Eigen::MatrixXd& Z) const;
  bool explicit_step(double h, Point& at, Point* error);
  bool semi_implicit_step(Point& at);
  bool midpoint_step(Point& at);
  bool flow(const Eigen::VectorXd& x, Eigen::VectorXd& next, LinearStep* out);
  double size_of(const Point& error, const Point& at) const;

  std::shared_ptr<const Model> model_;
  Step step_;
  Solver solver_;
  std::optional<Solver> damped_;  // of M + dt D
  State state_;
  Chart chart_;
  Eigen::Index n_;
  Status status_;
  std::string gave_up_;                                         // of what is no solver's failure
  Eigen::VectorXd damping_, driven_, q0_, q_, u_, tau_, vdot_;  // driven_: 1 where there is a motor, else 0
  RowMajor dvdot_dq_, dvdot_dv_, dvdot_dtau_;
};

}  // namespace torsor
