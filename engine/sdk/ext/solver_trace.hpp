#pragma once
// Builds the table torsor_solver_trace from the members of a solver P:
//   trace                  const, (model, state, given, work, out); returns torsor_status
//   static trace_passes    array of torsor_trace_pass, required by trace
//   static trace_of_forward   bool, required by trace

#include <iterator>

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver_trace.h"

TORSOR_MINIMAL_SIZE(torsor_solver_trace, trace);

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(trace)

template <class P>
constexpr torsor_solver_trace make_trace() {
  torsor_solver_trace table{};
  table.struct_size = sizeof(torsor_solver_trace);
  offer<P, Call_trace>(table.trace);
  if constexpr (requires { P::trace_passes; }) {
    table.of_forward = P::trace_of_forward;
    table.n_pass = uint32_t(std::size(P::trace_passes));
    table.pass = std::data(P::trace_passes);
  }
  return table;
}

struct TraceInterface {
  static constexpr std::string_view kind = "solver";
  static constexpr const char* id = TORSOR_SOLVER_TRACE;
  template <class P>
  static constexpr torsor_solver_trace table = make_trace<P>();
  template <class P>
  static constexpr bool is_offered() {
    constexpr bool offered = offers<P, Call_trace>(torsor_solver_trace{}.trace);
    static_assert(
        offered == requires { P::trace_passes; }, "trace and trace_passes come together");
    return offered;
  }
};

}  // namespace torsor::sdk::detail
