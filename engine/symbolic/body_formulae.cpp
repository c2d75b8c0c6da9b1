#include "torsor/symbolic/body_formulae.hpp"

#include "torsor/mechanics/regressor.hpp"
#include "torsor/sdk/model_view.hpp"

namespace torsor::symbolic {

namespace {

using std::vector;
using Scalars = vector<Expression>;

vector<Pose<Expression>> world_poses(const SymbolicModel& model) {
  vector<Pose<Expression>> X_WB(model.X_PB.size(), Pose<Expression>::identity());
  for (size_t i = 1; i < X_WB.size(); ++i)
    X_WB[i] = X_WB[size_t(model.model().parent[i])] * model.X_PB[i];
  return X_WB;
}

}  // namespace

vector<Result> poses(const SymbolicModel& model, NodeNames&) {
  const vector<Pose<Expression>> X_WB = world_poses(model);
  Scalars out;
  for (const int f : model.frames) {
    const Frame& frame = model.model().frames[size_t(f)];
    const Pose<Expression> X = X_WB[size_t(frame.body)] * constant_pose(frame.X_BF);
    out.insert(out.end(), X.R.m, X.R.m + 9);
    out.insert(out.end(), {X.p.x, X.p.y, X.p.z});
  }
  return {matrix_result("X", model.frames.size(), std::move(out))};
}

vector<Result> jacobians(const SymbolicModel& model, NodeNames&) {
  const Model& m = model.model();
  const size_t n = size_t(m.n_v);
  Scalars J(6 * n * model.frames.size());
  Expression* first = J.data();
  for (const int f : model.frames) {
    const Frame& frame = m.frames[size_t(f)];
    Pose<Expression> X_BF = constant_pose(frame.X_BF);  // B: a body on the path to the world
    for (size_t b = size_t(frame.body); b > 0; b = size_t(m.parent[b])) {
      for (int k = m.v_index[b]; k < sdk::dof_end(model.tree(), int(b)); ++k) {
        const Twist<Expression> column =
            inverse_transform(X_BF, sdk::screw<Expression>(model.tree(), k));
        const Expression entries[] = {column.w.x, column.w.y, column.w.z,
                                      column.v.x, column.v.y, column.v.z};
        for (size_t row = 0; row < 6; ++row) first[row * n + size_t(k)] = entries[row];
      }
      X_BF = model.X_PB[b] * X_BF;
    }
    first += 6 * n;
  }
  return {{"J", {int(model.frames.size()), 6, int(n)}, std::move(J)}};
}

// T = 1/2 sum V^T I V + 1/2 sum I_a v^2 and U = -sum m g . c, where A_W contains -g.
vector<Result> energies(const SymbolicModel& model, NodeNames&) {
  const Model& m = model.model();
  const vector<Pose<Expression>> X_WB = world_poses(model);
  vector<Twist<Expression>> V(X_WB.size());
  Expression twice_kinetic, potential;
  V[0] = model.V_W;
  for (size_t i = 1; i < V.size(); ++i) {
    const auto I = sdk::inertia<Expression>(model.tree(), int(i));
    V[i] = inverse_transform(model.X_PB[i], V[size_t(m.parent[i])]) +
           sdk::joint_twist(model.tree(), int(i), model.v.data());
    twice_kinetic = twice_kinetic + dot(V[i], I * V[i]);
    potential = potential + dot(model.A_W.v, I.m * X_WB[i].p + X_WB[i].R * I.h);
  }
  for (size_t k = 0; k < model.v.size(); ++k)
    twice_kinetic = twice_kinetic + model.tree().armature[k] * model.v[k] * model.v[k];
  return {{"T", {}, {Expression(0.5) * twice_kinetic}}, {"U", {}, {potential}}};
}

// A body with the unit inertia I, the twist V and the acceleration A requires the wrench
//   W = I A - ad_V^T I V,
// which contributes S . W to each joint on the path to the world.
vector<Result> regressor(const SymbolicModel& model, NodeNames&) {
  const Model& m = model.model();
  const size_t n_body = size_t(m.n_body), row = n_inertial * (n_body - 1);
  Scalars Y(size_t(m.n_v) * row);
  vector<Twist<Expression>> V(n_body), A(n_body);
  V[0] = model.V_W;
  A[0] = model.A_W;
  for (size_t i = 1; i < n_body; ++i) {
    const size_t parent = size_t(m.parent[i]);
    const Twist<Expression> own = sdk::joint_twist(model.tree(), int(i), model.v.data()),
                            carried = inverse_transform(model.X_PB[i], V[parent]);
    V[i] = carried + own;
    A[i] = inverse_transform(model.X_PB[i], A[parent]) +
           sdk::joint_twist(model.tree(), int(i), model.vdot.data()) - ad(own, carried);
    for (int p = 0; p < n_inertial; ++p) {
      const SpatialInertia<Expression> I = constant_inertia(unit_inertia(p));
      Wrench<Expression> W = I * A[i] - ad_transpose(V[i], I * V[i]);
      for (size_t b = i; b > 0; b = size_t(m.parent[b])) {
        for (int k = m.v_index[b]; k < sdk::dof_end(model.tree(), int(b)); ++k)
          Y[size_t(k) * row + n_inertial * (i - 1) + size_t(p)] =
              dot(sdk::screw<Expression>(model.tree(), k), W);
        W = transform(model.X_PB[b], W);
      }
    }
  }
  return {matrix_result("Y", size_t(m.n_v), std::move(Y))};
}

}  // namespace torsor::symbolic
