#include "torsor/analysis/dependence_laws.hpp"

#include <algorithm>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

using Matrix = InspectedState::Matrix;
using Vector = InspectedState::Vector;

// Returns true if body b is body a or a descendant of it.
bool carries(const Model& model, int a, int b) {
  while (b > a) b = model.parent[size_t(b)];
  return b == a;
}

int body_of_dof(const Model& model, int k) {
  return model.joint_of_dof(k).body;
}

// Returns the state with one joint moved by 0.7 rad or m along each of its dof, and with rates
// larger by 1.
State with_moved(const State& state, const Joint& joint) {
  State out = state;
  const int n = traits(joint.kind).n_v;
  std::vector<double> move(out.v.size(), 0.0), q(out.q().size());
  std::fill_n(move.begin() + joint.v_index, n, 0.7);
  integrate(out.model(), state.q().data(), move.data(), 1, q.data());
  out.set_q(q);
  for (int k = joint.v_index; k < joint.v_index + n; ++k) out.v[size_t(k)] += 1;
  return out;
}

// Returns the kinetic and the potential energy of each body, [n_body x 2].
Matrix body_energies(const State& state) {
  const Model& model = state.model();
  std::vector<Twist<double>> V(size_t(model.n_body));
  body_twists(state, V);
  const std::vector<Pose<double>> X_WB = world_poses(state);
  Matrix out = Matrix::Zero(model.n_body, 2);
  for (size_t i = 1; i < V.size(); ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    out(Eigen::Index(i), 0) = 0.5 * dot(V[i], M * V[i]);
    out(Eigen::Index(i), 1) = -dot(state.gravity_W(), M.m * X_WB[i].p + X_WB[i].R * M.h);
  }
  return out;
}

// Returns true if M_ij may depend on the position of a joint that moves `body`. Let d be the last
// of the bodies of dof i and j. M_ij = S_i . Mc_d S_j changes with the pose of d in the body of the
// other dof, and with the inertia Mc_d of the bodies that d carries.
bool may_depend(const Model& model, int i, int j, int body) {
  const int a = std::min(body_of_dof(model, i), body_of_dof(model, j)),
            d = std::max(body_of_dof(model, i), body_of_dof(model, j));
  return carries(model, a, d) && body != a && carries(model, a, body) &&
         (carries(model, body, d) || carries(model, d, body));
}

}  // namespace

// The energies of a body depend on the joints between the world and the body only.
// Equations: KHALIL 7.3.3.3 b.
std::optional<double> energies_of_links(InspectedState& at) {
  const Model& model = at.state().model();
  const Matrix energies = body_energies(at.state());
  double worst = 0;
  for (const Joint& joint : model.joints) {
    const Matrix moved = body_energies(with_moved(at.state(), joint));
    for (int i = 1; i < model.n_body; ++i)
      if (!carries(model, joint.body, i))
        worst = std::max(worst, (moved.row(i) - energies.row(i)).cwiseAbs().maxCoeff());
  }
  return worst == 0 ? 0 : worst / energies.norm();
}

std::optional<double> positions_in_M(InspectedState& at) {
  const Model& model = at.state().model();
  double worst = 0;
  for (const Joint& joint : model.joints) {
    const Matrix change = at.mass_matrix(with_moved(at.state(), joint)) - at.M();
    for (int i = 0; i < at.n(); ++i)
      for (int j = 0; j < at.n(); ++j)
        if (!may_depend(model, i, j, joint.body)) worst = std::max(worst, std::abs(change(i, j)));
  }
  return worst == 0 ? 0 : worst / at.M().norm();
}

std::optional<double> inertias_in_M(InspectedState& at) {
  if (!at.offers_inertias()) return std::nullopt;
  const Model& model = at.state().model();
  double worst = 0;
  for (int body = 1; body < model.n_body; ++body) {
    const Matrix change = at.heavier_mass_matrix(body) - at.M();
    for (int i = 0; i < at.n(); ++i)
      for (int j = 0; j < at.n(); ++j)
        if (!carries(model, std::max(body_of_dof(model, i), body_of_dof(model, j)), body))
          worst = std::max(worst, std::abs(change(i, j)));
  }
  return worst == 0 ? 0 : worst / at.M().norm();
}

std::optional<double> inertias_in_tau(InspectedState& at) {
  if (!at.offers_inertias()) return std::nullopt;
  const Model& model = at.state().model();
  const Vector tau = at.inverse();
  double worst = 0;
  for (int body = 1; body < model.n_body; ++body) {
    const Vector change = at.heavier_inverse(body) - tau;
    for (int i = 0; i < at.n(); ++i)
      if (!carries(model, body_of_dof(model, i), body))
        worst = std::max(worst, std::abs(change[i]));
  }
  return worst == 0 ? 0 : worst / (tau.norm() + at.terms(true));
}

}  // namespace torsor
