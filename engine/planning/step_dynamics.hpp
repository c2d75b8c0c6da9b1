#pragma once
// A robot under torques in steps of time, as the integrators of the simulation make them, and the
// linearisation of such a step.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torsor/integration/chart.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/planning/discrete.hpp"
#include "torsor/plugin/solver.hpp"

namespace torsor {

// How plans make the steps of an integrator of the simulation.
struct StepMethod {
  Integrator method;  // the integrator of the plan: dormand_prince in place of dirk and bdf
  // The cost of a linearised step, roughly: evaluations, and matrices [n_v x n_v] of memory.
  int rates, matrices;
};
// Returns how plans make the steps of an integrator; nullopt if plans do not support it.
std::optional<StepMethod> step_method(Integrator simulated);
// Returns the names of the integrators that plans support.
std::vector<std::string> planned_integrators();

struct Step {
  Integrator method = Integrator::euler;  // StepMethod::method
  double dt = 0;
  // Bounds of the errors of an adaptive method. Those of derivatives are bounded in the same way,
  // as entries of positions and velocities.
  Tolerances tolerances = {};
};

// x = (q, v) [n_q + n_v], dx = (dq, dv) [2 n_v] in tangent coordinates, u [n_v] torques, constant
// over the step. The torque of a joint without a motor has no effect. As in the simulation, the
// step is one of z = (d, v) in the chart q (+) d, from d = 0:
//
//   ddot = K(d) v,   vdot = forward(q (+) d, v, u - D v)
//
// D is the damping of the joints; K: integration/chart.hpp. The derivatives Z = dz/d(q, v, u)
// [2 n_v x 3 n_v] obey Z' = f_z Z + f_s with
//
//   f_z = [dK v/dd, K; f_q dq/dd, f_v - f_tau D],   f_s = [0, 0, 0; f_q dq/dq_0, 0, f_tau]
//
// and the partial derivatives f_q, f_v, f_tau of forward dynamics. The integrator makes the step of
// the pair (z, Z) (integration/variation.hpp); for euler, the result is RCFS 111.
// semi_implicit_euler damps at the new velocity, by M + dt D in place of M. At the end of the step,
// A and B are the rows of Z, with dq of d and q_0 (integration/chart.hpp).
class StepDynamics : public DiscreteDynamics {
 public:
  using SolverFactory = std::function<Solver(std::shared_ptr<const Model>)>;
  // Only damping and torques may act at the joints. Throws Error if the solver offers no partial
  // derivatives, and if the model has what a plan does not support: friction, a spring, elasticity,
  // stops, a clamp, mimicry, a transmission.
  StepDynamics(const SolverFactory& make_solver, std::shared_ptr<const Model> model,
               const Vec3<double>& gravity_W, const Step& step);
  StepDynamics(const StepDynamics&) = delete;
  StepDynamics& operator=(const StepDynamics&) = delete;

  Eigen::Index n_x() const override { return 2 * n_; }
  Eigen::Index n_u() const override { return n_; }
  Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const override;
  bool step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) override;
  bool linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) override;
  // Returns the controls that keep the robot at rest in the configuration of x, except for joints
  // without a motor. Throws Error if there are none.
  Eigen::VectorXd holding(const Eigen::VectorXd& x);
  std::string failure() const override;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // z, or the pair (z, Z), as a system (integration/variation.hpp).
  class Rates : public System {
   public:
    Rates(StepDynamics& dynamics, Eigen::Index directions)
        : dynamics_(dynamics), columns_(1 + directions) {}
    Layout layout() const override { return {.velocities = int(dynamics_.n_ * columns_)}; }
    bool rate(double, const double* z, double ahead, double* zdot) override {
      return dynamics_.rate(z, columns_, ahead, zdot);
    }

   private:
    StepDynamics& dynamics_;
    Eigen::Index columns_;
  };

  using Columns = Eigen::Map<const Eigen::MatrixXd>;  // [d, Z_d] or [v, Z_v]

  bool is_finite(const Eigen::VectorXd& x, const Eigen::VectorXd& u);
  bool advance(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
               LinearStep* out);
  bool follow(Stepper& stepper, Eigen::VectorXd& x, LinearStep* out);
  void start(Stepper& stepper, double t, const Eigen::VectorXd& x, double first);
  void finish(const double* z, Eigen::VectorXd& x, LinearStep* out);
  bool rate(const double* z, Eigen::Index columns, double ahead, double* zdot);
  void vary(const Columns& d, const Columns& v, Eigen::Map<Eigen::MatrixXd>& ddot,
            Eigen::Map<Eigen::MatrixXd>& vdot);

  std::shared_ptr<const Model> model_;
  Step step_;
  Solver solver_;
  std::optional<Solver> damped_;  // of M + dt D
  State state_;
  Chart chart_;
  Eigen::Index n_;
  Status status_;
  std::string gave_up_;                                  // the reason of another failure
  Eigen::VectorXd damping_, driven_, q0_, q_, u_, tau_;  // driven_: 1 if there is a motor, else 0
  RowMajor dvdot_dq_, dvdot_dv_, dvdot_dtau_;
  Rates alone_{*this, 0}, pair_{*this, 3 * n_};
  std::unique_ptr<Stepper> stepper_, pair_stepper_;
};

}  // namespace torsor
