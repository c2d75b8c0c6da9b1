#include "torsor/analysis/bounds.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/base/random.hpp"
#include "torsor/model/rotor_body.hpp"

namespace torsor {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// A coordinate of the position: the angle of a dof, or an entry of q in metres.
struct Coordinate {
  int index;  // of the dof, or of the entry of q
  double lower, upper;
  bool limited() const { return std::isfinite(lower) && std::isfinite(upper); }
};
struct Coordinates {
  std::vector<Coordinate> turns, slides;
};

Coordinates coordinates(const Model& model) {
  Coordinates out;
  for (const Joint& joint : model.joints) {
    const JointTraits& kind = traits(joint.kind);
    const bool limited = kind.n_v == 1;
    const double infinity = std::numeric_limits<double>::infinity(),
                 lower = limited ? joint.lower : -infinity,
                 upper = limited ? joint.upper : infinity;
    for (int k = joint.v_index; k < joint.v_index + kind.n_v; ++k)
      if (model.dof(k).turns()) {
        const bool both = std::isfinite(lower) && std::isfinite(upper);
        out.turns.push_back({k, both ? lower : -std::numbers::pi, both ? upper : std::numbers::pi});
      }
    for (int k = 0; k < kind.n_q; ++k)
      if (kind.coordinates[size_t(k)].unit == "m")
        out.slides.push_back({joint.q_index + k, lower, upper});
  }
  return out;
}

// Throws Error if a screw joint without limits can change the lever arm of another joint.
void require_limited_screws(const Model& model) {
  for (const Joint& joint : model.joints) {
    const Twist<double>& S = model.S_B[size_t(joint.v_index)];
    if (traits(joint.kind).n_v == 1 && dot(S.w, S.v) != 0 && model.parent[size_t(joint.body)] > 0 &&
        !(std::isfinite(joint.lower) && std::isfinite(joint.upper)))
      throw Error(fmt::format(
          "the screw joint '{}' has no limits, so its angle is also a translation without "
          "limits; give it limits",
          joint.name));
  }
}

// Hooke and Jeeves' search of a maximum in the box 0 .. 1. `top` is f(y). size: the size of the
// terms of f, whose rounding errors count as no gain. Sets y to the best point and returns f there.
// The relative error of a smooth maximum is of the order of the square of the last step.
using Function = std::function<double(const std::vector<double>&)>;
double ascend(std::vector<double>& y, double top, double size, const Function& f) {
  constexpr int most = 4000;
  constexpr double least_gain = 1e-13;  // ignores rounding errors
  int evaluations = 0;
  const auto accept = [&](const std::vector<double>& at) {
    ++evaluations;
    const double value = f(at);
    if (!(value > top + least_gain * std::max(std::abs(top), size))) return false;
    top = value, y = at;
    return true;
  };
  const auto probe = [&](double step) {
    bool higher = false;
    for (size_t k = 0; k < y.size(); ++k)
      for (const double move : {step, -step}) {
        std::vector<double> at = y;
        at[k] = std::clamp(at[k] + move, 0.0, 1.0);
        if (accept(at)) {
          higher = true;
          break;
        }
      }
    return higher;
  };
  for (double step = 0.25; step > 1e-8 && evaluations < most;) {
    const std::vector<double> before = y;
    if (!probe(step)) {
      step /= 2;
      continue;
    }
    std::vector<double> further = y;
    for (size_t k = 0; k < y.size(); ++k) further[k] = std::clamp(2 * y[k] - before[k], 0.0, 1.0);
    accept(further);
  }
  return top;
}

// Returns the best point of a box of n dimensions: samples it, then ascends from the best samples.
std::vector<double> maximise(size_t n, double size, const Function& f) {
  constexpr int samples = 300, starts = 5;
  Random random(1);
  std::vector<std::pair<double, std::vector<double>>> found;
  for (int s = 0; s < (n == 0 ? 1 : samples); ++s) {
    std::vector<double> y(n);
    for (double& x : y) x = random.uniform(0, 1);
    const double value = f(y);
    found.emplace_back(value, std::move(y));
  }
  const auto better = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::stable_sort(found.begin(), found.end(), better);
  found.resize(std::min<size_t>(found.size(), starts));
  for (auto& [value, y] : found) value = ascend(y, value, size, f);
  return std::min_element(found.begin(), found.end(), better)->second;
}

double symmetric_norm(const Matrix& A) {
  const auto values = symmetric_eigenvalues({A.data(), size_t(A.size())});
  if (!values) throw Error("the eigenvalues of M do not converge");
  return values->empty() ? 0 : std::max(-values->front(), values->back());
}

// Returns max |C(v)| for |v| = 1, C_ij = sum_k T_ijk v_k, by alternating maximisation of
// sum_ijk T_ijk x_i y_j v_k over unit vectors. T is [n n x n]; row i n + j contains T_ijk. Starts
// from the dof k with the largest matrices T_..k.
double trilinear_norm(const Matrix& T) {
  const Eigen::Index n = T.cols();
  std::vector<Eigen::Index> order(static_cast<size_t>(n));
  for (Eigen::Index k = 0; k < n; ++k) order[size_t(k)] = k;
  const Vector sizes = T.colwise().norm();
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  double best = 0;
  for (size_t start = 0; start < std::min<size_t>(order.size(), 4); ++start) {
    Vector v = Vector::Unit(n, order[start]), y = Vector::Ones(n).normalized(), x(n);
    double value = 0;
    for (int k = 0; k < 200; ++k) {
      const Vector entries = T * v;
      const Eigen::Map<const Matrix> C(entries.data(), n, n);
      x = C * y;
      if (x.norm() == 0) break;
      y = C.transpose() * x.normalized();
      y.normalize();
      const Matrix pair = x.normalized() * y.transpose();
      v = T.transpose() * pair.reshaped<Eigen::RowMajor>();
      const double next = v.norm();
      v.normalize();
      if (next - value <= 1e-12 * next) break;
      value = next;
    }
    best = std::max(best, value);
  }
  return best;
}

// Evaluates the terms of the equation of motion in scaled units at a position.
class Terms {
 public:
  Terms(Solver& solver, const Vec3<double>& gravity_W, double length)
      : solver_(solver),
        state_(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &solver.model())),
        space_(coordinates(solver.model())),
        length_(length),
        scale_(solver.model().n_v) {
    state_.set_gravity(gravity_W);
    for (int k = 0; k < scale_.size(); ++k) scale_[k] = model().dof(k).turns() ? 1 : length;
  }

