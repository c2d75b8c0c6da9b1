#include "torsor/cli/eval/eval_derivatives.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "torsor/base/error.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

void check(Solver& solver, Status status) {
  if (!status) throw Error(solver.explain(status));
}

// The time derivatives of vdot, of the wrenches and of the world frame's acceleration at a state,
// in the form that solvers accept.
struct Motion {
  Motion(const State& state, const StateEntry& entry, int derivatives)
      : order(derivatives), vdot(entry.vdot), world(entry.Vdot_W_rates) {
    const Model& model = state.model();
    for (int k = 0; k < order; ++k)
      vdot.insert(vdot.end(), entry.vdot_rates[size_t(k)].begin(),
                  entry.vdot_rates[size_t(k)].end());
    const auto given = [](const auto& wrenches) { return !wrenches.empty(); };
    if (std::ranges::none_of(entry.wrench_rates, given)) return;
    F_B.resize(size_t(order) * size_t(model.n_body));
    for (size_t k = 0; k < std::min(size_t(order), entry.wrench_rates.size()); ++k)
      for (const auto& [index, F] : entry.wrench_rates[k]) {
        const Frame& frame = model.frames[size_t(index)];
        Wrench<double>& sum = F_B[k * size_t(model.n_body) + size_t(frame.body)];
        sum = sum + transform(frame.X_BF, F);
      }
  }
  Solver::MotionRates view() const {
    return {order, vdot.data(), world, F_B.empty() ? nullptr : F_B.data()};
  }

  int order;
  std::vector<double> vdot;
  std::vector<Twist<double>> world;
  std::vector<Wrench<double>> F_B;
};

const char* const suffixes[] = {"", "_dot", "_ddot", "_dddot", "_ddddot"};

}  // namespace

Json ordered_vector(std::span<const double> x, std::span<const int> order) {
  Json out = Json::array();
  for (const int column : order) out.push_back(x[size_t(column)]);
  return out;
}
Json ordered_matrix(std::span<const double> M, std::span<const int> order) {
  const size_t n = order.size();
  Json out = Json::array();
  for (const int row : order) out.push_back(ordered_vector(M.subspan(size_t(row) * n, n), order));
  return out;
}
Json ordered_cube(std::span<const double> G, std::span<const int> order) {
  const size_t n = order.size();
  Json out = Json::array();
  for (const int i : order)
    out.push_back(ordered_matrix(G.subspan(size_t(i) * n * n, n * n), order));
  return out;
}

Json inverse_partials_json(Solver& solver, const State& state, const StateEntry& entry,
                           std::span<const int> order) {
  const size_t size = order.size() * order.size();
  std::vector<double> dq(size), dv(size), M(size);
  check(solver, solver.inverse_partials(state, entry.vdot.data(), {dq.data(), dv.data()}));
  check(solver, solver.mass_matrix(state, M.data()));
  return {{"dtau_dq", ordered_matrix(dq, order)},
          {"dtau_dv", ordered_matrix(dv, order)},
          {"dtau_dvdot", ordered_matrix(M, order)}};
}

Json forward_partials_json(Solver& solver, const State& state, const StateEntry& entry,
                           std::span<const int> order) {
  const size_t size = order.size() * order.size();
  std::vector<double> dq(size), dv(size), dtau(size);
  check(solver,
        solver.forward_partials(state, entry.tau.data(), {dq.data(), dv.data(), dtau.data()}));
  return {{"dvdot_dq", ordered_matrix(dq, order)},
          {"dvdot_dv", ordered_matrix(dv, order)},
          {"dvdot_dtau", ordered_matrix(dtau, order)}};
}

Json second_partials_json(Solver& solver, const State& state, const StateEntry& entry,
                          std::span<const int> order) {
  const size_t size = order.size() * order.size() * order.size();
  std::vector<double> qq(size), vq(size), vv(size), Mq(size);
  check(solver, solver.second_partials(state, entry.vdot.data(),
                                       {qq.data(), vq.data(), vv.data(), Mq.data()}));
  return {{"d2tau_dqdq", ordered_cube(qq, order)},
          {"d2tau_dvdq", ordered_cube(vq, order)},
          {"d2tau_dvdv", ordered_cube(vv, order)},
          {"dM_dq", ordered_cube(Mq, order)}};
}

Json rates_json(Solver& solver, const State& state, const StateEntry& entry,
                std::span<const int> order) {
  const Motion motion(state, entry, int(entry.vdot_rates.size()));
  const size_t n = order.size();
  std::vector<double> tau(size_t(motion.order + 1) * n);
  check(solver, solver.rates(state, motion.view(), tau.data()));
  Json out = Json::object();
  for (int k = 0; k <= motion.order; ++k)
    out[fmt::format("tau{}", suffixes[k])] =
        ordered_vector(std::span(tau).subspan(size_t(k) * n, n), order);
  return out;
}

Json equation_rates_json(Solver& solver, const State& state, const StateEntry& entry,
                         std::span<const int> order) {
  const Motion motion(state, entry, 2);
  const size_t n = order.size();
  std::vector<double> M(3 * n * n), C(3 * n * n), g(3 * n), Q(3 * n), tau(3 * n);
  check(solver, solver.equation_rates(state, motion.view(),
                                      {M.data(), C.data(), g.data(), Q.data(), tau.data()}));
  Json out = Json::object();
  const auto put = [&](const char* name, const std::vector<double>& x, bool square) {
    for (size_t k = 0; k < 3; ++k) {
      const size_t size = square ? n * n : n;
      const std::span<const double> part = std::span(x).subspan(k * size, size);
      out[fmt::format("{}{}", name, suffixes[k])] =
          square ? ordered_matrix(part, order) : ordered_vector(part, order);
    }
  };
  put("M", M, true);
  put("C", C, true);
  put("g", g, false);
  put("Q", Q, false);
  put("tau", tau, false);
  return out;
}

}  // namespace torsor::cli
