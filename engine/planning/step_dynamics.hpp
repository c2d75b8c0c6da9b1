#pragma once
// A robot under torques in discrete time, with the steps of the simulation's integrators, and the
// linearisation of these steps.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"
#include "torsor/integration/chart.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

struct Step {
  Integrator method = Integrator::euler;  // IntegratorTraits::linearised.method
  double dt = 0;
  // Error bounds of an adaptive method. Derivatives have the same bounds as positions and
  // velocities.
  Tolerances tolerances = {};
};

// Returns the step of an integrator for linearisation. The tolerances of an adaptive method are a
// hundredth of those of the simulation.
Step linearised_step(Integrator integrator, double dt);

// Throws Error, with the joint, if something other than damping and torques acts at the joints of a
// model: friction, a spring, elasticity, stops, a clamp, mimic joints, a transmission, closed
// loops.
void require_plain_joints(const Model& model);
// Returns a solver for M + dt D, for a method that evaluates damping at the new velocity. Returns
// nullopt for other methods, and without damping.
std::optional<Solver> make_damped_solver(const SolverFactory& make_solver, const Model& model,
                                         const Step& step);

// The dynamics of one step:
//   x = (q, v) [n_q + n_v]    state
//   dx = (dq, dv) [2 n_v]     change of the state in tangent coordinates
//   u [n_v]                   torques, constant over the step; no effect at joints without a motor
// As in the simulation, the step integrates z = (d, v) in the chart q (+) d, from d = 0:
//
//   ddot = K(d) v,   vdot = forward(q (+) d, v, u - D v)
//
// D is the damping of the joints. K is defined in integration/chart.hpp. The derivatives
// Z = dz/d(q, v, u) [2 n_v x 3 n_v] satisfy Z' = f_z Z + f_s with
//
//   f_z = [dK v/dd, K; f_q dq/dd, f_v - f_tau D],   f_s = [0, 0, 0; f_q dq/dq_0, 0, f_tau]
//
// Here f_q, f_v and f_tau are the partial derivatives of forward dynamics. The integrator makes the
// step of the pair (z, Z) (integration/variation.hpp). For euler, the result is RCFS 111.
// semi_implicit_euler evaluates damping at the new velocity, with M + dt D instead of M. At the end
// of the step, A and B are the rows of Z, with dq computed from d and q_0 (integration/chart.hpp).
class StepDynamics : public DiscreteDynamics {
 public:
  // Throws Error if the solver has no partial derivatives, or if something other than damping and
  // torques acts at the joints: friction, a spring, elasticity, stops, a clamp, mimic joints, a
  // transmission.
  StepDynamics(const SolverFactory& make_solver, std::shared_ptr<const Model> model,
               const Vec3<double>& gravity_W, const Step& step);
  StepDynamics(const StepDynamics&) = delete;
  StepDynamics& operator=(const StepDynamics&) = delete;

  Eigen::Index n_x() const override { return 2 * n_; }
  Eigen::Index n_u() const override { return n_; }
  Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const override;
  bool step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) override;
  bool linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) override;
  // Returns the torques that keep the robot at rest in the configuration of x, with zeros for
  // joints without a motor. Throws Error if there are none.
  Eigen::VectorXd equilibrium_torques(const Eigen::VectorXd& x);
  std::string failure() const override;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // The system that the integrator advances: the state z, or the pair (z, Z)
  // (integration/variation.hpp).
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
  std::optional<Solver> damped_;  // solver for M + dt D
  State state_;
  Chart chart_;
  Eigen::Index n_;
  Status status_;
  std::string failure_;                                  // reason of a failure other than status_
  Eigen::VectorXd damping_, driven_, q0_, q_, u_, tau_;  // driven_: 1 if there is a motor, else 0
  RowMajor dvdot_dq_, dvdot_dv_, dvdot_dtau_;
  Eigen::MatrixXd dq_, by_columns_;  // [n x 3 n] changes of q, and a matrix of partial derivatives
  Rates alone_{*this, 0}, pair_{*this, 3 * n_};
  std::unique_ptr<Stepper> stepper_, pair_stepper_;
};

}  // namespace torsor
