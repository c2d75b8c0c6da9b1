#include "torsor/analysis/term_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

TermSizes::TermSizes(const Model& model) : body_(model.n_body), fastest_(model.n_v) {
  for (const Twist<double>& S : model.S_B) column_.push_back({norm(S.w), norm(S.v)});
  for (const SpatialInertia<double>& M : model.inertia_B)
    inertia_.push_back(
        {std::abs(M.m), norm(M.h), std::abs(M.I.xx) + std::abs(M.I.yy) + std::abs(M.I.zz)});
}

// Bounds the twists and accelerations of the bodies, parents first:
//   V_i = Ad V_p + S v,   A_i = Ad A_p + ad(V_i) S v + S vdot
void TermSizes::outward(const State& state, const Motion& motion) {
  const Model& model = state.model();
  body_[0] = {0, 0, 0, motion.gravity ? norm(state.gravity_W()) : 0, 0, 0};
  for (int i = 1; i < model.n_body; ++i) {
    const Body& p = body_[model.parent[i]];
    const double L = norm(state.X_PB()[i].p);
    Twist<double> s{}, d{};  // bounds of S v and S vdot: w.x of the angular, v.x of the linear part
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const double v = motion.v.empty() ? 0 : std::abs(motion.v[k]);
      const double vdot = motion.vdot.empty() ? 0 : std::abs(motion.vdot[k]);
      s.w.x += column_[k].w * v, s.v.x += column_[k].v * v;
      d.w.x += column_[k].w * vdot, d.v.x += column_[k].v * vdot;
    }
    Body& b = body_[i];
    b.w = p.w + s.w.x;
    b.u = p.u + L * p.w + s.v.x;
    b.alpha = p.alpha + b.w * s.w.x + d.w.x;
    b.a = p.a + L * p.alpha + b.w * s.v.x + b.u * s.w.x + d.v.x;
  }
}

// Bounds the wrenches, children first. Returns the 2-norm of the bounds of tau:
//   F_i = M A + ad^T (M V) + F_ext + sum of the F of the children,   tau = S . F + armature vdot
double TermSizes::inward(const State& state, const Motion& motion) {
  const Model& model = state.model();
  for (int i = 1; i < model.n_body; ++i) {
    const auto [m, h, t] = inertia_[i];
    Body& b = body_[i];
    const double p = m * b.u + h * b.w, L = h * b.u + t * b.w;  // linear and angular momentum
    b.f = m * b.a + h * b.alpha + b.w * p;
    b.n = h * b.a + t * b.alpha + b.w * L + b.u * p;
    if (!motion.wrenches) continue;
    b.f += norm(state.F_B()[i].f);
    b.n += norm(state.F_B()[i].n);
  }
  double sum = 0;
  for (int i = model.n_body - 1; i > 0; --i) {
    const Body& b = body_[i];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const double vdot = motion.vdot.empty() ? 0 : std::abs(motion.vdot[k]);
      const double tau = column_[k].w * b.n + column_[k].v * b.f + model.armature[k] * vdot;
      sum = std::hypot(sum, tau);
    }
    Body& p = body_[model.parent[i]];
    p.f += b.f;
    p.n += b.n + norm(state.X_PB()[i].p) * b.f;
  }
  return sum;
}

double TermSizes::torque(const State& state, const Motion& motion) {
  outward(state, motion);
  return inward(state, motion);
}

double TermSizes::coriolis(const State& state) {
  double s = 0;
  for (const double v : state.v) s = std::max(s, std::abs(v));
  if (s == 0) return 0;
  std::fill(fastest_.begin(), fastest_.end(), s);
  return torque(state, {.v = fastest_, .vdot = {}}) / s;
}

}  // namespace torsor
