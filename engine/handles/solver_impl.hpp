#pragma once
// The implementation of Solver: the plugin, calls of the plugin, and scratch memory for derived
// quantities.

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "torsor/base/memory.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/mechanics/brackets.hpp"
#include "torsor/mechanics/tree_factor.hpp"
#include "torsor/plugin/lent_results.hpp"
#include "torsor/plugin/plugin_table.hpp"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"

namespace torsor {

struct PreparedSolver {
  using Result = LentResults::Result;
  static constexpr double zero_twist[6] = {};
  static Status singular(int body) { return {TORSOR_STATUS(TORSOR_SINGULAR, body)}; }

  std::unique_ptr<Plugin> plugin;
  const torsor_plugin* self;
  std::shared_ptr<const Model> model;
  torsor_model view;
  torsor_solver api{};
  torsor_solver_partials partials{};
  torsor_solver_rates rates{};
  WorkArea work;
#ifndef NDEBUG
  std::vector<double> seen;  // results of the first call; a member, so that calls do not allocate
#endif
  LentResults lent;
  MinPivots min_pivots;
  std::vector<double> zero, unit, a, b, v;  // [n_v]
  std::vector<Bracket> brackets;
  // The function that computed the last result with a value that is not finite: a function of the
  // plugin, or a derivation of the engine.
  const char* bad_source = "";
  // The value that was not finite.
  double bad_value = 0;
  // The last function of the plugin that failed.
  const char* failed_call = "";
  // The names of the work area and the results of the last call that wrote outside of them.
  std::vector<const char*> lent_names;
  Status failure;
  bool inverts_mass_matrix = false;  // true: M^-1 is derived from M instead of forward
  // Scratch memory of derivations, allocated only if a derivation uses it.
  std::vector<double> M;                            // [n_v * n_v]
  std::vector<double> dtau_dq, dtau_dv;             // [n_v * n_v]; derive forward_partials
  std::optional<TreeFactor> tree;                   // derives forward from inverse
  std::optional<Eigen::LLT<Eigen::MatrixXd>> full;  // derives inverse from forward

  PreparedSolver(std::unique_ptr<Plugin> p, std::shared_ptr<const Model> m)
      : plugin(std::move(p)),
        self(plugin->get()),
        model(std::move(m)),
        view(model->view()),
        min_pivots(*model),
        brackets(torsor::brackets(*model)) {
    const size_t n = model->n_v;
    zero.assign(n, 0.0);
    unit = a = b = v = zero;
    prepare();
    const bool derives_partials = partials.inverse_partials && !partials.forward_partials;
    inverts_mass_matrix =
        !api.forward || (!api.inverse_mass_matrix && api.mass_matrix && mass_matrix_is_cheaper());
    if (!api.forward || derives_partials || inverts_mass_matrix) tree.emplace(*model);
    if (derives_partials) dtau_dq.assign(n * n, 0.0), dtau_dv.assign(n * n, 0.0);
    if (!api.inverse) full.emplace(model->n_v);
    M.assign(n * n, 0.0);
#ifndef NDEBUG
    seen.reserve(3 * n * n + n);  // the largest results: three matrices of partial derivatives
#endif
  }

  // Returns whether deriving M^-1 from M takes fewer operations than n_v calls of forward. Assumes
  // the operation counts of the composite-rigid-body and articulated-body algorithms (Featherstone,
  // Rigid Body Dynamics Algorithms, 10.3). M takes about 40 operations for each pair of a joint and
  // an ancestor. A call of forward takes about 580 operations for each joint.
  bool mass_matrix_is_cheaper() const {
    const TreeFactor factor(*model);
    const double n = model->n_v;
    return 40 * double(factor.size()) + factor.operations_of_inverse() <
           n * 580 * double(model->n_body - 1);
  }

  // Reserves the memory of tables with an entry for each dof and each dof of its ancestors, which
  // the plugins of this project and the factorisation along the tree have.
  void reserve_tables() const {
    constexpr double bytes_per_entry = 350;  // measured for the largest: newton_euler on a chain
    std::vector<double> length(size_t(model->n_body), 0.0);  // dof on the path of a body
    double entries = 0;
    for (size_t i = 1; i < length.size(); ++i) {
      const double own = model->v_count[i], before = length[size_t(model->parent[i])];
      length[i] = before + own;
      entries += own * before + own * (own + 1) / 2;
    }
    reserve_memory(fmt::format("the tables of a solver of {} degrees of freedom", model->n_v),
                   bytes_per_entry * entries);
  }

  void prepare() {
    reserve_tables();
    const size_t work_size = torsor::prepare(*plugin, view).work_doubles;
    api = table_of<torsor_solver>(*plugin, TORSOR_SOLVER);
    if (!api.inverse && !api.forward)
      throw Error(fmt::format("solver '{}' offers neither inverse nor forward dynamics",
                              plugin->descriptor().id));
    work = WorkArea(work_size);
    lent = LentResults(size_t(model->n_v));
    partials = table_or_zeros<torsor_solver_partials>(*plugin, TORSOR_SOLVER_PARTIALS);
    rates = table_or_zeros<torsor_solver_rates>(*plugin, TORSOR_SOLVER_RATES);
  }

