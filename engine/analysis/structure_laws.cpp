#include "torsor/analysis/structure_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "torsor/analysis/comparison.hpp"
#include "torsor/analysis/dependence_laws.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/brackets.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/regressor.hpp"
#include "torsor/mechanics/singular.hpp"
#include "torsor/mechanics/tree_factor.hpp"

namespace torsor {

namespace {

using Matrix = InspectedState::Matrix;
using Vector = InspectedState::Vector;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Returns the error relative to the size. An error of up to 16 eps `terms` is always within the
// limit `agreement` (comparison.hpp).
double relative(double error, double size, double terms = 0) {
  const double unit = std::max(size, 16 * epsilon / agreement * terms);
  return error == 0 ? 0 : error / unit;
}

// f'(0) and f''(0) from central differences with the steps h, h/2 and h/4. Richardson extrapolation
// reduces their error to the order h^6.
struct Derivatives {
  Matrix first, second;
};
Derivatives differentiate(const std::function<Matrix(double)>& f, double h) {
  const Matrix middle = f(0);
  Derivatives d[3];
  for (Derivatives& at : d) {
    const Matrix before = f(-h), after = f(h);
    at = {(after - before) / (2 * h), (after - 2 * middle + before) / (h * h)};
    h /= 2;
  }
  const auto extrapolated = [](const Matrix& a, const Matrix& b, const Matrix& c) -> Matrix {
    return (16 * (4 * c - b) - (4 * b - a)) / 45;
  };
  return {extrapolated(d[0].first, d[1].first, d[2].first),
          extrapolated(d[0].second, d[1].second, d[2].second)};
}
// The angle of the fastest body in one step of the differences, rad. The relative error of the
// extrapolation is about 1e-11.
constexpr double step = 0.1;

double fastest(const State& state, const std::vector<double>& vdot) {
  const Model& model = state.model();
  std::vector<double> rate(size_t(model.n_body), 1.0);
  for (size_t i = 1; i < rate.size(); ++i) {
    rate[i] = rate[size_t(model.parent[i])];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      rate[i] += norm(model.S_B[size_t(k)].w) *
                 (std::abs(state.v[size_t(k)]) + std::sqrt(std::abs(vdot[size_t(k)])));
  }
  return *std::max_element(rate.begin(), rate.end());
}

using Law = std::optional<double>;

Law symmetric(InspectedState& at) {
  return relative((at.M() - at.M().transpose()).norm(), at.M().norm());
}

Law positive(InspectedState& at) {
  const std::vector<double>& values = at.eigenvalues();
  if (!(values.front() > 0)) {
    const Model& model = at.state().model();
    const int body = TreeFactor(model).factor(at.M().data(), MinPivots(model).at(at.state()));
    throw Error(fmt::format("M is not positive definite: its smallest eigenvalue is {:.1e}{}",
                            values.front(), body < 0 ? "" : "; " + explain_singular(model, body)));
  }
  return values.back() / values.front();
}

Law kinetic(InspectedState& at) {
  const double energy = kinetic_energy(at.state());
  return relative(std::abs(at.v().dot(at.M() * at.v()) / 2 - energy), energy);
}

// Equations: MK 63, 64.
Law skew(InspectedState& at) {
  const Matrix& C = at.C();
  return relative((at.differences().M_dot - C - C.transpose()).norm(),
                  at.M().norm() * at.rate() + C.norm());
}

Law second_skew(InspectedState& at) {
  const auto& [M_dot, M_ddot, C_dot] = at.differences();
  return relative((M_ddot - C_dot - C_dot.transpose()).norm(),
                  at.M().norm() * at.rate() * at.rate() + C_dot.norm());
}

// Compares the time derivatives of M and C that the solver computes in closed form with finite
// differences. Returns nullopt if the solver does not offer these derivatives.
Law rates_are_derivatives(InspectedState& at) {
  if (!at.offers_rates()) return std::nullopt;
  const InspectedState::AlongMotion own = at.rates();
  const auto& [M_dot, M_ddot, C_dot] = at.differences();
  const double rate = at.rate(), size = at.M().norm() * rate + at.C().norm();
  return std::max({relative((own.M_dot - M_dot).norm(), size),
                   relative((own.M_ddot - M_ddot).norm(), size * rate),
                   relative((own.C_dot - C_dot).norm(), size * rate + C_dot.norm())});
}

Law passive(InspectedState& at) {
  const Vector v = at.v(), Cv = at.C() * v;
  return relative(std::abs(v.dot(at.differences().M_dot * v) - 2 * v.dot(Cv)),
                  at.M().norm() * at.rate() * v.squaredNorm() + Cv.norm() * v.norm());
}

Law bias_is_sum(InspectedState& at) {
  const Vector Cv = at.C() * at.v(), g = at.gravity(), b = at.bias();
  return relative((Cv + g - b).norm(), Cv.norm() + g.norm() + b.norm(), at.terms(false));
}

// Checks G_ijk - G_ikj = (M [S_j, S_k])_i, with the bracket of the screws of one joint. Both sides
// are zero for joints with one dof. M is without armature here.
Law symbols_symmetric(InspectedState& at) {
  if (at.n() > most_columns_of_symbols) return std::nullopt;
  const int n = at.n();
  Matrix rigid = at.M();
  for (int k = 0; k < n; ++k) rigid(k, k) -= at.state().model().armature[size_t(k)];
  Matrix off(n * n, n);
  for (int i = 0; i < n; ++i)
    off.middleRows(i * n, n) =
        at.G().middleRows(i * n, n) - at.G().middleRows(i * n, n).transpose();
  for (const auto& [j, k, l, c] : brackets(at.state().model()))
    for (int i = 0; i < n; ++i) off(i * n + k, j) -= c * rigid(i, l);
  return relative(off.norm(), at.G().norm(), at.M().norm());
}

Law symbols_give_C(InspectedState& at) {
  if (at.n() > most_columns_of_symbols) return std::nullopt;
  const Vector Cv = at.C() * at.v();
  return relative((coriolis_of_symbols(at) * at.v() - Cv).norm(), Cv.norm(), at.terms(false));
}

// Checks that inverse dynamics equals the regressor times the inertial parameters of the bodies,
// plus the armature term.
Law linear_in_parameters(InspectedState& at) {
  const Model& model = at.state().model();
  const Eigen::Index columns = Eigen::Index(n_inertial) * model.n_body;
  Matrix Y(at.n(), columns);
  std::vector<Twist<double>> scratch(regressor_scratch(model));
  regressor(at.state(), at.state().v.data(), at.vdot().data(), scratch, Y.data());
  const auto* parameters = reinterpret_cast<const double*>(model.inertia_B.data());
  const Vector armature = Eigen::Map<const Vector>(model.armature.data(), at.n());
  const Vector tau =
      Y * Eigen::Map<const Vector>(parameters, columns) + armature.cwiseProduct(at.vdot());
  return relative((tau - at.inverse()).norm(), tau.norm(), at.terms(true));
}

Law gradient(InspectedState& at) {
  Vector slope(at.n());
  for (int k = 0; k < at.n(); ++k) {
    State there = at.state();
    std::vector<double> along(there.v.size(), 0.0), q(there.q().size());
    along[size_t(k)] = 1;
    const auto energy = [&](double t) {
      integrate(there.model(), at.state().q().data(), along.data(), t, q.data());
      there.set_q(q);
      return Matrix::Constant(1, 1, potential_energy(there));
    };
    slope[k] = differentiate(energy, step).first(0, 0);
  }
  return relative((slope - at.gravity()).norm(),
                  slope.norm() + std::abs(potential_energy(at.state())), at.terms(false));
}

Law balance(InspectedState& at) {
  const Vector tau = at.inverse(), vdot = at.forward(tau);
  const auto energy = [&](double t) {
    const State there = at.after(t, vdot);
    return Matrix::Constant(1, 1, kinetic_energy(there) + potential_energy(there));
  };
  const double power = at.v().dot(tau), rate = at.rate();
  const double size = kinetic_energy(at.state()) + std::abs(potential_energy(at.state()));
  return relative(std::abs(differentiate(energy, step / rate).first(0, 0) - power),
                  std::abs(power) + size * rate);
}

}  // namespace

InspectedState::InspectedState(Solver& solver, State state, std::vector<double> vdot,
                               std::span<Solver> heavier)
    : solver_(solver),
      state_(std::move(state)),
      vdot_(std::move(vdot)),
      heavier_(heavier),
      rate_(fastest(state_, vdot_)) {}

Matrix InspectedState::asked(Solver& solver, Quantity quantity, const State& at,
                             const double* given) {
  const Eigen::Index size = n();
  Matrix out(indices(quantity) == 3 ? size * size : size, indices(quantity) == 1 ? 1 : size);
  if (const Status status = solver.evaluate(quantity, at, given, out.data()); !status)
    throw Error(solver.explain(status));
  return out;
}

Matrix InspectedState::asked_heavier(Quantity quantity, int body) {
  Solver& solver = heavier_[size_t(body) - 1];
  State same(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &solver.model()));
  same.set_q({state_.q().data(), state_.q().size()});
  same.v = state_.v;
  same.set_gravity(state_.gravity_W());
  return asked(solver, quantity, same, vdot_.data());
}

