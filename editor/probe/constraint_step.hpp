#pragma once
// The constraint step at a state: the rows of all active constraints, their Delassus operator and
// their multipliers.
//
// Rows J with the position errors phi have phidot = J v and phiddot = J vdot + Jdot v. Without
// constraints, the acceleration is vdot_0. The multipliers lambda change it such that phiddot = a,
// where a is 0 except for prescribed motion:
//   G lambda = a - (J vdot_0 + Jdot v),   G = J M^-1 J^T
//   vdot = vdot_0 + M^-1 J^T lambda

#include <string>
#include <vector>

#include "torsor/analysis/constraint_comparison.hpp"
#include "torsor/constraints/row.hpp"

namespace torsor {
class Simulation;
class Solver;
}  // namespace torsor

namespace torsor::editor {

struct ConstraintRow {
  std::string name;  // constraint and condition: "pin: x_A . d"
  bool turns;        // the unit of phi is rad; otherwise m
  Row terms;         // the nonzero entries of J, by dof
  double error = 0;  // phi, m or rad; 0 for static friction and prescribed motion
  double bias = 0;   // Jdot v, m/s^2 or rad/s^2
  Bounds bounds = {};
  bool prescribed = false;  // a is the acceleration of a prescribed motion
  // Filled in by constraint_step():
  double rate = 0;         // J v, m/s or rad/s
  double free = 0;         // J vdot_0 + Jdot v
  double constrained = 0;  // J vdot + Jdot v
  double multiplier = 0;   // lambda, N or N m
  bool independent = true;
};

struct ConstraintStep {
  std::vector<ConstraintRow> rows;
  std::vector<double> G;                     // [rows][rows]
  std::vector<double> vdot_0, change, vdot;  // [n_v], change = M^-1 J^T lambda
  // The problem of the constraint solver, [rows] each: c = J vdot_0 + Jdot v - a, the sizes of its
  // terms, and the bounds of the multipliers.
  std::vector<double> c, c_terms, lower, upper;
  ConstraintProblem problem() const { return {G.data(), c, c_terms, lower, upper}; }
  // Number of active rows that act on motors of elastic joints. They are not among the rows.
  int motor_rows = 0;
  std::string failure;
};

// The multipliers of dependent rows are those of least norm in the scale of G_ii = 1. The solver
// must be prepared for the model of the simulation.
ConstraintStep constraint_step(Simulation& simulation, Solver& solver);

// The results of all constraint solvers for the problem of a state.
struct ConstraintSolvers {
  double time = 0;               // of the state, s
  std::vector<std::string> ids;  // of the solvers in the comparison
  ConstraintComparison comparison;
  std::string failure;
};

}  // namespace torsor::editor
