#include "torsor/simulation/mechanism/coupled_armature.hpp"

namespace torsor {

std::vector<InverseInertia::Pair> coupled_dofs(const Model& model, const Mechanism& mechanism) {
  std::vector<InverseInertia::Pair> out;
  for (const auto& [i, j, inertia] : mechanism.armatures) out.push_back({i, j});
  for (const Transmission& group : model.transmissions)
    if (group.law)
      for (const int i : group.dofs)
        for (const int j : group.dofs)
          if (j <= i) out.push_back({i, j});
  return out;
}

void add_coupled_armature(const Model& model, const Mechanism& mechanism,
                          const Transmissions& transmissions, double* M) {
  const size_t n_v = size_t(model.n_v);
  const auto entry = [&](int i, int j) -> double& { return M[size_t(i) * n_v + size_t(j)]; };
  for (const auto& [i, j, inertia] : mechanism.armatures) {
    entry(i, j) += inertia;
    entry(j, i) += inertia;
  }
  for (size_t k = 0; k < model.transmissions.size(); ++k) {
    const Transmission& group = model.transmissions[k];
    if (!group.law) continue;
    const std::span<const double> W = transmissions.inverse(k);
    const size_t n = group.dofs.size();
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t m = 0; m < n; ++m)
          entry(group.dofs[i], group.dofs[j]) +=
              W[m * n + i] * group.motors[m].rotor_inertia * W[m * n + j];
  }
}

}  // namespace torsor