double InspectedState::terms(bool accelerated) {
  const std::span<const double> none;
  return TermSizes(state_.model())
      .torque(state_, {state_.v, accelerated ? vdot_ : none, true, false});
}
const Matrix& InspectedState::M() {
  if (!M_) M_ = mass_matrix(state_);
  return *M_;
}
const Matrix& InspectedState::C() {
  if (!C_) C_ = asked(Quantity::coriolis_matrix, state_, nullptr);
  return *C_;
}
const Matrix& InspectedState::G() {
  if (!G_) G_ = asked(Quantity::christoffel_symbols, state_, nullptr);
  return *G_;
}
const std::vector<double>& InspectedState::eigenvalues() {
  if (!eigenvalues_) {
    eigenvalues_ = symmetric_eigenvalues({M().data(), size_t(M().size())});
    if (!eigenvalues_) throw Error("the eigenvalues of M do not converge");
  }
  return *eigenvalues_;
}

State InspectedState::after(double t, const Vector& vdot) const {
  State out = state_;
  std::vector<double> q(out.q().size());
  const Vector move = t * v() + t * t / 2 * vdot, rates = v() + t * vdot;
  integrate(out.model(), state_.q().data(), move.data(), 1, q.data());
  out.set_q(q);
  out.v.assign(rates.begin(), rates.end());
  return out;
}