  const Model& model() const { return solver_.model(); }
  const Coordinates& space() const { return space_; }
  size_t n_turn() const { return space_.turns.size(); }
  size_t n_slide() const { return space_.slides.size(); }

  // Sets the angles from y in 0 .. 1, and the translations to `metres`.
  void place(const std::vector<double>& y, const std::vector<double>& metres) {
    std::vector<double> move(size_t(model().n_v), 0.0), q = neutral(model());
    for (size_t k = 0; k < n_turn(); ++k) {
      const Coordinate& at = space_.turns[k];
      move[size_t(at.index)] = at.lower + y[k] * (at.upper - at.lower);
    }
    integrate(model(), q.data(), move.data(), 1, q.data());
    for (size_t k = 0; k < n_slide(); ++k) q[size_t(space_.slides[k].index)] += metres[k];
    state_.set_q(q);
  }
  std::vector<double> q() const { return {state_.q().begin(), state_.q().end()}; }
  double length() const { return length_; }

  // Moves followers to the positions that their leaders determine.
  void follow(const std::vector<Mimicry>& followers) {
    std::vector<double> at = q();
    const auto coordinate = [&](int dof) { return size_t(model().coordinate[size_t(dof)]); };
    for (const auto& [dof, of_dof, ratio, offset] : followers)
      at[coordinate(dof)] = ratio * at[coordinate(of_dof)] + offset;
    state_.set_q(at);
  }

  Matrix M() { return asked(Quantity::mass_matrix); }
  Matrix T() { return asked(Quantity::christoffel_symbols); }
  Matrix g() { return asked(Quantity::gravity); }

 private:
  // Returns a quantity with each of its indices scaled. Rows i n + j of the symbols are G_ijk.
  Matrix asked(Quantity quantity) {
    const Eigen::Index n = scale_.size();
    const int count = indices(quantity);
    Matrix out(count == 3 ? n * n : n, count == 1 ? 1 : n);
    if (const Status status = solver_.evaluate(quantity, state_, nullptr, out.data()); !status)
      throw Error(solver_.explain(status));
    for (Eigen::Index row = 0; row < out.rows(); ++row)
      out.row(row) *= count == 3 ? scale_[row / n] * scale_[row % n] : scale_[row];
    if (count > 1) out.array().rowwise() *= scale_.transpose().array();
    return out;
  }

  Solver& solver_;
  State state_;
  Coordinates space_;
  double length_;
  Vector scale_;  // [n_v] the diagonal of D
};

using Get = Matrix (Terms::*)();
using Norm = double (*)(const Matrix&);

double vector_norm(const Matrix& x) {
  return x.norm();
}

// Searches the coefficient of |p|^degree. The point is (theta, direction of p).
Bound coefficient(Terms& terms, Get get, Norm norm, int degree, double size) {
  const size_t n_slide = terms.n_slide();
  if (degree > 0 && n_slide == 0) return {0, {}};
  std::vector<double> metres(n_slide);
  // Sets p to 0 or to the unit vector +-u in the direction of y, a point of the box.
  const auto aim = [&](const std::vector<double>& y, double sign) {
    double squares = 0;
    for (size_t k = 0; k < n_slide && sign != 0; ++k) {
      metres[k] = n_slide == 1 ? 1 : 2 * y[terms.n_turn() + k] - 1;
      squares += metres[k] * metres[k];
    }
    for (double& x : metres) x = squares > 0 ? sign * terms.length() * x / std::sqrt(squares) : 0;
    terms.place(y, metres);
  };
  const auto value = [&](const std::vector<double>& y) {
    aim(y, 0);
    const Matrix middle = (terms.*get)();
    if (degree == 0) return norm(middle);
    aim(y, -1);
    const Matrix before = (terms.*get)();
    aim(y, 1);
    const Matrix after = (terms.*get)();
    return norm(degree == 1 ? Matrix((after - before) / 2) : Matrix((after + before) / 2 - middle));
  };
  const size_t directions = degree > 0 && n_slide > 1 ? n_slide : 0;
  const std::vector<double> best = maximise(terms.n_turn() + directions, size, value);
  const double found = value(best);
  return {found, terms.q()};
}

