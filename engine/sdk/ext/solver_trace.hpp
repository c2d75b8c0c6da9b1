#pragma once
// Builds the table torsor_solver_trace from the members of a plugin struct P.

#include <iterator>

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver.hpp"
#include "torsor/sdk/ext/solver_trace.h"

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(trace)

template <class P>
constexpr Offered<torsor_solver_trace> make_trace() {
  torsor_solver_trace table{};
  table.struct_size = sizeof(torsor_solver_trace);
  const bool offered = offer<P, Call_trace>(table.trace);
  if constexpr (requires { P::trace_passes; }) {
    table.of_forward = P::trace_of_forward;
    table.n_pass = uint32_t(std::size(P::trace_passes));
    table.pass = std::data(P::trace_passes);
  }
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_solver_trace> trace_table = make_trace<P>();

// Returns true if the plugin P offers torsor_solver_trace.
template <class P>
constexpr bool offers_trace() {
  constexpr bool offered = trace_table<P>.complete;
  static_assert(solver_table<P>.complete || !offered, "a trace is a solver's");
  static_assert(
      Call_trace::template named<P> == requires { P::trace_passes; },
      "trace and trace_passes come together");
  return offered;
}

}  // namespace torsor::sdk::detail
