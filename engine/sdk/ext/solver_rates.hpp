#pragma once
// Builds the table torsor_solver_rates from the members of a solver P. The functions are const and
// return torsor_status:
//   rates                  (model, state, const torsor_motion_rates*, work, tau)
//   static max_rate_order  int32_t, required by rates
//   equation_rates         (model, state, const torsor_motion_rates*, work, torsor_equation_rates*)

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver_rates.h"

TORSOR_MINIMAL_SIZE(torsor_motion_rates, F_B);
TORSOR_MINIMAL_SIZE(torsor_equation_rates, tau);
TORSOR_MINIMAL_SIZE(torsor_solver_rates, equation_rates);

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
constexpr torsor_solver_rates make_rates() {
  torsor_solver_rates table{};
  table.struct_size = sizeof(torsor_solver_rates);
  offer<P, Call_rates>(table.rates);
  if constexpr (requires { P::max_rate_order; }) table.max_order = P::max_rate_order;
  if constexpr (offers<P, Call_equation_rates>(torsor_solver_rates{}.equation_rates))
    table.equation_rates = &equation_rates<P>;
  return table;
}

struct RatesInterface {
  static constexpr std::string_view kind = "solver";
  static constexpr const char* id = TORSOR_SOLVER_RATES;
  template <class P>
  static constexpr torsor_solver_rates table = make_rates<P>();
  template <class P>
  static constexpr bool is_offered() {
    constexpr bool offered = offers<P, Call_rates>(torsor_solver_rates{}.rates);
    static_assert(offered || !Call_equation_rates::template named<P>,
                  "a solver with equation_rates has rates");
    static_assert(
        offered == requires { P::max_rate_order; }, "rates and max_rate_order come together");
    return offered;
  }
};

}  // namespace torsor::sdk::detail
