#pragma once
// Base parameters: the minimum set of numbers that the motion of a robot depends on (KHALIL 7.5.3;
// Gautier and Khalil 1990). If columns of Y (linear_model.hpp) depend on other columns for every
// motion, their parameters are grouped into those of the others:
//   Y pi = Y_kept (B pi) at every q, v, vdot
// Of columns that depend on each other, those of links nearer to the base are kept. Within a link
// the order is that of Khalil's tables, XX ZZ XY XZ YZ MX MY MZ M YY, then Ia, Fv, Fc. This works
// for any tree of any joints. Joints that mimic others move with them.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "torsor/identification/linear_model.hpp"

namespace torsor {

struct Grouping {
  std::vector<int> kept;  // [rank], indices of parameters, ascending
  // [rank][parameters]: base values are B pi. Column kept[i] is the unit vector i.
  Eigen::MatrixXd B;
};

struct BaseParameters {
  std::vector<DynamicParameter> standard;
  std::vector<std::string> left_out;  // as in LinearModel
  Grouping grouping;
  // [rank] "link2.MY", or "link2.XXR" with an R if other parameters are grouped into it.
  std::vector<std::string> names;
  std::vector<double> values;  // [rank] B pi for the model's own pi
  // The rank comes from Y over random states. Its columns are divided by the largest one of their
  // unit. The rank is the number of pivots (QR with column pivoting) before the first gap of three
  // decades. These are the last pivot above the gap and the first one below, or 0 if there is none.
  double least_pivot, next_pivot;
  double condition;  // of the kept columns over these states, each scaled to norm 1
  // true: B follows the rules of Gautier and Khalil (grouping_rules.hpp), and the numerical B
  // agrees. false: B is the numerical one.
  bool by_rules;

  size_t rank() const { return names.size(); }
};

// Computes the base parameters under this gravity. Throws Error if the rank is not clear, and for a
// model without moving joints.
BaseParameters base_parameters(const std::shared_ptr<const Model>& model,
                               const Vec3<double>& gravity_W, const ParameterChoice& choice = {});

// Returns the units of the base parameters, [rank].
std::vector<std::string> units(const BaseParameters& base);
// Returns "link1.ZZR = link1.ZZ + joint1.Ia + 0.2025 link3.M", a line for each base parameter into
// which others are grouped.
std::vector<std::string> relations(const BaseParameters& base);
// Returns the names of the parameters that no motion depends on.
std::vector<std::string> without_effect(const BaseParameters& base);

// Returns the indices of the parameters in the order of preference for being kept.
std::vector<int> keeping_order(const LinearModel& linear);
// Returns the scale of each column of Y: the norm of the largest column whose parameter has the
// same unit. The scale is at least sqrt(eps) times the largest norm of all columns, so that a unit
// whose columns are only rounding error does not count.
Eigen::VectorXd column_scales(const Eigen::MatrixXd& Y, const std::vector<std::string>& units);
// Returns the condition number of a matrix after scaling each column to norm 1.
double scaled_condition(const Eigen::MatrixXd& R);
// Returns G with v = G x for the free dof x. The rows of G^T Y are the equations without those of
// joints that mimic others, one row for each free dof.
Eigen::MatrixXd free_rows(const Model& model);

}  // namespace torsor
