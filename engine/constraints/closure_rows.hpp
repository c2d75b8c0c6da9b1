#pragma once
// The rows of closures (model/closure.hpp) at a state: J(q), the bias Jdot v, and the position
// errors phi(q). phidot = J v and phiddot = J vdot + Jdot v.
//
// The frames A and B have the twists (w, v) in the axes of the world, and d = p_B - p_A. Axis a is
// one of A, and b one of B. The forms of the conditions have these rates:
//   displacement   phi = a . d        phidot = a . (v_B - v_A) + w_A . (a x d)
//   orthogonality  phi = a . b        phidot = (w_A - w_B) . (a x b)
//   tilt           phi = k a . z_B    k = t / sin t, t: the angle from z_A to z_B
//   turn           phi = atan2(s, c)  s = y_A . x_B - x_A . y_B,  c = x_A . x_B + y_A . y_B
//   length         phi = |d| - L      phidot = e . (v_B - v_A),  e = d / |d|
//   screw          phi = z . d - h s  phidot = that of the displacement - h z . (w_B - w_A)
//   linear         phi = sum c_i p_i - offset    phidot = sum c_i v_i, without a bias
// The tilt and the turn are functions of products of axes, each with the rates of an orthogonality.
// The angle s is that turn of B relative to A, of all that differ by 2 pi, which has the smallest
// phi. The rate of the screw assumes that z_B is along z_A, as the other conditions of the kind
// require.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "torsor/constraints/row.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor {

// The size of the errors of a closure: those in m, and those in rad.
struct ClosureGap {
  double distance = 0, angle = 0;
};

// Returns whether the unit of a linear condition is m, rather than rad.
bool is_distance(const Model& model, const Closure& linear);

// Returns "the closure 'pin' is open by 0.1 m and 0 rad".
std::string describe_gap(const std::string& closure, const ClosureGap& gap);

class ClosureRows {
 public:
  explicit ClosureRows(const Model& model);

  size_t size() const { return rows_.size(); }
  // Evaluates rows, bias and errors at q and v of the state, unless they are those of the last
  // call. No allocation.
  void evaluate(const State& state);
  // The rows at the last evaluated state. Each contains the dof that move B relative to A. Factors
  // that are zero up to rounding are exactly 0. The objects stay where they are.
  const std::vector<Row>& rows() const { return rows_; }
  std::vector<ConstraintRow> constraint_rows() const;
  double bias(size_t row) const { return -acceleration_[row]; }  // Jdot v, m/s^2 or rad/s^2
  double error(size_t row) const { return error_[row]; }         // phi, m or rad
  // Bound of the rounding errors of phi.
  double rounding(size_t row) const { return rounding_[row]; }
  // Wrench of A on B for a multiplier of 1, at the origin of B, in the axes of the world. A linear
  // condition has no frames: the multiplier is the z component of the moment if the unit of the
  // condition is rad, and of the force if it is m.
  const Wrench<double>& wrench(size_t row) const { return wrench_[row]; }
  // Index in Model::closures of the closure of a row.
  size_t closure(size_t row) const { return closure_[row]; }
  // Returns whether the error of a row is a distance, m, rather than an angle.
  bool is_distance(size_t row) const { return is_distance_[row]; }
  // Returns the gap of each closure, [closures].
  std::vector<ClosureGap> gaps() const;
  // Writes the wrench of A on B of each closure, [closures], for the forces along the rows
  // [size()]: at the origin of B, in the axes of A. The state is that of the last evaluation.
  void write_wrenches(const State& state, std::span<const double> forces,
                      std::span<Wrench<double>> out) const;

 private:
  // The motion of a body, in the axes of the world and about its origin.
  struct Body {
    Pose<double> X_WB;
    Twist<double> V, bias;  // bias: Vdot for vdot = 0
  };
  // A dof that moves one of the bodies A and B of a closure, but not both.
  struct Mover {
    int dof;
    bool moves_B;
  };
  struct Side;
  void add_linear(const Model& model, const Closure& closure, size_t index);
  void evaluate_bodies(const State& state);
  void evaluate_linear(const State& state, const Closure& closure, size_t row);
  void evaluate_closure(const Closure& closure, size_t index, size_t first);

  std::vector<double> q_, v_;  // of the last evaluation
  std::vector<Row> rows_;
  std::vector<double> acceleration_, error_, rounding_;
  std::vector<Wrench<double>> wrench_;
  std::vector<size_t> closure_;
  std::vector<char> is_distance_, is_constant_;
  std::vector<std::vector<Mover>> movers_;  // [closures]
  // [closures] length of the path from A over the world to B in the neutral position, m. Rounding
  // errors of phi are in proportion to it, also if A and B are at the origin of the world.
  std::vector<double> extent_;
  std::vector<int> moving_;         // bodies between the world and a closure, ascending
  std::vector<Body> bodies_;        // [n_body]
  std::vector<Twist<double>> S_W_;  // [n_v] screws of the dof of these bodies
  std::vector<std::pair<double, double>> S_sizes_;  // [n_v] |w| and |v| of these screws
};

}  // namespace torsor
