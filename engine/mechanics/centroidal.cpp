#include "torsor/mechanics/centroidal.hpp"

#include <cassert>
#include <cstring>
#include <span>
#include <vector>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// Returns the time derivative of the inertia of a body that moves with the twist V. Both are
// expressed in G. The points p of the body have pdot = v + w x p:
//   h = sum m p:                       hdot = m v + w x h
//   I = sum m (p.p 1 - p p^T):         Idot = w~ I + (w~ I)^T + 2 h.v 1 - v h^T - h v^T
SpatialInertia<double> rate(const SpatialInertia<double>& M, const Twist<double>& V) {
  const Sym3<double>& I = M.I;
  const Vec3<double>&h = M.h, &v = V.v;
  const Vec3<double> x = cross(V.w, Vec3<double>{I.xx, I.xy, I.xz}),
                     y = cross(V.w, Vec3<double>{I.xy, I.yy, I.yz}),
                     z = cross(V.w, Vec3<double>{I.xz, I.yz, I.zz});
  const double hv = 2 * dot(h, v);
  return {0,
          M.m * v + cross(V.w, h),
          {2 * x.x + hv - 2 * h.x * v.x, 2 * y.y + hv - 2 * h.y * v.y, 2 * z.z + hv - 2 * h.z * v.z,
           y.x + x.y - v.x * h.y - h.x * v.y, z.x + x.z - v.x * h.z - h.x * v.z,
           z.y + y.z - v.y * h.z - h.y * v.z}};
}

void set_column(Eigen::MatrixXd& A, int k, const Wrench<double>& F) {
  std::memcpy(A.data() + 6 * k, &F, sizeof F);
}

using BodyInG = CentroidalScratch::Body;

// Sets the poses in the axes of the world, and their origins relative to the COM. Sets mass and
// COM.
void set_poses(const State& state, std::span<BodyInG> bodies, Centroidal& out) {
  const Model& model = state.model();
  out.mass = 0;
  out.com = {};
  bodies[0].X_GB = Pose<double>::identity();
  for (size_t i = 1; i < bodies.size(); ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    const Pose<double> X_WB = bodies[size_t(model.parent[i])].X_GB * state.X_PB()[i];
    bodies[i].X_GB = X_WB;
    out.mass += M.m;
    out.com += M.m * X_WB.p + X_WB.R * M.h;
  }
  if (!(out.mass > 0)) throw Error("no moving link has mass, so there is no centre of mass");
  out.com = (1 / out.mass) * out.com;
  for (BodyInG& body : bodies) body.X_GB.p -= out.com;
}

}  // namespace

// All quantities are expressed in G. S = Ad(X_GB) S_B are the screws. V = Ad(X_GB) V_WB - (0,
// v_com) are the twists relative to G. I is the composite inertia of all bodies that a joint moves.
// The columns of A_G are A_k = I S. With d/dt Ad(X_GB) = ad(V) Ad(X_GB):
//   Adot_k = Idot S + I ad(V) S
// The reference is G and not the world's origin, so that a robot far from the world's origin loses
// no accuracy.
void centroidal(const State& state, CentroidalScratch& scratch, Centroidal& out) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_body);
  auto& [bodies, S] = scratch;
  assert(bodies.size() == n && S.size() == size_t(model.n_v));
  set_poses(state, bodies, out);
  out.momentum = out.bias = {};
  bodies[0].V = {};
  bodies[0].I = bodies[0].I_dot = SpatialInertia<double>::zero();
  for (size_t i = 1; i < n; ++i) {
    BodyInG& body = bodies[i];
    body.V = bodies[size_t(model.parent[i])].V;
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      S[size_t(k)] = transform(body.X_GB, model.S_B[size_t(k)]);
      body.V = body.V + state.v[size_t(k)] * S[size_t(k)];
    }
    body.I = transform(body.X_GB, model.inertia_B[i]);
    out.momentum = out.momentum + body.I * body.V;
  }
  out.com_velocity = (1 / out.mass) * out.momentum.f;
  for (size_t i = 1; i < n; ++i) {
    bodies[i].V.v -= out.com_velocity;
    bodies[i].I_dot = rate(bodies[i].I, bodies[i].V);
  }
  out.A.resize(6, model.n_v);
  out.A_dot.resize(6, model.n_v);
  for (size_t i = n - 1; i > 0; --i) {
    const auto& [X_GB, V, I, I_dot] = bodies[i];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const Twist<double>& screw = S[size_t(k)];
      const Wrench<double> change = I_dot * screw + I * ad(V, screw);
      set_column(out.A, k, I * screw);
      set_column(out.A_dot, k, change);
      out.bias = out.bias + state.v[size_t(k)] * change;
    }
    BodyInG& parent = bodies[size_t(model.parent[i])];
    parent.I = parent.I + I;
    parent.I_dot = parent.I_dot + I_dot;
  }
  out.com_jacobian = out.A.bottomRows(3) * (1 / out.mass);
  out.inertia = bodies[0].I.I;
}

Centroidal centroidal(const State& state) {
  CentroidalScratch scratch(state.model());
  Centroidal out;
  centroidal(state, scratch, out);
  return out;
}

}  // namespace torsor
