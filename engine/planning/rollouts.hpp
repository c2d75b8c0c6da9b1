#pragma once
// Many motions of a robot at once, under given torques, with the steps of the simulation's
// integrators: for controllers that try many motions (sampling).

#include "torsor/batch/batch_solver.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/planning/step_dynamics.hpp"

namespace torsor {

// The equations are those of StepDynamics, for each state of a batch. One integrator advances all
// states together, so that each of its rates is one call of forward dynamics for the batch.
class Rollouts {
 public:
  // n: number of states. Throws Error if the integrator selects its steps, or if something other
  // than damping and torques acts at the joints (StepDynamics).
  Rollouts(const SolverFactory& make_solver, std::shared_ptr<const Model> model, const Step& step,
           size_t n);
  Rollouts(const Rollouts&) = delete;
  Rollouts& operator=(const Rollouts&) = delete;

  // The states: set them before the first step. Gravity is part of the batch.
  StateBatch& states() { return states_; }
  // Advances every state by dt. tau: [n_v][stride] torques, constant over the step; no effect at
  // joints without a motor. States that cannot be computed become NaN in this and in all later
  // steps. The returned status is that of the first rate of the integrator with such states.
  [[nodiscard]] BatchStatus step(const double* tau);
  // Returns the reason of a status of step().
  std::string explain(const BatchStatus& status) const;

 private:
  class Rates : public System {
   public:
    explicit Rates(Rollouts& rollouts) : rollouts_(rollouts) {}
    Layout layout() const override { return {.velocities = int(rollouts_.rows())}; }
    bool rate(double, const double* z, double ahead, double* zdot) override {
      rollouts_.rate(z, ahead, zdot);
      return true;
    }

   private:
    Rollouts& rollouts_;
  };
  size_t rows() const { return size_t(states_.model().n_v) * states_.stride(); }
  void rate(const double* z, double ahead, double* zdot);
  void move(const double* d);
  void chart_rates(const double* d, const double* v, double* ddot);

  StateBatch states_;
  Solver solver_;
  std::optional<Solver> damped_;  // solver for M + dt D
  BatchSolver batch_;
  std::optional<BatchSolver> damped_batch_;
  double dt_;
  std::vector<double> start_;                 // [n_q][stride] positions at the start of the step
  std::vector<double> u_, tau_;               // [n_v][stride]
  std::vector<double> z_;                     // [2 n_v][stride]
  std::vector<double> q0_, q_, d_, v_, out_;  // of one state
  BatchStatus status_;
  bool damped_failed_ = false;  // true if status_ is that of the solver for M + dt D
  Rates rates_{*this};
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace torsor
