#include "torsor/contact/overlaps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/contact/contact_detector.hpp"

namespace torsor {

std::string deep_overlaps(const State& state) {
  constexpr double accepted = 0.02;  // part of half the thickness of the thinner shape
  constexpr size_t named = 3;
  const Model& model = state.model();
  ContactDetector detector(state.model_ptr());
  std::vector<Contact> deep;
  for (const Contact& contact : detector.detect(state)) {
    if (contact_material(model, contact.a, contact.b).is_compliant()) continue;
    const double size =
        std::min(detector.half_thickness(contact.a), detector.half_thickness(contact.b));
    if (contact.points[0].gap < -accepted * size) deep.push_back(contact);
  }
  if (deep.empty()) return "";
  std::ranges::stable_sort(deep, {}, [](const Contact& each) { return each.points[0].gap; });
  std::string out;
  for (size_t k = 0; k < std::min(named, deep.size()); ++k)
    out += fmt::format("{}{} by {:.3g} m", k > 0 ? ", " : "",
                       pair_names(model, deep[k].a, deep[k].b), -deep[k].points[0].gap);
  if (deep.size() > named) out += fmt::format(", and {} more pairs", deep.size() - named);
  return "shapes overlap: " + out;
}

}  // namespace torsor
