#include "torsor/symbolic/body_formulae.hpp"

namespace torsor::symbolic {

namespace {

using std::vector;
using Scalars = vector<Expression>;

Twist<Expression> screw(const SymbolicModel& model, int dof) {
  const Twist<double>& S = model.model().S_B[size_t(dof)];
  const auto constant = [](const Vec3<double>& u) {
    return Vec3<Expression>{Expression(u.x), Expression(u.y), Expression(u.z)};
  };
  return {constant(S.w), constant(S.v)};
}

// Returns S u, the part of the twist of a body that its own joint gives it.
Twist<Expression> own_twist(const SymbolicModel& model, int body, const Scalars& u) {
  Twist<Expression> out{};
  const Model& m = model.model();
  for (int k = m.v_index[size_t(body)]; k < m.v_index[size_t(body)] + m.v_count[size_t(body)]; ++k)
    out = out + u[size_t(k)] * screw(model, k);
  return out;
}

vector<Pose<Expression>> world_poses(const SymbolicModel& model) {
  vector<Pose<Expression>> X_WB(model.X_PB.size(), Pose<Expression>::identity());
  for (size_t i = 1; i < X_WB.size(); ++i)
    X_WB[i] = X_WB[size_t(model.model().parent[i])] * model.X_PB[i];
  return X_WB;
}

// The rows of the model's inertias are those of inertial_numbers(). Returns the inertia whose
// parameter p is 1 and whose other parameters are 0.
SpatialInertia<Expression> unit_inertia(int p) {
  Expression x[10];
  x[p] = Expression(1.0);
  return {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
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
      for (int k = m.v_index[b]; k < m.v_index[b] + m.v_count[b]; ++k) {
        const Twist<Expression> column = inverse_transform(X_BF, screw(model, k));
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
  const auto* I = reinterpret_cast<const SpatialInertia<Expression>*>(model.tree().inertia_B);
  const vector<Pose<Expression>> X_WB = world_poses(model);
  vector<Twist<Expression>> V(X_WB.size());
  Expression twice_kinetic, potential;
  V[0] = model.V_W;
  for (size_t i = 1; i < V.size(); ++i) {
    V[i] = inverse_transform(model.X_PB[i], V[size_t(m.parent[i])]) +
           own_twist(model, int(i), model.v);
    twice_kinetic = twice_kinetic + dot(V[i], I[i] * V[i]);
    potential = potential + dot(model.A_W.v, I[i].m * X_WB[i].p + X_WB[i].R * I[i].h);
  }
  for (size_t k = 0; k < model.v.size(); ++k)
    twice_kinetic = twice_kinetic + model.tree().armature[k] * model.v[k] * model.v[k];
  return {{"T", {}, {Expression(0.5) * twice_kinetic}}, {"U", {}, {potential}}};
}

// With V and A of each body, a unit inertia I requires the wrench I A - ad_V^T I V, which
// contributes S . W to each joint on the path to the world.
vector<Result> regressor(const SymbolicModel& model, NodeNames&) {
  const Model& m = model.model();
  const size_t n_body = size_t(m.n_body), row = 10 * (n_body - 1);
  Scalars Y(size_t(m.n_v) * row);
  vector<Twist<Expression>> V(n_body), A(n_body);
  V[0] = model.V_W;
  A[0] = model.A_W;
  for (size_t i = 1; i < n_body; ++i) {
    const size_t parent = size_t(m.parent[i]);
    const Twist<Expression> own = own_twist(model, int(i), model.v),
                            carried = inverse_transform(model.X_PB[i], V[parent]);
    V[i] = carried + own;
    A[i] = inverse_transform(model.X_PB[i], A[parent]) + own_twist(model, int(i), model.vdot) -
           ad(own, carried);
    for (int p = 0; p < 10; ++p) {
      const SpatialInertia<Expression> I = unit_inertia(p);
      Wrench<Expression> W = I * A[i] - ad_transpose(V[i], I * V[i]);
      for (size_t b = i; b > 0; b = size_t(m.parent[b])) {
        for (int k = m.v_index[b]; k < m.v_index[b] + m.v_count[b]; ++k)
          Y[size_t(k) * row + 10 * (i - 1) + size_t(p)] = dot(screw(model, k), W);
        W = transform(model.X_PB[b], W);
      }
    }
  }
  return {matrix_result("Y", size_t(m.n_v), std::move(Y))};
}

}  // namespace torsor::symbolic
