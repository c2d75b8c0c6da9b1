#include "torsor/mechanics/centroidal.hpp"

#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"

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
  A.col(k) << F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z;
}

struct Mass {
  double m = 0;
  Vec3<double> com{};
};
Mass centre_of_mass(const Model& model, std::span<const Pose<double>> X_WB) {
  Mass out;
  for (size_t i = 1; i < X_WB.size(); ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    out.m += M.m;
    out.com += M.m * X_WB[i].p + X_WB[i].R * M.h;
  }
  if (!(out.m > 0)) throw Error("no moving link has mass, so there is no centre of mass");
  out.com = (1 / out.m) * out.com;
  return out;
}

}  // namespace

// All quantities are expressed in G. S = Ad(X_GB) S_B are the screws. V = Ad(X_GB) V_WB - (0,
// v_com) are the twists relative to G. I is the composite inertia of all bodies that a joint moves.
// The columns of A_G are A_k = I S. With d/dt Ad(X_GB) = ad(V) Ad(X_GB):
//   Adot_k = Idot S + I ad(V) S
// The reference is G and not the world's origin, so that a robot far from the world's origin loses
// no accuracy.
Centroidal centroidal(const State& state) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_body);
  std::vector<Pose<double>> X_GB = world_poses(state);
  const auto [mass, com] = centre_of_mass(model, X_GB);
  std::vector<Twist<double>> V(n);
  std::vector<SpatialInertia<double>> I(n, SpatialInertia<double>::zero()), I_dot = I;
  body_twists(state, V);
  Centroidal out;
  out.mass = mass;
  out.com = com;
  for (size_t i = 1; i < n; ++i) {
    X_GB[i].p -= com;
    V[i] = transform(X_GB[i], V[i]);
    I[i] = transform(X_GB[i], model.inertia_B[i]);
    out.momentum = out.momentum + I[i] * V[i];
  }
  out.com_velocity = (1 / mass) * out.momentum.f;
  for (size_t i = 1; i < n; ++i) {
    V[i].v -= out.com_velocity;
    I_dot[i] = rate(I[i], V[i]);
  }
  out.A.setZero(6, model.n_v);
  out.A_dot.setZero(6, model.n_v);
  for (size_t i = n - 1; i > 0; --i) {
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const Twist<double> S = transform(X_GB[i], model.S_B[size_t(k)]);
      const Wrench<double> change = I_dot[i] * S + I[i] * ad(V[i], S);
      set_column(out.A, k, I[i] * S);
      set_column(out.A_dot, k, change);
      out.bias = out.bias + state.v[size_t(k)] * change;
    }
    const size_t parent = size_t(model.parent[i]);
    I[parent] = I[parent] + I[i];
    I_dot[parent] = I_dot[parent] + I_dot[i];
  }
  out.com_jacobian = out.A.bottomRows(3) / mass;
  out.inertia = I[0].I;
  return out;
}

}  // namespace torsor
