// Partial derivatives and time derivatives of a prepared solver.

#include "torsor/handles/solver_impl.hpp"

namespace torsor {

namespace {

// Time derivatives of the world's motion, in the form that plugins receive. Entry k of both arrays
// is derivative k + 1: of the twist V_W, and of A_W = Vdot_W - (0, g).
struct WorldRates {
  Twist<double> V_W[TORSOR_MAX_ORDER + 1] = {}, A_W[TORSOR_MAX_ORDER] = {};
  bool at_rest = true;

  // Gravity g is constant in an inertial frame. In the axes of the world frame, g' = -w x g.
  WorldRates(const State& state, const Solver::MotionRates& motion) {
    const auto is_zero = [](const Twist<double>& V) {
      return dot(V.w, V.w) == 0 && dot(V.v, V.v) == 0;
    };
    V_W[0] = state.Vdot_W();
    at_rest = is_zero(state.V_W()) && is_zero(state.Vdot_W());
    const size_t order = size_t(motion.order);
    for (size_t k = 0; k < std::min(order, motion.Vdot_W.size()); ++k) {
      V_W[k + 1] = motion.Vdot_W[k];
      at_rest &= is_zero(motion.Vdot_W[k]);
    }
    Vec3<double> g[TORSOR_MAX_ORDER + 1] = {state.gravity_W()};
    for (size_t k = 0; k < order; ++k) {
      double binomial = 1;
      for (size_t l = 0; l <= k; ++l) {
        g[k + 1] -= binomial * cross(l == 0 ? state.V_W().w : V_W[l - 1].w, g[k - l]);
        binomial = binomial * double(k - l) / double(l + 1);
      }
      A_W[k] = V_W[k + 1] - Twist<double>{{0, 0, 0}, g[k + 1]};
    }
  }
};

torsor_motion_rates given(const Solver::MotionRates& motion, const WorldRates& world) {
  return {.struct_size = sizeof(torsor_motion_rates),
          .order = motion.order,
          .vdot = motion.vdot,
          .V_W = world.at_rest ? nullptr : &world.V_W[0].w.x,
          .A_W = world.at_rest ? nullptr : &world.A_W[0].w.x,
          .F_B = motion.F_B ? &motion.F_B[0].n.x : nullptr};
}

}  // namespace

bool Solver::has_partials() const {
  return impl_->partials.inverse_partials != nullptr;
}
bool Solver::has_second_partials() const {
  return impl_->partials.second_partials != nullptr;
}
Capability Solver::forward_partials_capability() const {
  return impl_->partials.forward_partials ? Capability::offered : Capability::derived;
}

Status Solver::inverse_partials(const State& state, const double* vdot,
                                const InversePartials& out) {
  PreparedSolver& at = *impl_;
  const auto function = at.partials.inverse_partials;
  if (!function) return {Status::no_partials};
  const torsor_state s = at.at(state, false);
  const auto call = [&](const LentResults::Pointers& lent) {
    return at.plugin->ask("inverse_partials", function, at.self, &at.view, &s, vdot, at.work.data(),
                          lent[0], lent[1]);
  };
  const size_t size = size_t(at.model->n_v) * size_t(at.model->n_v);
  const LentResults::Result results[] = {{"dtau_dq", out.dtau_dq, size},
                                         {"dtau_dv", out.dtau_dv, size}};
  return at.ask("inverse_partials", call, results);
}

Status Solver::forward_partials(const State& state, const double* tau, const ForwardPartials& out) {
  PreparedSolver& at = *impl_;
  if (!has_partials()) return {Status::no_partials};
  const auto function = at.partials.forward_partials;
  if (!function) return derived_forward_partials(state, tau, out);
  const torsor_state s = at.at(state, true);
  const auto call = [&](const LentResults::Pointers& lent) {
    return at.plugin->ask("forward_partials", function, at.self, &at.view, &s, tau, at.work.data(),
                          lent[0], lent[1], lent[2]);
  };
  const size_t size = size_t(at.model->n_v) * size_t(at.model->n_v);
  const LentResults::Result results[] = {{"dvdot_dq", out.dvdot_dq, size},
                                         {"dvdot_dv", out.dvdot_dv, size},
                                         {"dvdot_dtau", out.dvdot_dtau, size}};
  return at.ask("forward_partials", call, results);
}

// Solves M d vdot = -d tau with M = L^T D L along the tree. M is computed and factorised once, also
// for vdot if the plugin does not offer forward dynamics. Uses out.dvdot_dtau as scratch for vdot
// before writing the result to it.
Status Solver::derived_forward_partials(const State& state, const double* tau,
                                        const ForwardPartials& out) {
  PreparedSolver& at = *impl_;
  const size_t size = size_t(at.model->n_v) * size_t(at.model->n_v);
  const torsor_state s = at.at(state, true);
  double *vdot = out.dvdot_dtau, *M = at.M.data();
  if (at.api.forward)
    if (const Status status = at.compute<Quantity::forward>(s, tau, vdot); !status) return status;
  if (const Status status = at.compute<Quantity::mass_matrix>(s, nullptr, M); !status)
    return status;
  if (const int body = at.factor(s, M); body >= 0) return at.singular(body);
  if (!at.api.forward)
    if (const Status status = at.solve_forward(s, tau, vdot); !status) return status;
  double *dtau_dq = at.dtau_dq.data(), *dtau_dv = at.dtau_dv.data();
  if (const Status status = inverse_partials(state, vdot, {dtau_dq, dtau_dv}); !status)
    return status;
  const sdk::InverseProduct<double> products[] = {
      {dtau_dq, -1, out.dvdot_dq}, {dtau_dv, -1, out.dvdot_dv}, {nullptr, 1, out.dvdot_dtau}};
  at.tree->multiply(products);
  for (const sdk::InverseProduct<double>& product : products)
    if (const Status status =
            at.checked("partial derivatives of forward dynamics", product.X, size);
        !status)
      return status;
  return {};
}

Status Solver::second_partials(const State& state, const double* vdot, const SecondPartials& out) {
  PreparedSolver& at = *impl_;
  const auto function = at.partials.second_partials;
  if (!function) return {Status::no_second_partials};
  const torsor_state s = at.at(state, false);
  const auto call = [&](const LentResults::Pointers& lent) {
    return at.plugin->ask("second_partials", function, at.self, &at.view, &s, vdot, at.work.data(),
                          lent[0], lent[1], lent[2], lent[3]);
  };
  const size_t n = size_t(at.model->n_v), size = n * n * n;
  const LentResults::Result results[] = {{"d2tau_dqdq", out.d2tau_dqdq, size},
                                         {"d2tau_dvdq", out.d2tau_dvdq, size},
                                         {"d2tau_dvdv", out.d2tau_dvdv, size},
                                         {"dM_dq", out.dM_dq, size}};
  return at.ask("second_partials", call, results);
}

bool Solver::has_rates() const {
  return max_rate_order() >= 0;
}
int Solver::max_rate_order() const {
  return impl_->rates.rates ? impl_->rates.max_order : -1;
}
bool Solver::has_equation_rates() const {
  return impl_->rates.equation_rates != nullptr;
}

Status Solver::rates(const State& state, const MotionRates& motion, double* tau) {
  PreparedSolver& at = *impl_;
  if (!has_rates()) return {Status::no_rates};
  if (motion.order < 0 || motion.order > max_rate_order())
    return {TORSOR_STATUS(Status::order_too_high, motion.order)};
  const torsor_state s = at.at(state, false);
  const WorldRates world(state, motion);
  const size_t n = size_t(at.model->n_v);
  const torsor_motion_rates in = given(motion, world);
  const auto call = [&](const LentResults::Pointers& lent) {
    return at.plugin->ask("rates", at.rates.rates, at.self, &at.view, &s, &in, at.work.data(),
                          lent[0]);
  };
  const LentResults::Result results[] = {{"tau", tau, size_t(motion.order + 1) * n}};
  return at.ask("rates", call, results);
}

Status Solver::equation_rates(const State& state, const MotionRates& motion,
                              const EquationRates& out) {
  PreparedSolver& at = *impl_;
  if (!has_equation_rates()) return {Status::no_equation_rates};
  if (motion.order < 0 || motion.order > 2)
    return {TORSOR_STATUS(Status::order_too_high, motion.order)};
  const torsor_state s = at.at(state, false);
  const WorldRates world(state, motion);
  const torsor_motion_rates in = given(motion, world);
  const auto call = [&](const LentResults::Pointers& lent) {
    torsor_equation_rates result{sizeof result, lent[0], lent[1], lent[2], lent[3], lent[4]};
    return at.plugin->ask("equation_rates", at.rates.equation_rates, at.self, &at.view, &s, &in,
                          at.work.data(), &result);
  };
  const size_t n = size_t(at.model->n_v), vectors = size_t(motion.order + 1) * n;
  const LentResults::Result results[] = {{"M", out.M, vectors * n},
                                         {"C", out.C, vectors * n},
                                         {"g", out.g, vectors},
                                         {"Q", out.Q, vectors},
                                         {"tau", out.tau, vectors}};
  return at.ask("equation_rates", call, results);
}

}  // namespace torsor
