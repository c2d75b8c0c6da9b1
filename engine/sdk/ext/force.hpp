#pragma once
// Builds the table torsor_force from the members of a plugin struct P ("force.name").
// force_view.hpp has tools for its functions.
//   evaluate               const, (model, state, kinematics, x, work, out); returns torsor_status
//   static is_contact      bool: the energy ledger counts the work of the force as contact

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/force.h"

TORSOR_MINIMAL_SIZE(torsor_kinematics, V_WB_B);
TORSOR_MINIMAL_SIZE(torsor_force_out, energy_rate);
TORSOR_MINIMAL_SIZE(torsor_force, evaluate);

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
constexpr bool offers_evaluate =
    has_member<const P, Call_evaluate, torsor_status, const torsor_model&, const torsor_state&,
               const torsor_kinematics*, const double*, double*, torsor_force_out*>();
template <class P>
constexpr torsor_force make_force() {
  torsor_force table{};
  table.struct_size = sizeof(torsor_force);
  if constexpr (offers_evaluate<P>) table.evaluate = &evaluate_force<P>;
  if constexpr (requires { P::is_contact; }) table.is_contact = P::is_contact;
  return table;
}

struct ForceInterface {
  static constexpr std::string_view kind = "force";
  static constexpr const char* id = TORSOR_FORCE;
  template <class P>
  static constexpr torsor_force table = make_force<P>();
  template <class P>
  static constexpr bool is_offered() {
    static_assert(offers_evaluate<P>, "a force offers evaluate");
    return true;
  }
};

}  // namespace torsor::sdk::detail
