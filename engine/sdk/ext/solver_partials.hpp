#pragma once
// Builds the table torsor_solver_partials from the members of a plugin struct P.

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_partials.h"

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(inverse_partials)
TORSOR_SDK_MEMBER(forward_partials)
TORSOR_SDK_MEMBER(second_partials)

template <class P>
constexpr Offered<torsor_solver_partials> make_partials() {
  torsor_solver_partials table{};
  table.struct_size = sizeof(torsor_solver_partials);
  const bool inverse = offer<P, Call_inverse_partials>(table.inverse_partials);
  offer<P, Call_forward_partials>(table.forward_partials);
  offer<P, Call_second_partials>(table.second_partials);
  return {table, inverse};
}
template <class P>
inline constexpr Offered<torsor_solver_partials> partials_table = make_partials<P>();

// Returns true if the plugin P offers torsor_solver_partials.
template <class P>
constexpr bool offers_partials() {
  constexpr bool offered = partials_table<P>.complete;
  static_assert(solver_table<P>.complete || !offered, "partials are a solver's");
  static_assert(offered || (!Call_forward_partials::template named<P> &&
                            !Call_second_partials::template named<P>),
                "a solver with other partials has inverse_partials");
  return offered;
}

}  // namespace torsor::sdk::detail
