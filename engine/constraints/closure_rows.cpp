#include "torsor/constraints/closure_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

namespace {

using Form = ClosureCondition::Form;
using Vector = Vec3<double>;

Vector column(const Mat3<double>& R, int k) {
  return {R.m[k], R.m[3 + k], R.m[6 + k]};
}

bool is_angle(Form form) {
  return form == Form::orthogonality || form == Form::tilt || form == Form::turn;
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

// The product a . b of an axis of A and one of B, and its rates:
//   phidot = (w_A - w_B) . (a x b)
struct Product {
  double value, rate, rest;
  Vector across;  // a x b
  Product(const Vector& a, const Vector& b, const Vector& w_A, const Vector& w_B)
      : value(dot(a, b)), across(cross(a, b)) {
    const Vector adot = cross(w_A, a), bdot = cross(w_B, b);
    rate = dot(w_A - w_B, across);
    rest = dot(cross(w_A, adot), b) + 2 * dot(adot, bdot) + dot(a, cross(w_B, bdot));
  }
};
Product operator+(Product a, const Product& b) {
  a.value += b.value, a.rate += b.rate, a.rest += b.rest, a.across = a.across + b.across;
  return a;
}
Product operator-(Product a, const Product& b) {
  a.value -= b.value, a.rate -= b.rate, a.rest -= b.rest, a.across = a.across - b.across;
  return a;
}

// The derivatives of a function f(x, y) of two products.
struct Partials {
  double x, y, xx, xy, yy;
};
Rates rates_of(const Product& x, const Product& y, const Partials& f) {
  const Vector moment = f.x * x.across + f.y * y.across;
  return {{moment, {0, 0, 0}},
          {-moment, {0, 0, 0}},
          f.x * x.rest + f.y * y.rest + f.xx * x.rate * x.rate + 2 * f.xy * x.rate * y.rate +
              f.yy * y.rate * y.rate};
}

// The tilt k s, with s = a . z_B, c = z_A . z_B = cos t, and k = t / sin t. From k sin t = t,
//   k' = dk/dc = (c k - 1) / (1 - c^2),   k'' = (k + 3 c k') / (1 - c^2)
// and near t = 0, with u = 1 - c:  k = 1 + u / 3 + 2 u^2 / 15 + 2 u^3 / 35 + 8 u^4 / 315
Rates tilt(const Product& s, const Product& c, double& error) {
  constexpr double series = 1e-3, opposite = 1e-14;
  const double u = 1 - c.value;
  double k, dk, ddk;
  if (u < series) {
    k = 1 + u * (1. / 3 + u * (2. / 15 + u * (2. / 35 + u * 8 / 315)));
    dk = -(1. / 3 + u * (4. / 15 + u * (6. / 35 + u * 32 / 315)));
    ddk = 4. / 15 + u * (12. / 35 + u * 96 / 315);
  } else {
    // z_B may point against z_A, where the direction of the tilt is arbitrary.
    const double sine_2 = std::max(u * (1 + c.value), opposite);
    k = std::acos(std::max(c.value, -1.)) / std::sqrt(sine_2);
    dk = (c.value * k - 1) / sine_2;
    ddk = (k + 3 * c.value * dk) / sine_2;
  }
  error = k * s.value;
  return rates_of(s, c, {k, dk * s.value, 0, dk, ddk * s.value});
}

// The turn atan2(s, c), with s = y_A . x_B - x_A . y_B and c = x_A . x_B + y_A . y_B.
Rates turn(const Product& s, const Product& c, double& error) {
  const double x = s.value, y = c.value, r_2 = std::max(x * x + y * y, 1e-300);
  error = std::atan2(x, y);
  const double twice = 2 * x * y / (r_2 * r_2);
  return rates_of(s, c, {y / r_2, -x / r_2, -twice, (x * x - y * y) / (r_2 * r_2), twice});
}

}  // namespace

// A frame of a closure: its pose, and the twist and Jdot v of its origin in the axes of the world.
struct ClosureRows::Side {
  Pose<double> X;
  Twist<double> V, bias;
  Side(const Body& body, const Pose<double>& X_BF)
      : X(body.X_WB * X_BF), V{body.V.w, body.V.v + cross(body.V.w, X.p)} {
    bias = {body.bias.w, body.bias.v + cross(body.bias.w, X.p) + cross(V.w, V.v)};
  }
};

ClosureRows::ClosureRows(const Model& model)
    : bodies_(size_t(model.n_body)), S_W_(size_t(model.n_v)), S_sizes_(size_t(model.n_v)) {
  std::vector<char> is_moving(size_t(model.n_body), 0);
  for (size_t k = 0; k < model.closures.size(); ++k) {
    const Closure& closure = model.closures[k];
    movers_.emplace_back();
    extent_.push_back(0);
    if (traits(closure.kind).is_linear()) {
      add_linear(model, closure, k);
      continue;
    }
    const std::vector<char> a = dofs_to_world(model, closure.body_A),
                            b = dofs_to_world(model, closure.body_B);
    Row row;
    for (int dof = 0; dof < model.n_v; ++dof)
      if (a[size_t(dof)] != b[size_t(dof)]) {
        row.push_back({dof, 0});
        movers_.back().push_back({dof, b[size_t(dof)] != 0});
      }
    for (const ClosureCondition& condition : traits(closure.kind).conditions) {
      rows_.push_back(row);
      closure_.push_back(k);
      is_distance_.push_back(!is_angle(condition.form));
      is_constant_.push_back(false);
      wrench_.push_back({});
    }
    extent_.back() = norm(closure.X_BA.p) + norm(closure.X_BB.p);
    for (int end : {closure.body_A, closure.body_B})
      for (; end > 0; end = model.parent[size_t(end)]) {
        is_moving[size_t(end)] = 1;
        extent_.back() += norm(model.X_PB0[size_t(end)].p);
      }
  }
  for (int i = 1; i < model.n_body; ++i)
    if (is_moving[size_t(i)]) moving_.push_back(i);
  bodies_[0].X_WB = Pose<double>::identity();
  acceleration_ = error_ = rounding_ = std::vector<double>(rows_.size());
}

bool is_distance(const Model& model, const Closure& linear) {
  return traits(linear.kind).in_metres || !model.dof(linear.terms[0].dof).turns();
}

// The row of a linear condition is constant, and its bias is 0.
void ClosureRows::add_linear(const Model& model, const Closure& closure, size_t index) {
  Row& row = rows_.emplace_back();
  for (const auto& [dof, factor] : closure.terms) row.push_back({dof, factor});
  closure_.push_back(index);
  const bool distance = torsor::is_distance(model, closure);
  is_distance_.push_back(distance);
  is_constant_.push_back(true);
  wrench_.push_back(distance ? Wrench<double>{{0, 0, 0}, {0, 0, 1}}
                             : Wrench<double>{{0, 0, 1}, {0, 0, 0}});
}

std::vector<ConstraintRow> ClosureRows::constraint_rows() const {
  std::vector<ConstraintRow> out;
  for (size_t k = 0; k < rows_.size(); ++k)
    out.push_back({.row = &rows_[k],
                   .acceleration = &acceleration_[k],
                   .error = &error_[k],
                   .rounding = &rounding_[k],
                   .varies = !is_constant_[k]});
  return out;
}

// V_i = V_p + S v. The screws S are fixed in body i: Sdot = ad(V_i) S, so that with vdot = 0
//   Vdot_i = Vdot_p + ad(V_i) S v
void ClosureRows::evaluate_bodies(const State& state) {
  const Model& model = state.model();
  for (const int i : moving_) {
    Body& body = bodies_[size_t(i)];
    const Body& parent = bodies_[size_t(model.parent[size_t(i)])];
    body.X_WB = parent.X_WB * state.X_PB()[size_t(i)];
    Twist<double> joint{};
    for (int k = model.v_index[size_t(i)]; k < model.v_index[size_t(i)] + model.v_count[size_t(i)];
         ++k) {
      Twist<double>& S = S_W_[size_t(k)];
      S = transform(body.X_WB, model.S_B[size_t(k)]);
      S_sizes_[size_t(k)] = {norm(S.w), norm(S.v)};
      joint = joint + state.v[size_t(k)] * S;
    }
    body.V = parent.V + joint;
    body.bias = parent.bias + ad(body.V, joint);
  }
}

void ClosureRows::evaluate(const State& state) {
  if (state.model().closures.empty()) return;
  if (std::ranges::equal(q_, state.q()) && std::ranges::equal(v_, state.v)) return;
  q_.assign(state.q().begin(), state.q().end());
  v_.assign(state.v.begin(), state.v.end());
  evaluate_bodies(state);
  size_t first = 0;
  for (size_t k = 0; k < state.model().closures.size(); ++k) {
    const Closure& closure = state.model().closures[k];
    if (traits(closure.kind).is_linear())
      evaluate_linear(state, closure, first);
    else
      evaluate_closure(closure, k, first);
    first += traits(closure.kind).conditions.size();
  }
}

// The rounding errors are those of the terms. Near p = 0, they are those of p = 1 rad or m.
void ClosureRows::evaluate_linear(const State& state, const Closure& closure, size_t row) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double error = -closure.parameter, size = std::abs(closure.parameter);
  for (const auto& [dof, factor] : closure.terms) {
    const double p = state.q()[size_t(state.model().coordinate[size_t(dof)])];
    error += factor * p;
    size += std::abs(factor) * (1 + std::abs(p));
  }
  error_[row] = error;
  rounding_[row] = 16 * eps * size;
}

