#include "torsor/constraints/closure_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

using Form = ClosureCondition::Form;
using Vector = Vec3<double>;

Vector column(const Mat3<double>& R, int k) {
  return {R.m[k], R.m[3 + k], R.m[6 + k]};
}

// Returns the dof on the path from a body to the world.
std::vector<char> dofs_to_world(const Model& model, int body) {
  std::vector<char> out(size_t(model.n_v), 0);
  for (int i = body; i > 0; i = model.parent[size_t(i)])
    std::fill_n(out.begin() + model.v_index[size_t(i)], model.v_count[size_t(i)], char(1));
  return out;
}

// A condition as a linear function of the twists of A and B: phidot = of_A . V_A + of_B . V_B. The
// rest of phiddot, besides the same function of the accelerations, is `rest`.
struct Rates {
  Wrench<double> of_A{}, of_B{};
  double rest = 0;
};

}  // namespace

// A frame of a closure at a state: its axes, origin, twist and Jdot v in the axes of the world.
struct ClosureRows::Side {
  Pose<double> X;
  Twist<double> V, bias;
  Side(const State& state, const Frame& frame)
      : X(frame_pose(state, frame)),
        V(frame_twist(state, frame, Axes::world)),
        bias(jacobian_rate(state, frame, Axes::world)) {}
};

ClosureRows::ClosureRows(const Model& model) : J_A_(6, model.n_v), J_B_(6, model.n_v) {
  for (size_t k = 0; k < model.closures.size(); ++k) {
    const Closure& closure = model.closures[k];
    const std::vector<char> a = dofs_to_world(model, closure.body_A),
                            b = dofs_to_world(model, closure.body_B);
    Row row;
    for (int dof = 0; dof < model.n_v; ++dof)
      if (a[size_t(dof)] != b[size_t(dof)]) row.push_back({dof, 0});
    for (const ClosureCondition& condition : traits(closure.kind).conditions) {
      rows_.push_back(row);
      closure_.push_back(k);
      is_distance_.push_back(condition.form != Form::orthogonality);
    }
  }
  acceleration_ = error_ = rounding_ = std::vector<double>(rows_.size());
  wrench_.resize(rows_.size());
}

std::vector<ConstraintRow> ClosureRows::constraint_rows() const {
  std::vector<ConstraintRow> out;
  for (size_t k = 0; k < rows_.size(); ++k)
    out.push_back({.row = &rows_[k],
                   .acceleration = &acceleration_[k],
                   .error = &error_[k],
                   .rounding = &rounding_[k],
                   .varies = true});
  return out;
}

void ClosureRows::evaluate(const State& state) {
  size_t first = 0;
  for (const Closure& closure : state.model().closures) {
    evaluate_closure(state, closure, first);
    first += traits(closure.kind).conditions.size();
  }
}

void ClosureRows::evaluate_closure(const State& state, const Closure& closure, size_t first) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const Frame frame_A{"", closure.body_A, closure.X_BA}, frame_B{"", closure.body_B, closure.X_BB};
  const Side A(state, frame_A), B(state, frame_B);
  frame_jacobian(state, frame_A, Axes::world, J_A_);
  frame_jacobian(state, frame_B, Axes::world, J_B_);
  const Vector d = B.X.p - A.X.p, v = B.V.v - A.V.v, w_A = A.V.w, w_B = B.V.w;
  const double size = norm(A.X.p) + norm(B.X.p);
  const auto displacement = [&](const Vector& a) {
    const Vector turning = cross(w_A, a);
    return Rates{
        {cross(a, d), -a}, {{0, 0, 0}, a}, 2 * dot(turning, v) + dot(cross(w_A, turning), d)};
  };
  const auto& conditions = traits(closure.kind).conditions;
  for (size_t k = 0; k < conditions.size(); ++k) {
    const auto [form, of_A, of_B] = conditions[k];
    const Vector a = column(A.X.R, of_A), b = column(B.X.R, of_B);
    const size_t row = first + k;
    Rates rates;
    rounding_[row] = 16 * eps * (form == Form::orthogonality ? 1 : size);
    switch (form) {
      case Form::displacement:
        error_[row] = dot(a, d);
        rates = displacement(a);
        break;
      case Form::orthogonality: {
        const Vector across = cross(a, b), adot = cross(w_A, a), bdot = cross(w_B, b);
        error_[row] = dot(a, b);
        rates = {{across, {0, 0, 0}},
                 {-across, {0, 0, 0}},
                 dot(cross(w_A, adot), b) + 2 * dot(adot, bdot) + dot(a, cross(w_B, bdot))};
        break;
      }
      case Form::length: {
        const double length = norm(d);
        const Vector e = (1 / length) * d;
        error_[row] = length - closure.parameter;
        rates = {{{0, 0, 0}, -e}, {{0, 0, 0}, e}, (dot(v, v) - dot(e, v) * dot(e, v)) / length};
        break;
      }
      case Form::screw: {
        const double h = closure.parameter, turn = 2 * std::numbers::pi * h,
                     angle = std::atan2(dot(column(A.X.R, 1), column(B.X.R, 0)),
                                        dot(column(A.X.R, 0), column(B.X.R, 0)));
        error_[row] = std::remainder(dot(a, d) - h * angle, turn);
        rates = displacement(a);
        rates.of_A.n += h * a;
        rates.of_B.n -= h * a;
        rates.rest -= h * dot(cross(w_A, a), w_B - w_A);
        break;
      }
    }
    wrench_[row] = rates.of_B;
    acceleration_[row] = -(dot(A.bias, rates.of_A) + dot(B.bias, rates.of_B) + rates.rest);
    for (auto& [dof, factor] : rows_[row]) {
      const auto at = [&](const Eigen::MatrixXd& J) {
        return Twist<double>{{J(0, dof), J(1, dof), J(2, dof)}, {J(3, dof), J(4, dof), J(5, dof)}};
      };
      factor = dot(at(J_A_), rates.of_A) + dot(at(J_B_), rates.of_B);
    }
  }
}

}  // namespace torsor
