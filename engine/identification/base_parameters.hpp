#pragma once
// Base parameters: the minimum set of parameters on which the motion of a robot depends (KHALIL
// 7.5.3; Gautier and Khalil 1990). If a column of Y (linear_model.hpp) is a combination of other
// columns for every motion, its parameter is grouped into theirs:
//   Y pi = Y_independent (B pi) at every q, v, vdot
// Among dependent columns, those of the links nearer to the base are independent. The order within
// a link is that of Khalil's tables, XX ZZ XY XZ YZ MX MY MZ M YY. Ia, Fv and Fc of all joints
// follow after the links. The method is valid for trees with joints of any kind. Mimic joints move
// with the joints that they mimic.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "torsor/identification/linear_model.hpp"

namespace torsor {

struct Grouping {
  std::vector<int> independent;  // [rank] indices of parameters, ascending
  // [rank][parameters]. The base parameters are B pi. Column independent[i] is the unit vector i.
  Eigen::MatrixXd B;
};

struct BaseParameters {
  std::vector<DynamicParameter> standard;
  std::vector<std::string> left_out;  // see LinearModel::left_out()
  Grouping grouping;
  // [rank] names: "link2.MY" for a single standard parameter, "link2.XXR" for XX of link2 with
  // other parameters grouped into it.
  std::vector<std::string> names;
  std::vector<double> values;  // [rank] B pi with pi of the model
  // The rank of Y is determined numerically at random states. Each column of Y is divided by the
  // largest column norm of its unit. The rank is the number of pivots (QR with column pivoting)
  // before the first gap of three decades. least_pivot is the last pivot before the gap. next_pivot
  // is the first one after it, or 0 if there is none.
  double least_pivot, next_pivot;
  // Condition number of the columns of Y that belong to the base parameters, at these states.
  double condition;
  // true: B comes from the rules of Gautier and Khalil (grouping_rules.hpp), and the numerical B is
  // equal up to rounding errors. false: B is the numerical one.
  bool by_rules;

  size_t rank() const { return names.size(); }
};

// Computes the base parameters for this gravity. Throws Error if the numerical rank is not clear,
// or if the model has no moving joint.
BaseParameters base_parameters(const std::shared_ptr<const Model>& model,
                               const Vec3<double>& gravity_W, const ParameterChoice& choice = {});

// Returns the units of the base parameters, [rank].
std::vector<std::string> units(const BaseParameters& base);
// Returns one line for each base parameter into which others are grouped, such as "link1.ZZR =
// link1.ZZ + joint1.Ia + 0.2025 link3.M".
std::vector<std::string> relations(const BaseParameters& base);
// Returns the names of the parameters that have no effect on any motion.
std::vector<std::string> without_effect(const BaseParameters& base);

// Returns the indices of the parameters in order of preference as base parameters. A parameter that
// depends on earlier ones is grouped into them.
std::vector<int> preference_order(const LinearModel& linear);
// Returns the scale of each column of Y: the largest norm of the columns whose parameters have the
// same unit. A scale is at least sqrt(eps) times the largest norm of all columns. Otherwise a unit
// whose columns are only rounding errors would be scaled up.
Eigen::VectorXd column_scales(const Eigen::MatrixXd& Y, const std::vector<std::string>& units);
// Returns the condition number of a matrix after scaling each column to norm 1.
double scaled_condition(const Eigen::MatrixXd& R);
// Returns the matrix G with v = G x, where x are the velocities of the free dof. A free dof is one
// that mimics no other. The equations G^T tau = G^T Y pi have one row for each free dof.
Eigen::MatrixXd free_rows(const Model& model);

}  // namespace torsor
