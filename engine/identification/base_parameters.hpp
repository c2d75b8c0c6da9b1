#pragma once
// Base parameters: the fewest numbers that the motion of a robot depends on (KHALIL 7.5.3; Gautier
// and Khalil 1990). Columns of Y (linear_model.hpp) that depend on others for every motion have
// their parameters grouped into those of the others:
//   Y pi = Y_kept (B pi) at every q, v, vdot
// Of columns that depend on each other the parameters of links nearer to the base stay, and within
// a link, as in Khalil's tables, the first of XX ZZ XY XZ YZ MX MY MZ M YY; then Ia, Fv, Fc. Any
// tree of any joints; joints that mimic others move with these.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "torsor/identification/linear_model.hpp"

namespace torsor {

struct Grouping {
  std::vector<int> kept;  // [rank], indices of parameters, ascending
  // [rank][parameters]: base values = B pi; column kept[i] is the unit vector i.
  Eigen::MatrixXd B;
};

struct BaseParameters {
  std::vector<DynamicParameter> standard;
  std::vector<std::string> left_out;  // as LinearModel's
  Grouping grouping;
  std::vector<std::string>
      names;  // [rank] "link2.MY", and with an R where others are grouped into it: "link2.XXR"
  std::vector<double> values;  // [rank] B pi of the model's own
  // Where the rank comes from: Y over random states, each column measured by the largest of its
  // unit, has so many pivots (QR with column pivoting) before the first gap of three decades. The
  // last above it and the first below, 0 where there is none.
  double least_pivot, next_pivot;
  double condition;  // of the kept columns, each of norm 1, over these states
  // Whether B is of Gautier and Khalil's rules (grouping_rules.hpp), which the numbers above
  // confirmed; else of these numbers.
  bool by_rules;

  size_t rank() const { return names.size(); }
};

// Under this gravity. Throws Error where the rank is not clear, and for a model without joints that
// move.
BaseParameters base_parameters(const std::shared_ptr<const Model>& model,
                               const Vec3<double>& gravity_W, const ParameterChoice& choice = {});

// [rank] of the base parameters.
std::vector<std::string> units(const BaseParameters& base);
// "link1.ZZR = link1.ZZ + joint1.Ia + 0.2025 link3.M", a line for each base parameter that others
// are grouped into.
std::vector<std::string> relations(const BaseParameters& base);
// Parameters that no motion depends on.
std::vector<std::string> without_effect(const BaseParameters& base);

// Indices of the parameters, those that are rather kept first.
std::vector<int> keeping_order(const LinearModel& linear);
// What columns of Y, of parameters in these units, are measured by: the largest of their unit. Nor
// does a unit count whose columns are all rounding beside others.
Eigen::VectorXd column_scales(const Eigen::MatrixXd& Y, const std::vector<std::string>& units);
// The condition number of a matrix whose columns are each scaled to norm 1.
double scaled_condition(const Eigen::MatrixXd& R);
// Rows of Y in which joints that mimic others have no equations of their own: G^T Y with v = G x; a
// row of each free column.
Eigen::MatrixXd free_rows(const Model& model);

}  // namespace torsor
