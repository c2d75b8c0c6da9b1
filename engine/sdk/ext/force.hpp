#pragma once
// Builds the table torsor_force from the members of a plugin struct P.

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/force.h"

namespace torsor::sdk::detail {

template <class P>
torsor_status evaluate_force(const torsor_plugin* p, const torsor_model* model,
                             const torsor_state* state, const torsor_kinematics* kinematics,
                             const double* x, double* work, torsor_force_out* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] {
    return write_covered(out, [&](torsor_force_out& force) {
      return adapter.plugin.evaluate(*model, *state, kinematics, x, work, &force);
    });
  });
}
template <class P>
constexpr Offered<torsor_force> make_force() {
  torsor_force table{};
  table.struct_size = sizeof(torsor_force);
  constexpr bool offered =
      has_member<const P, Call_evaluate, torsor_status, const torsor_model&, const torsor_state&,
                 const torsor_kinematics*, const double*, double*, torsor_force_out*>();
  if constexpr (offered) table.evaluate = &evaluate_force<P>;
  if constexpr (requires { P::is_contact; }) table.is_contact = P::is_contact;
  return {table, offered};
}
template <class P>
inline constexpr Offered<torsor_force> force_table = make_force<P>();

}  // namespace torsor::sdk::detail