// Searches the coefficients of all degrees below `degrees`. Differences of a constant are rounding
// errors, which are set to 0.
std::array<Bound, 3> coefficients(Terms& terms, Get get, Norm norm, int degrees, double size) {
  std::array<Bound, 3> out;
  for (int degree = 0; degree < degrees; ++degree) {
    Bound& here = out[size_t(degree)] =
        coefficient(terms, get, norm, degree, std::max(size, out[0].value));
    if (degree > 0 && here.value < 1e-12 * out[0].value) here = {};
  }
  return out;
}

// Searches the largest value of a function within the limits of all joints.
Bound within_limits(Terms& terms, const std::function<double()>& value) {
  const auto place = [&](const std::vector<double>& y) {
    std::vector<double> metres;
    for (size_t k = 0; k < terms.n_slide(); ++k) {
      const Coordinate& at = terms.space().slides[k];
      const double lower = at.limited() ? at.lower : -1, upper = at.limited() ? at.upper : 1;
      metres.push_back(lower + y[terms.n_turn() + k] * (upper - lower));
    }
    terms.place(y, metres);
    return value();
  };
  const std::vector<double> best = maximise(terms.n_turn() + terms.n_slide(), 0, place);
  const double found = place(best);
  return {found, terms.q()};
}

bool all_limited(const Terms& terms) {
  const auto& slides = terms.space().slides;
  return std::all_of(slides.begin(), slides.end(),
                     [](const Coordinate& at) { return at.limited(); });
}

}  // namespace

DynamicsBounds dynamics_bounds(Solver& solver, const Vec3<double>& gravity_W, double length) {
  const Model& model = solver.model();
  if (!(length > 0) || !std::isfinite(length))
    throw Error(fmt::format("the length is {} m; it must be positive", length));
  if (model.n_v > most_columns_of_bounds)
    throw Error(
        fmt::format("the robot has {} degrees of freedom; bounds are computed for {} "
                    "at most",
                    model.n_v, most_columns_of_bounds));
  require_limited_screws(model);
  Terms terms(solver, gravity_W, length);
  DynamicsBounds out{length, {}, {}};
  const auto [M_0, M_1, M_2] = coefficients(terms, &Terms::M, symmetric_norm, 3, 0);
  const auto [C_0, C_1, C_2] = coefficients(terms, &Terms::T, trilinear_norm, 3, M_0.value);
  const auto [g_0, g_1, none] =
      coefficients(terms, &Terms::g, vector_norm, 2, norm(gravity_W) * M_0.value);
  out.a = {M_0, M_1, M_2, C_0, C_1, g_0, g_1, C_2};
  // Without limits, the values within the limits exist if the translations have no effect.
  const auto& a = out.a;
  if (!all_limited(terms) && a[1].value + a[2].value + a[4].value + a[6].value + a[7].value > 0)
    return out;
  out.within_limits.emplace();
  out.within_limits->M = within_limits(terms, [&] { return symmetric_norm(terms.M()); });
  out.within_limits->C = within_limits(terms, [&] { return trilinear_norm(terms.T()); });
  out.within_limits->g = within_limits(terms, [&] { return terms.g().norm(); });
  out.within_limits->M_least = within_limits(terms, [&] {
    const Matrix M = terms.M();
    return -symmetric_eigenvalues({M.data(), size_t(M.size())}).value().front();
  });
  out.within_limits->M_least.value *= -1;
  return out;
}

// Equations: KHALIL 9.6.
std::vector<double> largest_inertias(Solver& solver) {
  Terms terms(solver, {0, 0, 0}, 1);
  const int n = solver.model().n_v;
  const std::vector<Mimicry> following = followers(solver.model());
  Matrix G = Matrix::Identity(n, n);  // v = G (v of the leaders)
  for (const Mimicry& each : following) {
    G.row(each.dof).setZero();
    G(each.dof, each.of_dof) = each.ratio;
  }
  std::vector<double> out;
  for (int k = 0; k < n; ++k) {
    const Vector column = G.col(k);
    if (column.isZero(0)) {
      out.push_back(0);
      continue;
    }
    out.push_back(within_limits(terms, [&] {
                    terms.follow(following);
                    return column.dot(terms.M() * column);
                  }).value);
  }
  return out;
}

}  // namespace torsor