  // Calls function(pointers), which calls the plugin and writes its results to the pointers. A
  // debug build fills the work area with NaN and calls twice. The results differ if the plugin
  // reads its work area or keeps hidden state. Throws std::logic_error in this case.
  template <class Function>
  Status ask(const char* name, Function function, std::span<const Result> results) {
    return ask_lent(name, function, results, lent.is_due(name, results[0].size));
  }
  template <class Function>
  Status ask_lent(const char* name, Function function, std::span<const Result> results,
                  bool is_lent) {
    const Status status = ask_unchecked(name, function, results, is_lent);
    if (!status) return status;
    for (const Result& result : results)
      if (!all_finite(result.data, result.size)) return not_finite(name, result.data, result.size);
    return {};
  }
  // Does not check the results for values that are not finite.
  template <class Function>
  Status ask_unchecked(const char* name, Function function, std::span<const Result> results,
                       bool is_lent) {
    LentResults::Pointers pointers;
    lent.begin(results, is_lent, pointers);
#ifndef NDEBUG
    std::ranges::fill(work, std::numeric_limits<double>::signaling_NaN());
#endif
    torsor_status status = function(pointers);
#ifndef NDEBUG
    if (status == TORSOR_OK) status = ask_again(function, results, pointers);
#endif
    torsor_status went = check_guards(work);
    if (went == TORSOR_OK && is_lent) went = lent.end(results, 1);
    if (went != TORSOR_OK) return overrun(name, results, went);
    return status == TORSOR_OK ? Status{} : failed(name, status);
  }
#ifndef NDEBUG
  // Repeats a successful call with another content of the work area. Throws std::logic_error if a
  // result differs.
  template <class Function>
  torsor_status ask_again(Function function, std::span<const Result> results,
                          const LentResults::Pointers& pointers) {
    seen.clear();
    for (size_t k = 0; k < results.size(); ++k)
      seen.insert(seen.end(), pointers[k], pointers[k] + results[k].size);
    std::ranges::fill(work, std::numeric_limits<double>::signaling_NaN());
    const torsor_status status = function(pointers);
    bool same = status == TORSOR_OK;
    const double* then = seen.data();
    for (size_t k = 0; k < results.size(); then += results[k++].size)
      same &= results[k].size == 0 ||
              std::memcmp(then, pointers[k], results[k].size * sizeof(double)) == 0;
    if (!same)
      throw std::logic_error(fmt::format(
          "solver '{}' returned two different results for the same call: it has hidden state",
          plugin->descriptor().id));
    return status;
  }
#endif
  [[gnu::noinline]] Status failed(const char* name, torsor_status status) {
    failed_call = name;
    return failure = {status};
  }
  [[gnu::noinline]] Status overrun(const char* name, std::span<const Result> results,
                                   torsor_status went) {
    lent_names = {"work"};
    for (const Result& result : results) lent_names.push_back(result.name);
    return failed(name, went);
  }
  // Calls the plugin for one result. A release build checks only some of the calls. The other calls
  // take a shorter path, without a list of results.
  template <class Function, class... In>
  [[gnu::always_inline]] Status call(PluginFunction name, Function function, const torsor_state& s,
                                     const Result& out, In... in) {
#ifdef NDEBUG
    if (!lent.is_due(name.text, out.size)) [[likely]] {
      const torsor_status status =
          plugin->ask(name, function, self, &view, &s, in..., work.data(), out.data);
      if (const torsor_status went = check_guards(work); went != TORSOR_OK) [[unlikely]]
        return overrun(name.text, {}, went);
      if (status != TORSOR_OK) return failed(name.text, status);
      return all_finite(out.data, out.size) ? Status{} : not_finite(name.text, out.data, out.size);
    }
#endif
    return call_lent(name, function, s, out.name, out.data, out.size, in...);
  }
  template <class Function, class... In>
  [[gnu::noinline]] Status call_lent(PluginFunction name, Function function, const torsor_state& s,
                                     const char* result, double* out, size_t size, In... in) {
    const auto given = [&](const LentResults::Pointers& lent_to) {
      return plugin->ask(name, function, self, &view, &s, in..., work.data(), lent_to[0]);
    };
    const Result results[] = {{result, out, size}};
    return ask_lent(name.text, given, results, lent.fits(size));
  }

  Status checked(const char* source, const double* out, size_t size) {
    return all_finite(out, size) ? Status{} : not_finite(source, out, size);
  }
  // Records the first value that is not finite, and the function that computed it. Returns a status
  // that contains the dof of this value.
  [[gnu::noinline]] Status not_finite(const char* source, const double* out, size_t size) {
    const double* bad =
        std::find_if_not(out, out + size, [](double x) { return std::isfinite(x); });
    bad_source = source;
    bad_value = *bad;
    return {TORSOR_STATUS(Status::not_finite, int((bad - out) % std::max(1, model->n_v)))};
  }

