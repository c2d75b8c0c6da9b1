#pragma once
// The dynamics of a mechanism with its mimic joints and closures. The quantities M and b of the
// tree are those of a solver:
//   M vdot + b = tau + J^T lambda,   J vdot + Jdot v = 0,   b = C v + g - sum J_k^T F_k
//
// The rates v_i of independent dof determine the motion (constrained_motions.hpp):
//   v = T v_i,   vdot = T vdot_i + gamma,   J T = 0,   J gamma = -Jdot v,   gamma_i = 0
// gamma is Tdot v_i. The equation of motion in the independent dof is
//   T^T M T vdot_i + T^T (M gamma + b) = T^T tau
// Z is a basis of J v = 0, and x the solution of J x = -Jdot v with the least x^T M x. Forward
// dynamics is
//   vdot = x + Z Z^T (tau - b),   J^T lambda = M vdot + b - tau
// Redundant rows share their forces with the least norm.
//
// Forces of friction, dampers, springs and stops are not included, as in the dynamics of the tree.

#include "torsor/constraints/loops/assembly.hpp"
#include "torsor/constraints/loops/constrained_motions.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

// Selects dof; names as in Model::dof_names() or Model::joints.
struct ConstrainedChoice {
  // The dof whose rates determine the motion. If empty, dof are selected at each state, actuated
  // ones first.
  std::vector<int> independent = {};
  // The dof at which torques act. If empty, these are all dof that are not passive and do not mimic
  // others.
  std::vector<int> actuated = {};
};

// Returns the dof of joints or single dof with these names. what: such as "independent", for
// messages. Throws Error for an unknown name and for a dof that is named twice.
std::vector<int> dofs_named(const Model& model, std::span<const std::string> names,
                            const char* what);
// Returns the dof that are actuated if no others are given.
std::vector<int> actuated_dofs(const Model& model);

class ConstrainedDynamics {
 public:
  explicit ConstrainedDynamics(const Model& model, ConstrainedChoice choice = {});

  // Computes M, b, J and the basis of motions at a state, but no independent dof. The state must
  // exist as long as functions of this object are called. Returns the status of the solver, or
  // TORSOR_SINGULAR if M is not positive definite.
  [[nodiscard]] Status evaluate_motions(Solver& solver, const State& state);
  // Does the same, and selects the independent dof. Throws Error in these cases:
  // - The solver fails, for example because M is singular.
  // - The independent dof of the choice are dependent, or not as many as the mobility.
  void evaluate(Solver& solver, const State& state);
  // Adds generalized forces f [n_v] to the left side of the equation of motion: b += f.
  void add_bias(std::span<const double> f);
  // Throws Error if the loops are open at the evaluated state, or if its v opens them. Errors of
  // 1e-7 m or rad are allowed: they change J by less than the limit 1e-6 of independent rows.
  void require_closed() const;

  const ConstraintRows& rows() const { return rows_; }
  const ConstrainedMotions& motions() const { return motions_; }
  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& actuated() const { return choice_.actuated; }
  const Eigen::MatrixXd& transfer() const { return T_; }   // T [n_v x mobility]
  const Eigen::VectorXd& gamma() const { return gamma_; }  // [n_v]

  // The equation of motion in the independent dof: M_i vdot_i + b_i = T^T tau.
  Eigen::MatrixXd reduced_mass_matrix() const { return T_.transpose() * M_ * T_; }
  Eigen::VectorXd reduced_bias() const { return T_.transpose() * (M_ * gamma_ + b_); }

  struct Motion {
    Eigen::VectorXd vdot, tau;    // [n_v]
    Eigen::VectorXd multipliers;  // lambda [rows], N or N m
  };
  // Computes forward dynamics for torques [n_v].
  Motion forward(const Eigen::VectorXd& tau) const;
  // Computes inverse dynamics for accelerations [n_v]. Those of the independent dof are used; the
  // others follow from them. The torques act at the actuated dof only. If several torques have the
  // same effect, the sum of their squares is least. Throws Error if the motion needs a force that
  // no actuated dof has.
  Motion inverse(const Eigen::VectorXd& vdot) const;
  // Computes the torques of the actuated dof whose accelerations there are nearest to those of vdot
  // [n_v]; its other entries are ignored. Motions that no actuated dof moves are free.
  Motion follow(const Eigen::VectorXd& vdot) const;
  // Returns whether the loops are closed at the evaluated position, as in require_closed().
  bool is_closed() const;
  // Returns a sentence about a motion that no actuated dof moves, or "" if there is none.
  std::string unactuated_motion() const;

  // The derivatives of forward dynamics along the motions that the constraints allow: q moves along
  // T, v = T(q) v_i, and the external wrenches are constant in body axes.
  struct Partials {
    Eigen::MatrixXd dvdot_dq, dvdot_dv;  // with respect to q_i and v_i, [n_v x mobility]
    Eigen::MatrixXd dvdot_dtau;          // [n_v x n_v]
  };
  // Computes the derivatives at the evaluated state (constrained_partials.cpp). Throws Error if the
  // solver offers no derivatives.
  Partials forward_partials(Solver& solver, const Eigen::VectorXd& tau) const;

  // Closes the loops (assembly.hpp) in the metric of the solver's M.
  static void assemble(Solver& solver, State& state, std::span<const char> held);

 private:
  Motion motion_of(Eigen::VectorXd vdot) const;
  Motion torques_for(const Eigen::VectorXd& vdot, bool required) const;
  Eigen::MatrixXd actuation() const;
  void select_independent();

  const Model* model_;
  ConstrainedChoice choice_;
  ConstraintRows rows_;
  ConstrainedMotions motions_;
  const State* state_ = nullptr;
  Eigen::MatrixXd M_, T_;
  Eigen::VectorXd b_, x_, gamma_;
  std::vector<int> independent_;
};

}  // namespace torsor
