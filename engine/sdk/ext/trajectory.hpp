#pragma once
// Builds the table torsor_trajectory from the members of a plugin struct P ("trajectory.name"):
//   describe               const, (torsor_motion&); returns nothing, throws errors
//   evaluate               const, (t, order, work, out); returns torsor_status

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/trajectory.h"

TORSOR_MINIMAL_SIZE(torsor_motion, breaks);
TORSOR_MINIMAL_SIZE(torsor_trajectory, evaluate);

namespace torsor::sdk::detail {

TORSOR_SDK_MEMBER(describe)

template <class P>
torsor_status describe_motion(const torsor_plugin* p, torsor_motion* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&]() -> torsor_status {
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
  return guarded(adapter.host, [&] { return adapter.plugin.evaluate(t, order, work, out); });
}
template <class P>
constexpr bool offers_description = has_member<const P, Call_describe, void, torsor_motion&>();
template <class P>
constexpr bool offers_motion =
    has_member<const P, Call_evaluate, torsor_status, double, int, double*, double*>();
template <class P>
constexpr torsor_trajectory make_trajectory() {
  torsor_trajectory table{};
  table.struct_size = sizeof(torsor_trajectory);
  if constexpr (offers_description<P>) table.describe = &describe_motion<P>;
  if constexpr (offers_motion<P>) table.evaluate = &evaluate_motion<P>;
  return table;
}

struct TrajectoryInterface {
  static constexpr std::string_view kind = "trajectory";
  static constexpr const char* id = TORSOR_TRAJECTORY;
  template <class P>
  static constexpr torsor_trajectory table = make_trajectory<P>();
  template <class P>
  static constexpr bool is_offered() {
    static_assert(offers_description<P> && offers_motion<P>,
                  "a trajectory offers describe and evaluate");
    return true;
  }
};

}  // namespace torsor::sdk::detail
