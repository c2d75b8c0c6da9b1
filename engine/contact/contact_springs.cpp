#include "torsor/contact/contact_springs.hpp"

#include "torsor/model/model.hpp"

namespace torsor {

double ContactSprings::energy(const State& state) {
  double out = 0;
  for (const Contact& contact : detector_.detect(state)) {
    const double k = contact_material(detector_.model(), contact.a, contact.b).stiffness;
    if (!(k > 0)) continue;
    for (const ContactPoint& point : contact.list()) out += k / 2 * point.gap * point.gap;
  }
  return out;
}

}  // namespace torsor
