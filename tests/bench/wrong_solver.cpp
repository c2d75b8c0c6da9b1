// Two faulty solvers for tests: one returns tau = vdot, the other fails in every call.

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

struct Failing {
  static constexpr const char *id = "solver.failing", *version = "1.0", *summary = "has no result";
  void prepare(const torsor_model&, torsor_sizes&) {}
  torsor_status inverse(const torsor_model&, const torsor_state&, const double*, double*,
                        double*) const {
    return TORSOR_STATUS(TORSOR_INTERNAL, 1);
  }
};

}  // namespace

TORSOR_PLUGINS(Wrong, Failing)
