#pragma once
// Builds the table torsor_solver_batch from a member `batch` of a solver P. Its type is a struct
// with the constant
//   static lanes           uint32_t: number of states in a block
// and with any functions of ext/solver.hpp, ext/solver_partials.hpp and ext/solver_rates.hpp, whose
// arrays have the lane as last index (see ext/solver_batch.h). prepare() of P prepares it.

#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_batch.h"
#include "torsor/sdk/ext/solver_partials.hpp"
#include "torsor/sdk/ext/solver_rates.hpp"

TORSOR_MINIMAL_SIZE(torsor_solver_batch, rates);

namespace torsor::sdk::detail {

template <class P>
concept HasBatch = requires(P& p) {
  p.batch;
};

// The C function of a hot call for a block of states. Calls one const member of P::batch.
template <class P, class Member, class... A>
torsor_status hot_block(const torsor_plugin* p, const torsor_model* model,
                        const torsor_state* states, A... a) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host,
                 [&] { return Member::call(adapter.plugin.batch, *model, *states, a...); });
}
// Sets a slot of a function table to hot_block<P, Member>, if P::batch has this member.
template <class P, class Member, class... A>
constexpr void offer_block(torsor_status (*&slot)(const torsor_plugin*, const torsor_model*,
                                                  const torsor_state*, A...)) {
  constexpr std::remove_reference_t<decltype(slot)> unset = nullptr;
  if constexpr (offers<decltype(P::batch), Member>(unset)) slot = &hot_block<P, Member, A...>;
}

template <class P>
constexpr torsor_solver make_block_solver() {
  torsor_solver table{};
  table.struct_size = sizeof(torsor_solver);
  if constexpr (requires { P::ignores_poses; }) table.ignores_poses = P::ignores_poses;
#define TORSOR_SDK_OFFER(NAME) offer_block<P, Call_##NAME>(table.NAME);
  TORSOR_SDK_SOLVER_MEMBERS(TORSOR_SDK_OFFER)
#undef TORSOR_SDK_OFFER
  return table;
}
template <class P>
constexpr torsor_solver_partials make_block_partials() {
  torsor_solver_partials table{};
  table.struct_size = sizeof(torsor_solver_partials);
  offer_block<P, Call_inverse_partials>(table.inverse_partials);
  offer_block<P, Call_forward_partials>(table.forward_partials);
  return table;
}
template <class P>
constexpr torsor_solver_rates make_block_rates() {
  torsor_solver_rates table{};
  table.struct_size = sizeof(torsor_solver_rates);
  offer_block<P, Call_rates>(table.rates);
  if constexpr (requires { P::max_rate_order; }) table.max_order = P::max_rate_order;
  return table;
}
template <class P>
inline constexpr torsor_solver block_solver = make_block_solver<P>();
template <class P>
inline constexpr torsor_solver_partials block_partials = make_block_partials<P>();
template <class P>
inline constexpr torsor_solver_rates block_rates = make_block_rates<P>();

template <class P>
constexpr torsor_solver_batch make_batch() {
  using Batch = decltype(P::batch);
  torsor_solver_batch table{sizeof(torsor_solver_batch), Batch::lanes, &block_solver<P>, nullptr,
                            nullptr};
  if constexpr (Call_inverse_partials::named<Batch>) table.partials = &block_partials<P>;
  if constexpr (Call_rates::named<Batch>) table.rates = &block_rates<P>;
  return table;
}

struct BatchInterface {
  static constexpr std::string_view kind = "solver";
  static constexpr const char* id = TORSOR_SOLVER_BATCH;
  template <class P>
  static constexpr torsor_solver_batch table = make_batch<P>();
  template <class P>
  static constexpr bool is_offered() {
    return HasBatch<P>;
  }
};

}  // namespace torsor::sdk::detail