  // Returns a state in the form that the plugin receives. Sets min_pivot if the call may use
  // forward dynamics.
  torsor_state at(const State& state, bool needs_pivots) {
    torsor_state s = state.view(!api.ignores_poses);
    if (needs_pivots || !api.inverse) s.min_pivot = min_pivots.at(state).data();
    return s;
  }
  // [hot] Calls the plugin for a quantity, or derives the quantity. given: [n_v], ignored if the
  // quantity depends on the state alone. out: entries(quantity, n_v) numbers.
  template <Quantity quantity>
  Status compute(const torsor_state& s, const double* given, double* out) {
    constexpr const QuantityRow& row = row_of(quantity);
    constexpr PluginFunction function = function_of(quantity);
    const Result result{row.result, out, entries(quantity, size_t(model->n_v))};
    if constexpr (row.member.of_given != nullptr) {
      if (const auto member = api.*row.member.of_given)
        return call(function, member, s, result, given);
    } else if (const auto member = api.*row.member.of_state) {
      return call(function, member, row.has_wrenches ? s : unloaded(s), result);
    }
    return row.derive(*this, s, given, out);
  }
  int factor(const torsor_state& s, const double* M_in) {
    return tree->factor(M_in, {s.min_pivot, size_t(model->n_body)});
  }

  // Returns the state with another velocity, without gravity, base motion and wrenches. For this
  // state, inverse(vdot) is M vdot + C v.
  static torsor_state still(torsor_state s, const double* velocity) {
    s.v = velocity;
    s.V_W = s.A_W = zero_twist;
    s.F_B = nullptr;
    return s;
  }
  static torsor_state unloaded(torsor_state s) {
    s.F_B = nullptr;
    return s;
  }

  // Computes a matrix [n_v][n_v] by columns. Column j is the quantity for the unit vector given =
  // e_j, at v = 0 and without gravity and wrenches.
  template <Quantity quantity>
  Status columns(const torsor_state& s, double* out) {
    const size_t n = size_t(model->n_v);
    const torsor_state at_rest = still(s, zero.data());
    for (size_t j = 0; j < n; ++j) {
      unit.assign(n, 0.0);
      unit[j] = 1;
      if (const Status status = compute<quantity>(at_rest, unit.data(), b.data()); !status)
        return status;
      for (size_t i = 0; i < n; ++i) out[i * n + j] = b[i];
    }
    return {};
  }

  // Computes out = M^-1 with the factorisation of M_in along the tree.
  Status invert(const torsor_state& s, const double* M_in, double* out) {
    const size_t n = model->n_v;
    if (const int body = factor(s, M_in); body >= 0) return singular(body);
    tree->multiply({nullptr, 1, out});
    return checked("the inverse mass matrix derived from its mass matrix", out, n * n);
  }

  // Computes vdot = M^-1 (tau - b) with the factorisation in `tree`.
  Status solve_forward(const torsor_state& s, const double* tau, double* vdot) {
    const size_t n = size_t(model->n_v);
    if (const Status status = compute<Quantity::inverse>(s, zero.data(), b.data()); !status)
      return status;
    for (size_t i = 0; i < n; ++i) vdot[i] = tau[i] - b[i];
    tree->solve(vdot);
    return checked("forward dynamics derived from its inverse", vdot, n);
  }

  // Replaces a symmetric positive definite matrix A [n_v][n_v] by its inverse. Used for A = M^-1,
  // which is dense, unlike M on a branched tree.
  Status invert_full(double* A) {
    const int n = model->n_v;
    Eigen::Map<Eigen::MatrixXd> inverse(A, n, n);
    full->compute(inverse);
    if (full->info() != Eigen::Success) return {Status::not_positive};
    inverse.setIdentity();
    full->solveInPlace(inverse);
    return checked("the mass matrix derived from its inverse mass matrix", A, n * n);
  }

  // Computes c(v), the velocity terms of tau without gravity. c is a quadratic form in v.
  Status velocity_terms(const torsor_state& s, const double* velocity, double* out) {
    return compute<Quantity::inverse>(still(s, velocity), zero.data(), out);
  }

  Status torque_split(const torsor_state& s, const double* vdot, const Solver::TorqueSplit& out) {
    const size_t n = model->n_v;
    if (const Status status = compute<Quantity::inverse>(still(s, zero.data()), vdot, out.inertial);
        !status)
      return status;
    if (const Status status = compute<Quantity::gravity>(s, nullptr, out.gravity); !status)
      return status;
    torsor_state falling = s;
    falling.A_W = zero_twist;
    if (const Status status =
            compute<Quantity::inverse>(unloaded(falling), zero.data(), out.coriolis);
        !status)
      return status;
    std::fill_n(out.centrifugal, n, 0.0);
    for (size_t j = 0; j < n; ++j) {
      v.assign(n, 0.0);
      v[j] = s.v[j];
      if (const Status status = velocity_terms(s, v.data(), b.data()); !status) return status;
      for (size_t i = 0; i < n; ++i) out.centrifugal[i] += b[i];
    }
    for (size_t i = 0; i < n; ++i) out.coriolis[i] -= out.centrifugal[i];
    return {};
  }
};

}  // namespace torsor
