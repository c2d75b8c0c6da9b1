#include "torsor/analysis/velocity_coefficients.hpp"

#include <vector>

#include "torsor/mechanics/brackets.hpp"

namespace torsor {

// d_k B_ij = G_ijk + G_jik, because Bdot = C + C^T and C_ij = sum_k G_ijk v_k.
// Equations: JIN 41.
Status velocity_coefficients(Solver& solver, const State& state, double* h) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_v);
  std::vector<double> G(n * n * n), B(n * n);
  if (const Status status =
          solver.evaluate(Quantity::christoffel_symbols, state, nullptr, G.data());
      !status)
    return status;
  if (const Status status = solver.mass_matrix(state, B.data()); !status) return status;
  for (size_t k = 0; k < n; ++k) B[k * (n + 1)] -= model.armature[k];
  const auto at = [n](size_t i, size_t j, size_t k) { return (i * n + j) * n + k; };
  const auto slope = [&](size_t k, size_t i, size_t j) { return G[at(i, j, k)] + G[at(j, i, k)]; };
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k) h[at(i, j, k)] = slope(k, i, j) - 0.5 * slope(i, j, k);
  for (const auto& [other, i, l, c] : brackets(model))
    for (size_t x = 0; x < n; ++x) {
      const double half = 0.5 * c * B[size_t(l) * n + x];
      h[at(size_t(i), x, size_t(other))] -= half;
      h[at(size_t(i), size_t(other), x)] -= half;
    }
  return {TORSOR_OK};
}

}  // namespace torsor
