// A solver whose mass matrix is the identity.

#include <algorithm>

#include "torsor/sdk/torsor_plugin.hpp"

namespace {

struct Wrong {
  static constexpr const char *id = "solver.wrong", *version = "1.0", *summary = "tau = vdot";
  void prepare(const torsor_model&, torsor_sizes&) {}
  torsor_status inverse(const torsor_model& model, const torsor_state&, const double* vdot, double*,
                        double* tau) const {
    std::copy_n(vdot, model.n_v, tau);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Wrong)
