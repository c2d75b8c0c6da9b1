#include "torsor/spatial/sincos.h"

#include "torsor/base/processor.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

// A portable build contains the loop for each level of the processor. The attribute flatten inlines
// the functions of sincos.h, so that they are compiled for this level too.
#if defined(__x86_64__) && !defined(__AVX2__)

namespace {

using Function = void (*)(int, const double*, double*, double*);

void for_every_processor(int n, const double* angle, double* sine, double* cosine) {
  torsor_sincos(n, angle, sine, cosine);
}
[[gnu::target("arch=x86-64-v3"), gnu::flatten]] void for_v3(int n, const double* angle,
                                                            double* sine, double* cosine) {
  torsor_sincos(n, angle, sine, cosine);
}
[[gnu::target("arch=x86-64-v4"), gnu::flatten]] void for_v4(int n, const double* angle,
                                                            double* sine, double* cosine) {
  torsor_sincos(n, angle, sine, cosine);
}

constexpr Function functions[] = {for_every_processor, for_v3, for_v4};

}  // namespace

void sines_and_cosines(int n, const double* angle, double* sine, double* cosine) {
  static const Function function = functions[processor_level()];
  function(n, angle, sine, cosine);
}

#else

void sines_and_cosines(int n, const double* angle, double* sine, double* cosine) {
  torsor_sincos(n, angle, sine, cosine);
}

#endif

}  // namespace torsor
