#pragma once
// Builds the table torsor_solver_partials from the members of a solver P. They are const and return
// torsor_status:
//   inverse_partials       (model, state, vdot, work, dtau_dq, dtau_dv)
//   forward_partials       (model, state, tau, work, dvdot_dq, dvdot_dv, dvdot_dtau)
//   second_partials        (model, state, vdot, work, d2tau_dqdq, d2tau_dvdq, d2tau_dvdv, dM_dq)

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/solver_partials.h"

TORSOR_MINIMAL_SIZE(torsor_solver_partials, second_partials);

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(inverse_partials)
TORSOR_SDK_MEMBER(forward_partials)
TORSOR_SDK_MEMBER(second_partials)

template <class P>
constexpr torsor_solver_partials make_partials() {
  torsor_solver_partials table{};
  table.struct_size = sizeof(torsor_solver_partials);
  offer<P, Call_inverse_partials>(table.inverse_partials);
  offer<P, Call_forward_partials>(table.forward_partials);
  offer<P, Call_second_partials>(table.second_partials);
  return table;
}

struct PartialsInterface {
  static constexpr std::string_view kind = "solver";
  static constexpr const char* id = TORSOR_SOLVER_PARTIALS;
  template <class P>
  static constexpr torsor_solver_partials table = make_partials<P>();
  template <class P>
  static constexpr bool is_offered() {
    constexpr bool offered =
        offers<P, Call_inverse_partials>(torsor_solver_partials{}.inverse_partials);
    static_assert(offered || (!Call_forward_partials::template named<P> &&
                              !Call_second_partials::template named<P>),
                  "a solver with other partials has inverse_partials");
    return offered;
  }
};

}  // namespace torsor::sdk::detail
