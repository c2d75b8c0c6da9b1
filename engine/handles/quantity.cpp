// The functions in the rows of the table of quantities: units, and derivations of quantities that a
// plugin does not offer.

#include "torsor/handles/quantity.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/handles/solver_impl.hpp"

namespace torsor {

namespace {

// Returns the unit kg m^power, for a power from -1 to 2.
std::string mass_and_length(int power) {
  static constexpr const char* units[] = {"kg/m", "kg", "kg m", "kg m^2"};
  return units[power + 1];
}

}  // namespace

std::string unit_of_torque(std::span<const bool> turns) {
  return turns[0] ? "N m" : "N";
}

std::string unit_of_acceleration(std::span<const bool> turns) {
  return turns[0] ? "rad/s^2" : "m/s^2";
}

std::string unit_of_inertia(std::span<const bool> turns) {
  return mass_and_length(int(std::ranges::count(turns, true)));
}

std::string unit_of_inverse_inertia(std::span<const bool> turns) {
  const std::string inertia = unit_of_inertia(turns);
  return inertia == "kg" ? "1/kg" : "1/(" + inertia + ")";
}

std::string unit_of_coriolis(std::span<const bool> turns) {
  return unit_of_inertia(turns) + "/s";
}

// C_ij = sum_k G_ijk v_k. If v_k is in m/s, the unit of G_ijk has one factor m less than that of
// C_ij.
std::string unit_of_christoffel(std::span<const bool> turns) {
  return mass_and_length(int(std::ranges::count(turns, true)) - 1);
}

Status derive_inverse(PreparedSolver& solver, const torsor_state& s, const double* vdot,
                      double* tau) {
  const size_t n = size_t(solver.model->n_v);
  std::vector<double>&free = solver.a, &M = solver.M;
  if (const Status status = solver.compute<Quantity::forward>(s, solver.zero.data(), free.data());
      !status)
    return status;
  if (const Status status = solver.compute<Quantity::mass_matrix>(s, nullptr, M.data()); !status)
    return status;
  for (size_t i = 0; i < n; ++i) {
    tau[i] = 0;
    for (size_t j = 0; j < n; ++j) tau[i] += M[i * n + j] * (vdot[j] - free[j]);
  }
  return solver.checked("inverse dynamics derived from its forward", tau, n);
}

// Equations: KHALIL 7.62; MR 9.2, 9.89.
Status derive_forward(PreparedSolver& solver, const torsor_state& s, const double* tau,
                      double* vdot) {
  double* M = solver.M.data();
  if (const Status status = solver.compute<Quantity::mass_matrix>(s, nullptr, M); !status)
    return status;
  if (const int body = solver.factor(s, M); body >= 0) return solver.singular(body);
  return solver.solve_forward(s, tau, vdot);
}

// M e_j = inverse(vdot = e_j) at v = 0, without gravity (KHALIL 7.63, 7.64). If the plugin offers
// only forward, M is the inverse of M^-1.
Status derive_mass_matrix(PreparedSolver& solver, const torsor_state& s, const double*, double* M) {
  if (solver.api.inverse) return solver.columns<Quantity::inverse>(s, M);
  if (const Status status = solver.compute<Quantity::inverse_mass_matrix>(s, nullptr, M); !status)
    return status;
  return solver.invert_full(M);
}

// Derives M^-1 from M along the tree in two cases: if the plugin does not offer forward, or if it
// offers mass_matrix and mass_matrix_is_cheaper() estimates fewer operations. Otherwise computes
// each column M^-1 e_j as forward(tau = e_j) at v = 0, without gravity.
Status derive_inverse_mass_matrix(PreparedSolver& solver, const torsor_state& s, const double*,
                                  double* Minv) {
  if (!solver.inverts_mass_matrix) return solver.columns<Quantity::forward>(s, Minv);
  std::vector<double>& M = solver.M;
  if (const Status status = solver.compute<Quantity::mass_matrix>(s, nullptr, M.data()); !status)
    return status;
  return solver.invert(s, M.data(), Minv);
}

namespace {

struct Entry {
  double& value;
  double factor;
};
// Adds the part of C or G that is antisymmetric in the dof j and k of one joint. A quadratic form
// in v does not determine it. For each bracket [S_j, S_k] = c S_l and each row i, adds factor c/2
// M_il. M is used without armature, because Mdot = C + C^T contains none (Hamel's equations).
template <class At>
Status add_brackets(PreparedSolver& solver, const torsor_state& s, At at) {
  if (solver.brackets.empty()) return {};
  const size_t n = size_t(solver.model->n_v);
  std::vector<double>& M = solver.M;
  if (const Status status = solver.compute<Quantity::mass_matrix>(s, nullptr, M.data()); !status)
    return status;
  for (size_t i = 0; i < n; ++i) M[i * n + i] -= solver.model->armature[i];
  for (const Bracket& bracket : solver.brackets)
    for (size_t i = 0; i < n; ++i) {
      const Entry entry = at(bracket, i);
      entry.value += entry.factor * bracket.c / 2 * M[i * n + size_t(bracket.l)];
    }
  return {};
}

}  // namespace

// Derives C by columns:
//   C e_j = (c(v + s e_j) - c(v - s e_j)) / 4s + M [v, e_j] / 2,   s = max |v_k|
// c is the bias without gravity, a quadratic form in v. [.,.] is the Lie bracket of the screws of
// one joint, which is zero for joints with one dof. The result is the C of the Christoffel symbols.
Status derive_coriolis_matrix(PreparedSolver& solver, const torsor_state& s, const double*,
                              double* C) {
  const size_t n = size_t(solver.model->n_v);
  std::vector<double>&v = solver.v, &c = solver.b;
  double scale = 0;
  for (size_t j = 0; j < n; ++j) scale = std::max(scale, std::abs(s.v[j]));
  if (scale == 0) {
    std::fill_n(C, n * n, 0.0);
    return {};
  }
  for (size_t j = 0; j < n; ++j) {
    for (const double sign : {1.0, -1.0}) {
      std::copy_n(s.v, n, v.begin());
      v[j] += sign * scale;
      if (const Status status = solver.velocity_terms(s, v.data(), c.data()); !status)
        return status;
      for (size_t i = 0; i < n; ++i)
        C[i * n + j] = sign > 0 ? c[i] : (C[i * n + j] - c[i]) / (4 * scale);
    }
  }
  return add_brackets(solver, s, [&](const Bracket& bracket, size_t i) -> Entry {
    return {C[i * n + size_t(bracket.k)], s.v[bracket.j]};
  });
}

// g = bias at v = 0.
Status derive_gravity(PreparedSolver& solver, const torsor_state& s, const double*, double* g) {
  torsor_state at_rest = s;
  at_rest.v = solver.zero.data();
  at_rest.V_W = PreparedSolver::zero_twist;
  return solver.compute<Quantity::bias>(at_rest, nullptr, g);
}

// b = inverse(vdot = 0), without applied wrenches (KHALIL 7.6.1).
Status derive_bias(PreparedSolver& solver, const torsor_state& s, const double*, double* b) {
  return solver.compute<Quantity::inverse>(PreparedSolver::unloaded(s), solver.zero.data(), b);
}

// Derives the symbols by pairs of dof:
//   G_.jj = c(e_j),   G_.jk = (c(e_j + e_k) - c(e_j) - c(e_k)) / 2 + M [e_k, e_j] / 2
// See derive_coriolis_matrix() for c and [.,.]. The entries with j = k are computed first, because
// the other entries need them.
Status derive_christoffel_symbols(PreparedSolver& solver, const torsor_state& s, const double*,
                                  double* G) {
  const size_t n = size_t(solver.model->n_v);
  std::vector<double>&v = solver.v, &c = solver.b;
  const auto at = [&](size_t i, size_t j, size_t k) -> double& { return G[(i * n + j) * n + k]; };
  for (size_t apart = 0; apart < n; ++apart) {
    for (size_t j = 0, k = apart; k < n; ++j, ++k) {
      v.assign(n, 0.0);
      v[j] = v[k] = 1;
      if (const Status status = solver.velocity_terms(s, v.data(), c.data()); !status)
        return status;
      for (size_t i = 0; i < n; ++i)
        at(i, j, k) = at(i, k, j) = apart == 0 ? c[i] : (c[i] - at(i, j, j) - at(i, k, k)) / 2;
    }
  }
  return add_brackets(solver, s, [&](const Bracket& bracket, size_t i) -> Entry {
    return {at(i, size_t(bracket.k), size_t(bracket.j)), 1};
  });
}

}  // namespace torsor
