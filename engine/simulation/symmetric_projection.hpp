#pragma once
// Steps of closed mechanisms with a symmetric method. A projection after each step would spoil the
// symmetry of the method in time, and with it the bound of the energy. Instead, the multipliers mu
// of a step move its start and its end alike (Hairer, Symmetric projection methods for differential
// equations on manifolds, BIT 40, 2000). With Y = M^-1 J^T and the method Phi:
//   q~ = q_n (+) Y_n mu,  v~ = v_n + Y_n nu         a start beside the closed positions
//   (q^, v^) = Phi(q~, v~)
//   q = q^ (+) Y mu,  v = v^ + Y nu                 Y at the end q
// such that phi(q) = 0 and J v = 0. Broyden's method solves these equations for mu and nu: each of
// its iterations repeats the step. Both ends contribute G to the change of phi, so that it starts
// with the derivatives 2 G.

#include <Eigen/Core>

#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

class SymmetricProjection {
 public:
  explicit SymmetricProjection(Motion& motion)
      : motion_(motion), scratch_(motion.model()), u_(motion.mechanism().n_u) {}

  // Begins a step at a snapshot, to which the motion is set, with mu = nu = 0.
  Status begin(const Snapshot& start);
  // Moves the start of the step, a packed state of the motion, by the multipliers.
  void move_start(std::span<double> z) const;
  // Improves the multipliers from the end of a step. Sets `done` if they need no further step: the
  // errors of the loops are rounding errors, or no longer decrease.
  Status improve(const Snapshot& end, double time, bool& done);
  // Moves the end of the step by the multipliers, without closing the loops exactly. Counts the
  // energy of both moves as Work::projection.
  Status move_end(Snapshot& end, double time);
  // Ends the step: move_end() has no effect until begin().
  void clear() { is_active_ = false; }

 private:
  void evaluate_responses(Eigen::MatrixXd& Y) const;
  Status apply(const Snapshot& end, double time);
  void add_rates(Snapshot& at) const;
  std::span<const ConstraintRow> rows() const { return motion_.constraints().selected_rows(); }
  auto mu() const { return x_.head(x_.size() / 2); }
  auto nu() const { return x_.tail(x_.size() / 2); }

  Motion& motion_;
  EnergyScratch scratch_;
  bool is_active_ = false;
  Delassus end_;
  Eigen::MatrixXd Y_start_, Y_end_;     // [n_u x rows] M^-1 J^T
  Eigen::VectorXd x_, error_, change_;  // [2 rows] (mu, nu), (phi, J v), and changes of x_
  Eigen::MatrixXd inverse_;             // [2 rows x 2 rows] approximates d x / d error
  Eigen::VectorXd u_;                   // [n_u]
  Snapshot start_at_, trial_;           // the start of the step, and a moved start or end
  double last_ = 0;  // size of the errors after the last step, in units of rounding errors
};

}  // namespace torsor
