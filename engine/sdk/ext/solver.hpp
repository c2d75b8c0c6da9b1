#pragma once
// Builds the table torsor_solver from the members of a plugin struct P ("solver.name"). They are
// const and return torsor_status:
//   inverse, forward       (model, state, in, work, out)
//   the other functions of torsor_solver, such as mass_matrix
//                          (model, state, work, out)
// and a constant `ignores_poses`, if it is true.

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver.h"

TORSOR_MINIMAL_SIZE(torsor_solver, christoffel_symbols);

namespace torsor::sdk::detail {

// Calls X for each function of torsor_solver.
#define TORSOR_SDK_SOLVER_MEMBERS(X) \
  X(inverse)                         \
  X(forward)                         \
  X(mass_matrix)                     \
  X(inverse_mass_matrix)             \
  X(coriolis_matrix)                 \
  X(gravity)                         \
  X(bias)                            \
  X(christoffel_symbols)

TORSOR_SDK_SOLVER_MEMBERS(TORSOR_SDK_MEMBER)

template <class P>
constexpr torsor_solver make_solver() {
  torsor_solver table{};
  table.struct_size = sizeof(torsor_solver);
  if constexpr (requires { P::ignores_poses; }) table.ignores_poses = P::ignores_poses;
#define TORSOR_SDK_OFFER(NAME) offer<P, Call_##NAME>(table.NAME);
  TORSOR_SDK_SOLVER_MEMBERS(TORSOR_SDK_OFFER)
#undef TORSOR_SDK_OFFER
  return table;
}

struct SolverInterface {
  static constexpr std::string_view kind = "solver";
  static constexpr const char* id = TORSOR_SOLVER;
  template <class P>
  static constexpr torsor_solver table = make_solver<P>();
  template <class P>
  static constexpr bool is_offered() {
    constexpr torsor_solver slots{};
    static_assert(offers<P, Call_inverse>(slots.inverse) || offers<P, Call_forward>(slots.forward),
                  "a solver offers inverse or forward");
    return true;
  }
};

}  // namespace torsor::sdk::detail
