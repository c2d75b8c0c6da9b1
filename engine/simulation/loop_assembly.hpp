#pragma once
// Closing the loops of a mechanism, after a step and at the start of a run.
//
// Newton's method in the metric of M: with the errors phi of the rows, the step
//   dq = -M^-1 J^T (J M^-1 J^T)^-1 phi
// is the smallest one, dq^T M dq, that removes phi to first order. The velocity
//   v+ = v - M^-1 J^T (J M^-1 J^T)^-1 (J v - rate)
// has the least kinetic energy of the difference v+ - v. Any M gives a closed loop, so that M and
// G of the first iteration are used in all of them, while the errors decrease fast.
//
// The rows of linear closures are eliminated. They are constant, J_e, so that one step dq = -J_e^+
// phi_e removes the rounding errors of their positions; those of prescribed joints need several.

#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

class LoopAssembly {
 public:
  explicit LoopAssembly(Motion& motion);

  // Closes the loops of a snapshot after a step: changes q and v by multiples of M^-1 J^T, until
  // the errors of all closures are rounding errors and J v = 0. Counts the change of energy as
  // Work::projection. Fails if the errors do not vanish. The bodies are then at the snapshot. Does
  // not allocate.
  Status project(Snapshot& at, double time);
  // Closes the loops from a position that may be far from one with closed loops. held [n_v] flags
  // the dof that keep their positions and velocities; it may be empty. Prescribed joints keep
  // theirs, and joints stay within their position limits. Throws Error if no assembly is found.
  void assemble(Snapshot& at, double time, std::span<const char> held);
  // Writes the wrench of A on B of each closure, [closures], after Motion::accelerate(): at the
  // origin of B, in the axes of A. force: the forces of all constraints except contacts, [n_u].
  // Redundant rows share the forces (least_norm_solution()).
  void closure_wrenches(std::span<const double> force, std::span<Wrench<double>> out);

 private:
  double closure_error(std::span<const ConstraintRow> rows, double& ratio) const;
  void correct_linear_closures(Snapshot& at);
  std::string open_loop() const;
  void factor(std::span<const ConstraintRow> rows);
  void solve(std::span<const ConstraintRow> rows);
  void close_rates(const Snapshot& at, std::span<const ConstraintRow> rows);

  Motion& motion_;
  EnergyScratch scratch_;
  Eigen::VectorXd x_;               // [rows of project()]
  std::vector<double> u_, rates_;   // [n_u]
  Eigen::MatrixXd linear_inverse_;  // [n_v x eliminated rows] J_e^+; empty without linear closures
  DelassusFactor factor_;
};

}  // namespace torsor
