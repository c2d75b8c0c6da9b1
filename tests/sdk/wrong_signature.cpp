// A plugin that must not compile. Its forward() lacks const, and without an error it would silently
// not be offered.
#include "torsor/sdk/torsor_plugin.hpp"

namespace {
struct Forgetful {
  static constexpr const char* id = "solver.forgetful";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "its forward lacks const";
  torsor_status inverse(const torsor_model&, const torsor_state&, const double*, double*,
                        double*) const {
    return TORSOR_OK;
  }
  torsor_status forward(const torsor_model&, const torsor_state&, const double*, double*, double*) {
    return TORSOR_OK;
  }
};
}  // namespace

TORSOR_PLUGINS(Forgetful)