const InspectedState::AlongMotion& InspectedState::differences() {
  if (differences_) return *differences_;
  const auto both = [&](double t) {
    const State there = after(t, vdot());
    Matrix out(n(), 2 * n());
    out << mass_matrix(there), asked(Quantity::coriolis_matrix, there, nullptr);
    return out;
  };
  const Derivatives d = differentiate(both, step / rate_);
  differences_ = {d.first.leftCols(n()), d.second.leftCols(n()), d.first.rightCols(n())};
  return *differences_;
}

InspectedState::AlongMotion InspectedState::rates() {
  constexpr int order = 2, orders = order + 1;
  Matrix motion = Matrix::Zero(orders, n()), vectors(3 * orders, n()), M(orders * n(), n()),
         C(orders * n(), n());
  motion.row(0) = vdot();
  const Eigen::Index part = Eigen::Index(orders) * n();
  if (const Status status = solver_.equation_rates(
          state_, {order, motion.data()},
          {M.data(), C.data(), vectors.data(), vectors.data() + part, vectors.data() + 2 * part});
      !status)
    throw Error(solver_.explain(status));
  return {M.middleRows(n(), n()), M.bottomRows(n()), C.middleRows(n(), n())};
}

Matrix coriolis_by_bodies(const State& state) {
  const Model& model = state.model();
  State at = state;
  at.set_gravity({0, 0, 0});
  const Eigen::Index n = model.n_v, columns = Eigen::Index(n_inertial) * model.n_body;
  const auto* parameters = reinterpret_cast<const double*>(model.inertia_B.data());
  std::vector<Twist<double>> scratch(regressor_scratch(model));
  const Vector rest = Vector::Zero(n);
  Matrix C(n, n), Y(n, columns);
  for (Eigen::Index k = 0; k < n; ++k) {
    regressor(at, Vector(Vector::Unit(n, k)).data(), rest.data(), scratch, Y.data());
    C.col(k) = Y * Eigen::Map<const Vector>(parameters, columns);
  }
  return C;
}

Matrix coriolis_of_symbols(InspectedState& at) {
  const Vector rows = at.G() * at.v();
  return Eigen::Map<const Matrix>(rows.data(), at.n(), at.n());
}

std::vector<StructureLaw> structure_laws(int n) {
  constexpr double differences = 1e-7;
  return {
      {"M = M^T", "M is symmetric (KHALIL 7.3.3.3 a)", agreement, symmetric},
      {"M positive", "condition number of M; above the limit M is numerically singular (a)",
       1 / (std::max(n, 1) * epsilon), positive},
      {"T = v.M v/2", "M is the kinetic energy of the bodies and rotors (JIN 36)", agreement,
       kinetic},
      {"T, U of links", "depend on the joints between the world and the link only (b)", agreement,
       energies_of_links},
      {"M_ij(q)", "depends on the joints after i up to j, and on those that j carries, only (c)",
       agreement, positions_in_M},
      {"M_ij(inertias)", "depends on the links that both joints i and j carry, only (c)", agreement,
       inertias_in_M},
      {"tau_i(inertias)", "depends on the links that joint i carries, only (d)", agreement,
       inertias_in_tau},
      {"Mdot - 2C", "is skew-symmetric (e); Mdot from differences of M along a motion", differences,
       skew},
      {"Mddot - 2Cdot", "is skew-symmetric; both from differences along an accelerated motion",
       differences, second_skew},
      {"Mdot Mddot Cdot",
       "closed forms of solvers that offer them (MK 35, 45) equal these differences", differences,
       rates_are_derivatives},
      {"v.(Mdot - 2C)v", "= 0: C v conserves energy, so the robot is passive (h)", differences,
       passive},
      {"C v + g", "equals the bias", agreement, bias_is_sum},
      {"G_ijk = G_ikj",
       "Christoffel symbols are symmetric, except for brackets of a joint's own screws (JIN 46)",
       agreement, symbols_symmetric},
      {"G_ijk v_j v_k", "= C v for every factorisation of C", agreement, symbols_give_C},
      {"Y pi", "= tau: inverse dynamics is linear in the inertial parameters (f)", agreement,
       linear_in_parameters},
      {"dU/dq", "= g, from differences of the potential energy", differences, gradient},
      {"d(T + U)/dt", "= v.tau along the motion that tau causes, from differences", differences,
       balance},
  };
}

}  // namespace torsor
