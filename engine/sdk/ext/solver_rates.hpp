#pragma once
// Builds the table torsor_solver_rates from the members of a plugin struct P.

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_rates.h"

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(rates)
TORSOR_SDK_MEMBER(equation_rates)

template <class P>
torsor_status equation_rates(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const torsor_motion_rates* motion,
                             double* work, torsor_equation_rates* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] {
    return write_covered(out, [&](torsor_equation_rates& rates) {
      return adapter.plugin.equation_rates(*model, *state, motion, work, &rates);
    });
  });
}
template <class P>
constexpr Offered<torsor_solver_rates> make_rates() {
  torsor_solver_rates table{};
  table.struct_size = sizeof(torsor_solver_rates);
  const bool offered = offer<P, Call_rates>(table.rates);
  if constexpr (requires { P::max_rate_order; }) table.max_order = P::max_rate_order;
  if (offer<P, Call_equation_rates>(table.equation_rates))
    if constexpr (Call_equation_rates::template named<P>) table.equation_rates = &equation_rates<P>;
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_solver_rates> rates_table = make_rates<P>();

// Returns true if the plugin P offers torsor_solver_rates.
template <class P>
constexpr bool offers_rates() {
  constexpr bool offered = rates_table<P>.complete;
  static_assert(solver_table<P>.complete || !offered, "rates of inverse dynamics are a solver's");
  static_assert(offered || !Call_equation_rates::template named<P>,
                "a solver with equation_rates has rates");
  static_assert(
      Call_rates::template named<P> == requires { P::max_rate_order; },
      "rates and max_rate_order come together");
  return offered;
}

}  // namespace torsor::sdk::detail
