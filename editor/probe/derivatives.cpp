#include "editor/probe/derivatives.hpp"

#include "torsor/mechanics/state.hpp"

namespace torsor::editor {

namespace {

Answer answer(const Solver& solver, Status status, std::vector<double> x) {
  return status ? Answer{std::move(x), ""} : Answer{{}, solver.explain(status)};
}

// Returns vdot, followed by its time derivatives up to an order, which are zero.
std::vector<double> steady(const std::vector<double>& vdot, int order) {
  std::vector<double> out(vdot);
  out.resize(vdot.size() * size_t(order + 1), 0.0);
  return out;
}

Answer torque_rate(Solver& solver, const State& state, int order, const std::vector<double>& vdot) {
  const size_t n = vdot.size();
  if (solver.max_rate_order() < order)
    return {{}, "the solver provides the first derivative of torques, but no higher ones"};
  const std::vector<double> motion = steady(vdot, order);
  std::vector<double> tau(n * size_t(order + 1));
  const Status status = solver.rates(state, {.order = order, .vdot = motion.data()}, tau.data());
  return answer(solver, status, {tau.end() - std::ptrdiff_t(n), tau.end()});
}

Answer equation_rate(Solver& solver, const State& state, StateDerivative what,
                     const std::vector<double>& vdot) {
  const size_t n = vdot.size();
  const std::vector<double> motion = steady(vdot, 1);
  std::vector<double> M(2 * n * n), C(M), g(2 * n), Q(g), tau(g);
  const Status status = solver.equation_rates(state, {.order = 1, .vdot = motion.data()},
                                              {M.data(), C.data(), g.data(), Q.data(), tau.data()});
  const std::vector<double>& part = what == StateDerivative::M_dot   ? M
                                    : what == StateDerivative::C_dot ? C
                                                                     : g;
  return answer(solver, status, {part.begin() + std::ptrdiff_t(part.size() / 2), part.end()});
}

Answer partial(Solver& solver, const State& state, StateDerivative what,
               const std::vector<double>& vdot, const std::vector<double>& tau) {
  const size_t n = vdot.size();
  std::vector<double> dq(n * n), dv(dq), other(dq);
  const bool of_tau = what == StateDerivative::dtau_dq || what == StateDerivative::dtau_dv;
  const Status status =
      of_tau ? solver.inverse_partials(state, vdot.data(), {dq.data(), dv.data()})
             : solver.forward_partials(state, tau.data(), {dq.data(), dv.data(), other.data()});
  return answer(solver, status,
                what == StateDerivative::dtau_dq || what == StateDerivative::dvdot_dq ? dq : dv);
}

}  // namespace

Offer needed(StateDerivative what) {
  if (what <= StateDerivative::tau_ddot) return Offer::rates;
  return what <= StateDerivative::g_dot ? Offer::equation_rates : Offer::partials;
}

const char* name(Offer offer) {
  static constexpr const char* names[] = {"torque rates", "rates of M, C and g",
                                          "partial derivatives"};
  return names[int(offer)];
}

bool offers(const Solver& solver, Offer offer) {
  switch (offer) {
    case Offer::rates:
      return solver.has_rates();
    case Offer::equation_rates:
      return solver.has_equation_rates();
    default:
      return solver.has_partials();
  }
}

bool is_derived(const Solver& solver, StateDerivative what) {
  return what >= StateDerivative::dvdot_dq &&
         solver.forward_partials_capability() == Capability::derived;
}

Answer derivative(Solver& solver, const State& state, StateDerivative what,
                  const std::vector<double>& vdot, const std::vector<double>& tau) {
  switch (needed(what)) {
    case Offer::rates:
      return torque_rate(solver, state, what == StateDerivative::tau_dot ? 1 : 2, vdot);
    case Offer::equation_rates:
      return equation_rate(solver, state, what, vdot);
    default:
      return partial(solver, state, what, vdot, tau);
  }
}

}  // namespace torsor::editor
