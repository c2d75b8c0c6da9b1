#pragma once
// Armature of coupled transmissions, which rigid-body solvers do not support: off the diagonal of
// the mass matrix, and also on the diagonal for transmissions that depend on q.

#include "torsor/constraints/inverse_inertia.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"

namespace torsor {

// Returns the entries of the mass matrix that the armature may change.
std::vector<InverseInertia::Pair> coupled_dofs(const Model& model, const Mechanism& mechanism);

// Adds the armature to M [n_v x n_v]. For a transmission that depends on q, it is W^T I W with the
// inertias I of its rotors, where W = J_qm^-1 is that of the last evaluation.
void add_coupled_armature(const Model& model, const Mechanism& mechanism,
                          const Transmissions& transmissions, double* M);

}  // namespace torsor
