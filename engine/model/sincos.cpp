#include "torsor/spatial/sincos.h"

#include "torsor/model/model.hpp"

namespace torsor {

void sines_and_cosines(int n, const double* angle, double* sine, double* cosine) {
  torsor_sincos(n, angle, sine, cosine);
}

}  // namespace torsor
