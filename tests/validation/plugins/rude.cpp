// A plugin on the plain C tables that throws an exception across them. It also exports a unique
// symbol, which keeps the loader from unloading the file.
#include <cstring>
#include <stdexcept>

#include "torsor/sdk/ext/solver.h"

template <class T>
struct Shared {
  static inline int count = 0;
};

namespace {

torsor_status inverse(const torsor_plugin*, const torsor_model*, const torsor_state*, const double*,
                      double*, double*) {
  ++Shared<int>::count;
  throw std::runtime_error("boom");
}
const torsor_solver table = [] {
  torsor_solver out{};
  out.struct_size = sizeof out;
  out.inverse = inverse;
  return out;
}();
torsor_plugin plugin = {
    sizeof plugin,
    nullptr,
    [](torsor_plugin*, uint32_t, const double*, uint32_t) -> torsor_status { return TORSOR_OK; },
    nullptr,
    [](torsor_plugin*, const torsor_model*, torsor_sizes*) -> torsor_status { return TORSOR_OK; },
    [](const torsor_plugin*, const char* id) -> const void* {
      return std::strcmp(id, TORSOR_SOLVER) == 0 ? &table : nullptr;
    },
    [](torsor_plugin*) {}};
const torsor_descriptor descriptor = {sizeof descriptor,
                                      "solver.rude",
                                      "1.0",
                                      "throws across the boundary",
                                      "",
                                      0,
                                      nullptr,
                                      [](const torsor_host*) { return &plugin; }};
const torsor_descriptor* const descriptors[] = {&descriptor};
const torsor_entry entry = {TORSOR_ABI_MAJOR, TORSOR_ABI_MINOR, 1, descriptors};

}  // namespace

extern "C" TORSOR_EXPORT const torsor_entry* torsor_plugin_entry(void) {
  return &entry;
}