void ClosureRows::evaluate_closure(const Closure& closure, size_t index, size_t first) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const Side A(bodies_[size_t(closure.body_A)], closure.X_BA),
      B(bodies_[size_t(closure.body_B)], closure.X_BB);
  const Vector d = B.X.p - A.X.p, v = B.V.v - A.V.v, w_A = A.V.w, w_B = B.V.w;
  const double size = extent_[index] + norm(A.X.p) + norm(B.X.p);
  const auto displacement = [&](const Vector& a) {
    const Vector turning = cross(w_A, a);
    return Rates{
        {cross(a, d), -a}, {{0, 0, 0}, a}, 2 * dot(turning, v) + dot(cross(w_A, turning), d)};
  };
  const auto product = [&](int of_A, int of_B) {
    return Product(column(A.X.R, of_A), column(B.X.R, of_B), w_A, w_B);
  };
  const auto& conditions = traits(closure.kind).conditions;
  for (size_t k = 0; k < conditions.size(); ++k) {
    const auto [form, of_A, of_B] = conditions[k];
    const Vector a = column(A.X.R, of_A);
    const size_t row = first + k;
    Rates rates;
    rounding_[row] = is_angle(form) ? 16 * eps : 4 * eps * size;
    switch (form) {
      case Form::displacement:
        error_[row] = dot(a, d);
        rates = displacement(a);
        break;
      case Form::orthogonality: {
        const Product s = product(of_A, of_B);
        error_[row] = s.value;
        rates = rates_of(s, s, {1, 0, 0, 0, 0});
        break;
      }
      case Form::tilt:
        rates = tilt(product(of_A, 2), product(2, 2), error_[row]);
        // z_B points against z_A: a tilt about any axis, here that of x_A.
        if (of_A == 0 && product(2, 2).value < -1 + 1e-12) error_[row] = std::numbers::pi;
        break;
      case Form::turn:
        rates = turn(product(1, 0) - product(0, 1), product(0, 0) + product(1, 1), error_[row]);
        break;
      case Form::linear:
        break;
      case Form::length: {
        const double length = norm(d);
        const Vector e = (1 / length) * d;
        error_[row] = length - closure.parameter;
        rates = {{{0, 0, 0}, -e}, {{0, 0, 0}, e}, (dot(v, v) - dot(e, v) * dot(e, v)) / length};
        break;
      }
      case Form::screw: {
        const double h = closure.parameter, lead = 2 * std::numbers::pi * h,
                     angle = std::atan2(dot(column(A.X.R, 1), column(B.X.R, 0)),
                                        dot(column(A.X.R, 0), column(B.X.R, 0)));
        error_[row] = std::remainder(dot(a, d) - h * angle, lead);
        rates = displacement(a);
        rates.of_A.n += h * a;
        rates.of_B.n -= h * a;
        rates.rest -= h * dot(cross(w_A, a), w_B - w_A);
        break;
      }
    }
    wrench_[row] = rates.of_B;
    acceleration_[row] = -(dot(A.bias, rates.of_A) + dot(B.bias, rates.of_B) + rates.rest);
    // The wrenches about the origin of the world.
    const Wrench<double> at_A{rates.of_A.n + cross(A.X.p, rates.of_A.f), rates.of_A.f},
        at_B{rates.of_B.n + cross(B.X.p, rates.of_B.f), rates.of_B.f};
    const double n_A = norm(at_A.n), f_A = norm(at_A.f), n_B = norm(at_B.n), f_B = norm(at_B.f);
    for (size_t m = 0; m < rows_[row].size(); ++m) {
      const auto [dof, moves_B] = movers_[index][m];
      const auto [S_w, S_v] = S_sizes_[size_t(dof)];
      const double factor = dot(S_W_[size_t(dof)], moves_B ? at_B : at_A);
      // A sum of terms that cancel is zero. Otherwise, a condition that the dof cannot violate
      // would be a row of rounding errors, with any direction.
      const double terms = moves_B ? S_w * n_B + S_v * f_B : S_w * n_A + S_v * f_A;
      const bool cancels = std::abs(factor) <= rounding_[row] * S_w + 16 * eps * terms;
      rows_[row][m].factor = cancels ? 0 : factor;
    }
  }
}

std::vector<ClosureGap> ClosureRows::gaps() const {
  std::vector<ClosureGap> out(movers_.size());
  for (size_t row = 0; row < rows_.size(); ++row) {
    ClosureGap& gap = out[closure_[row]];
    double& part = is_distance_[row] ? gap.distance : gap.angle;
    part = std::hypot(part, error_[row]);
  }
  return out;
}

std::string describe_gap(const std::string& closure, const ClosureGap& gap) {
  return fmt::format("the closure '{}' is open by {:.3g} m and {:.3g} rad", closure, gap.distance,
                     gap.angle);
}

void ClosureRows::write_wrenches(const State& state, std::span<const double> forces,
                                 std::span<Wrench<double>> out) const {
  std::ranges::fill(out, Wrench<double>{});
  for (size_t row = 0; row < rows_.size(); ++row) {
    Wrench<double>& F = out[closure_[row]];
    F = F + forces[row] * wrench_[row];
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const Closure& closure = state.model().closures[k];
    const Mat3<double> R = frame_pose(state, {"", closure.body_A, closure.X_BA}).R;
    out[k] = {transpose_times(R, out[k].n), transpose_times(R, out[k].f)};
  }
}

}  // namespace torsor
