#include "torsor/batch/batch_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <vector>

#include "torsor/handles/solver_impl.hpp"
#include "torsor/sdk/ext/solver_batch.h"

namespace torsor {

struct BatchSolver::Impl {
  static constexpr size_t most_results = 3, most_given = TORSOR_MAX_ORDER + 1;
  using Results = std::array<double*, most_results>;

  // A result of all states, [count][stride].
  struct Rows {
    const char* name;
    double* data;
    size_t count;
    // The rows that are not zero in every state, in ascending order; null if all may be.
    const std::vector<uint32_t>* nonzero = nullptr;
  };

  Solver& solver;
  PreparedSolver& prepared;
  size_t n_v;
  torsor_solver_batch batch;
  std::vector<uint32_t> nonzero;  // entries of M
  torsor_solver api{};
  torsor_solver_partials partials{};
  torsor_solver_rates rates{};
  std::optional<StateBlock> block;           // empty if the plugin computes states one by one
  LentArray<double> given_block;             // [most_given][n_v][lanes]
  LentArray<double> zero_block, zero_world;  // [n_v][lanes], [6][lanes]
  State state;                               // one state, for calls without lanes
  std::vector<double> given_state;           // [most_given][n_v]
  std::array<LentArray<double>, most_results> memory;  // results of one block or of one state
  Results results;

  Impl(Solver& of, PreparedSolver& implementation)
      : solver(of),
        prepared(implementation),
        n_v(size_t(of.model().n_v)),
        batch(table_or_zeros<torsor_solver_batch>(*prepared.plugin, TORSOR_SOLVER_BATCH)),
        nonzero(path_entries(*prepared.model)),
        state(prepared.model),
        given_state(most_given * n_v) {
    const size_t lanes = std::max<size_t>(batch.lanes, 1);
    if (batch.lanes > 0) {
      api = sdk::known_members(*batch.solver);
      if (batch.partials) partials = sdk::known_members(*batch.partials);
      if (batch.rates) rates = sdk::known_members(*batch.rates);
      block.emplace(prepared.model, lanes);
      given_block = LentArray<double>(most_given * n_v * lanes);
      zero_block = LentArray<double>(n_v * lanes);
      zero_world = LentArray<double>(6 * lanes);
    }
    for (size_t k = 0; k < most_results; ++k) {
      memory[k] = LentArray<double>(std::max(n_v, most_given) * n_v * lanes + 1);  // a guard
      results[k] = memory[k].data();
    }
  }

