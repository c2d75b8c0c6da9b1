// Solvers that throw an exception: when they are created, in prepare, and in a hot call.
#include "torsor/sdk/torsor_plugin.hpp"

namespace {

struct Base {
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "throws";
  torsor_status inverse(const torsor_model&, const torsor_state&, const double*, double*,
                        double*) const {
    throw std::runtime_error("thrown in a hot call");
  }
};
struct InPrepare : Base {
  static constexpr const char* id = "solver.throws_in_prepare";
  void prepare(const torsor_model&, torsor_sizes&) { throw std::out_of_range("no such\nentry"); }
};
struct InCreate : Base {
  static constexpr const char* id = "solver.throws_in_create";
  InCreate() { throw 42; }
};
struct InInverse : Base {
  static constexpr const char* id = "solver.throws_in_inverse";
};

}  // namespace

TORSOR_PLUGINS(InPrepare, InCreate, InInverse)
