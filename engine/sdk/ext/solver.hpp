#pragma once
// Builds the table torsor_solver from the members of a plugin struct P.

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver.h"

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(inverse)
TORSOR_SDK_MEMBER(forward)
TORSOR_SDK_MEMBER(mass_matrix)
TORSOR_SDK_MEMBER(inverse_mass_matrix)
TORSOR_SDK_MEMBER(coriolis_matrix)
TORSOR_SDK_MEMBER(gravity)
TORSOR_SDK_MEMBER(bias)
TORSOR_SDK_MEMBER(christoffel_symbols)

template <class P>
constexpr Offered<torsor_solver> make_solver() {
  torsor_solver table{};
  table.struct_size = sizeof(torsor_solver);
  const bool inverse = offer<P, Call_inverse>(table.inverse);
  const bool forward = offer<P, Call_forward>(table.forward);
  offer<P, Call_mass_matrix>(table.mass_matrix);
  offer<P, Call_inverse_mass_matrix>(table.inverse_mass_matrix);
  offer<P, Call_coriolis_matrix>(table.coriolis_matrix);
  offer<P, Call_gravity>(table.gravity);
  offer<P, Call_bias>(table.bias);
  offer<P, Call_christoffel_symbols>(table.christoffel_symbols);
  return {table, inverse || forward};
}
template <class P>
inline constexpr Offered<torsor_solver> solver_table = make_solver<P>();

}  // namespace torsor::sdk::detail
