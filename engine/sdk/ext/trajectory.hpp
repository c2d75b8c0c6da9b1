#pragma once
// Builds the table torsor_trajectory from the members of a plugin struct P.

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/trajectory.h"

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(describe)

template <class P>
torsor_status describe_motion(const torsor_plugin* p, torsor_motion* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&]() -> torsor_status {
    static_assert(has_member<const P, Call_describe, void, torsor_motion&>());
    return write_covered(out, [&](torsor_motion& motion) -> torsor_status {
      adapter.plugin.describe(motion);
      return TORSOR_OK;
    });
  });
}
template <class P>
torsor_status evaluate_motion(const torsor_plugin* p, double t, int32_t order, double* work,
                              double* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  static_assert(has_member<const P, Call_evaluate, torsor_status, double, int, double*, double*>(),
                "a trajectory offers describe and evaluate");
  return guarded(adapter.host, [&] { return adapter.plugin.evaluate(t, order, work, out); });
}
template <class P>
inline constexpr torsor_trajectory trajectory_table{sizeof(torsor_trajectory), describe_motion<P>,
                                                    evaluate_motion<P>};

}  // namespace torsor::sdk::detail