  // Computes all states: blocks by in_lanes(view, given, results), if `uses_lanes` is true, and
  // single states by one(state, given, results). given: [given_rows][stride], or null.
  template <class InLanes, class One>
  BatchStatus run(StateBatch& states, const double* given, size_t given_rows,
                  std::span<const Rows> out, bool uses_lanes, bool with_pivots, InLanes in_lanes,
                  One one) {
    assert(&states.model() == prepared.model.get());
    BatchStatus outcome;
    const auto compute = [&](size_t first, size_t count) {
      block->load(states, first, count);
      if (given) block->load_rows(given, given_rows, given_block.data());
      const Status status =
          in_lanes(block->view(!api.ignores_poses, with_pivots), given_block.data());
      for (size_t r = 0; status && r < out.size(); ++r) {
        if (out[r].nonzero)
          block->store_rows(results[r], *out[r].nonzero, out[r].data);
        else
          block->store_rows(results[r], out[r].count, out[r].data);
      }
      return status;
    };
    if (uses_lanes)
      for (const Rows& rows : out)
        if (rows.nonzero) clear_other_rows(states, *rows.nonzero, rows.count, rows.data);
    const size_t step = uses_lanes ? block->lanes() : 1;
    for (size_t first = 0; first < states.size(); first += step) {
      if (uses_lanes && compute(first, step)) continue;
      // Computes each state of a block that failed in all lanes, so that its result does not depend
      // on the others.
      for (size_t k = first; k < std::min(first + step, states.size()); ++k) {
        const Status status =
            uses_lanes ? compute(k, 1) : compute_one(states, k, given, given_rows, out, one);
        if (status) continue;
        if (outcome.failed++ == 0) outcome.state = k, outcome.status = status;
        for (const Rows& rows : out)
          for (size_t i = 0; i < rows.count; ++i)
            rows.data[i * states.stride() + k] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    if (outcome.failed == 0) return outcome;
    // Repeats the first failure for one state, because its status is more precise.
    const Status again =
        one(load_one(states, outcome.state, given, given_rows), given_state.data());
    if (!again) outcome.status = again;
    return outcome;
  }
  const State& load_one(StateBatch& states, size_t k, const double* given, size_t given_rows) {
    states.get(k, state);
    if (given)
      for (size_t i = 0; i < given_rows; ++i) given_state[i] = given[i * states.stride() + k];
    return state;
  }
  template <class One>
  Status compute_one(StateBatch& states, size_t k, const double* given, size_t given_rows,
                     std::span<const Rows> out, One one) {
    const Status status = one(load_one(states, k, given, given_rows), given_state.data());
    if (status)
      for (size_t r = 0; r < out.size(); ++r)
        for (size_t i = 0; i < out[r].count; ++i)
          out[r].data[i * states.stride() + k] = results[r][i];
    return status;
  }

  // Calls function(), which calls the plugin for a block of states. Checks the memory and the
  // numbers that it wrote.
  template <class Function>
  Status ask(const char* name, std::span<const Rows> out, Function function) {
    std::array<PreparedSolver::Result, most_results> lent;
    for (size_t r = 0; r < out.size(); ++r)
      lent[r] = {out[r].name, results[r], out[r].count * block->lanes()};
    const std::span<const PreparedSolver::Result> all(lent.data(), out.size());
    for (const PreparedSolver::Result& result : all)
      std::memcpy(result.data + result.size, &guard_pattern, sizeof guard_pattern);
    Status status = prepared.ask_unchecked(
        name, [&](const LentResults::Pointers&) { return function(); }, all, false);
    for (size_t r = 0; status && r < all.size(); ++r)
      if (!is_finite(out[r], all[r])) status = prepared.not_finite(name, all[r].data, all[r].size);
    torsor_status went = check_guards(prepared.work, memory[0], memory[1], memory[2]);
    for (size_t r = 0; r < all.size(); ++r)
      if (std::memcmp(all[r].data + all[r].size, &guard_pattern, sizeof guard_pattern) != 0)
        went = TORSOR_STATUS(overrun_code, 2 * (int(r) + 1));
    return went == TORSOR_OK ? status : prepared.overrun(name, all, went);
  }

  // Returns whether the numbers of a block's result are finite. Sets rows that are zero, which the
  // plugin need not write, to zero if they are not.
  bool is_finite(const Rows& rows, const PreparedSolver::Result& result) const {
    if (!rows.nonzero) return all_finite(result.data, result.size);
    if (block->are_finite(result.data, *rows.nonzero)) return true;
    for (size_t row = 0; row < rows.count; ++row)
      if (!std::ranges::binary_search(*rows.nonzero, row))
        std::fill_n(result.data + row * block->lanes(), block->lanes(), 0.0);
    return false;
  }

  bool offers(Quantity quantity) const { return row_of(quantity).member.is_offered(api); }
  // Computes a quantity of a block of states. Derives bias and gravity from inverse:
  //   bias = inverse(vdot = 0) without wrenches,   gravity = bias at v = 0
  Status compute(Quantity quantity, torsor_state view, const double* given,
                 std::span<const Rows> out) {
    const QuantityRow& row = row_of(quantity);
    if (!row.has_wrenches) view.F_B = nullptr;
    const SolverMember* member = &row.member;
    if (!offers(quantity)) {
      member = &row_of(Quantity::inverse).member;
      given = zero_block.data();
      view.F_B = nullptr;
      if (quantity == Quantity::gravity) {
        view.v = zero_block.data();
        view.V_W = zero_world.data();
      }
    }
    return ask(member->name, out, [&] {
      return prepared.plugin->ask(function_of(quantity), [&] {
        return member->call(api, prepared.self, &prepared.view, &view, given, prepared.work.data(),
                            results[0]);
      });
    });
  }
};

BatchSolver::BatchSolver(Solver& solver) : impl_(std::make_unique<Impl>(solver, *solver.impl_)) {}
BatchSolver::~BatchSolver() = default;

size_t BatchSolver::lanes() const {
  return impl_->block ? impl_->block->lanes() : 1;
}
bool BatchSolver::is_in_lanes(Quantity quantity) const {
  const bool derived = quantity == Quantity::bias || quantity == Quantity::gravity;
  return impl_->block && (impl_->offers(quantity) || (derived && impl_->offers(Quantity::inverse)));
}
bool BatchSolver::has_inverse_partials_in_lanes() const {
  return impl_->partials.inverse_partials != nullptr;
}
bool BatchSolver::has_forward_partials_in_lanes() const {
  return impl_->partials.forward_partials != nullptr;
}
bool BatchSolver::has_rates_in_lanes() const {
  return impl_->rates.rates != nullptr;
}

BatchStatus BatchSolver::evaluate(Quantity quantity, StateBatch& batch, const double* given,
                                  double* out) {
  assert(indices(quantity) <= 2);
  Impl& at = *impl_;
  const QuantityRow& row = row_of(quantity);
  const bool has_zeros =
      quantity == Quantity::mass_matrix && is_in_lanes(quantity) && !at.nonzero.empty();
  const Impl::Rows rows[] = {
      {row.result, out, entries(quantity, at.n_v), has_zeros ? &at.nonzero : nullptr}};
  return at.run(
      batch, row.member.of_given ? given : nullptr, at.n_v, rows, is_in_lanes(quantity),
      row.needs_pivots,
      [&](const torsor_state& view, const double* of_block) {
        return at.compute(quantity, view, of_block, rows);
      },
      [&](const State& state, const double* of_state) {
        return at.solver.evaluate(quantity, state, of_state, at.results[0]);
      });
}

BatchStatus BatchSolver::inverse_partials(StateBatch& batch, const double* vdot,
                                          const Solver::InversePartials& out) {
  Impl& at = *impl_;
  const size_t n = at.n_v * at.n_v;
  const Impl::Rows rows[] = {{"dtau_dq", out.dtau_dq, n}, {"dtau_dv", out.dtau_dv, n}};
  const auto& r = at.results;
  return at.run(
      batch, vdot, at.n_v, rows, has_inverse_partials_in_lanes(), false,
      [&](const torsor_state& view, const double* of_block) {
        return at.ask("inverse_partials", rows, [&] {
          return at.prepared.plugin->ask("inverse_partials", at.partials.inverse_partials,
                                         at.prepared.self, &at.prepared.view, &view, of_block,
                                         at.prepared.work.data(), r[0], r[1]);
        });
      },
      [&](const State& state, const double* of_state) {
        return at.solver.inverse_partials(state, of_state, {r[0], r[1]});
      });
}

BatchStatus BatchSolver::forward_partials(StateBatch& batch, const double* tau,
                                          const Solver::ForwardPartials& out) {
  Impl& at = *impl_;
  const size_t n = at.n_v * at.n_v;
  const Impl::Rows rows[] = {{"dvdot_dq", out.dvdot_dq, n},
                             {"dvdot_dv", out.dvdot_dv, n},
                             {"dvdot_dtau", out.dvdot_dtau, n}};
  const auto& r = at.results;
  return at.run(
      batch, tau, at.n_v, rows, has_forward_partials_in_lanes(), true,
      [&](const torsor_state& view, const double* of_block) {
        return at.ask("forward_partials", rows, [&] {
          return at.prepared.plugin->ask("forward_partials", at.partials.forward_partials,
                                         at.prepared.self, &at.prepared.view, &view, of_block,
                                         at.prepared.work.data(), r[0], r[1], r[2]);
        });
      },
      [&](const State& state, const double* of_state) {
        return at.solver.forward_partials(state, of_state, {r[0], r[1], r[2]});
      });
}

BatchStatus BatchSolver::rates(StateBatch& batch, int order, const double* vdot, double* tau) {
  assert(order >= 0 && order <= impl_->solver.max_rate_order());
  Impl& at = *impl_;
  const auto is_zero = [](const Twist<double>& V) {
    return dot(V.w, V.w) == 0 && dot(V.v, V.v) == 0;
  };
  // The derivatives of gravity in the axes of a moving world are those of Solver::rates().
  const bool at_rest = is_zero(batch.V_W()) && is_zero(batch.Vdot_W());
  const bool in_lanes = has_rates_in_lanes() && at_rest && order <= at.rates.max_order;
  const size_t count = size_t(order + 1) * at.n_v;
  const Impl::Rows rows[] = {{"tau", tau, count}};
  return at.run(
      batch, vdot, count, rows, in_lanes, false,
      [&](const torsor_state& view, const double* of_block) {
        const torsor_motion_rates motion{sizeof motion, order, of_block, nullptr, nullptr, nullptr};
        return at.ask("rates", rows, [&] {
          return at.prepared.plugin->ask("rates", at.rates.rates, at.prepared.self,
                                         &at.prepared.view, &view, &motion, at.prepared.work.data(),
                                         at.results[0]);
        });
      },
      [&](const State& state, const double* of_state) {
        return at.solver.rates(state, {order, of_state}, at.results[0]);
      });
}

}  // namespace torsor
