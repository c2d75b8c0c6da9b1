#include "torsor/cli/eval/eval_contacts.hpp"

#include <nlohmann/json.hpp>

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
const std::string& collider_name(const State& state, int collider) {
  return state.model().colliders[size_t(collider)].name;
}

}  // namespace

Json least_distance_json(ContactDetector& detector, const State& state) {
  const auto least = detector.least_distance(state);
  if (!least) return nullptr;
  return {{"distance", least->distance},         {"a", collider_name(state, least->a)},
          {"b", collider_name(state, least->b)}, {"point_a", vector_json(least->p_A)},
          {"point_b", vector_json(least->p_B)},  {"normal", vector_json(least->n_W)}};
}

Json contacts_json(ContactDetector& detector, const State& state) {
  Json out = Json::array();
  for (const Contact& contact : detector.detect(state)) {
    const ContactMaterial material = contact_material(state.model(), contact.a, contact.b);
    Json points = Json::array();
    for (const ContactPoint& point : contact.list())
      points.push_back({{"position", vector_json(point.p_W)},
                        {"normal", vector_json(point.n_W)},
                        {"gap", point.gap}});
    out.push_back({{"a", collider_name(state, contact.a)},
                   {"b", collider_name(state, contact.b)},
                   {"mu", material.mu},
                   {"restitution", material.restitution},
                   {"torsional", material.torsional},
                   {"rolling", material.rolling},
                   {"stiffness", material.stiffness},
                   {"damping", material.damping},
                   {"points", std::move(points)}});
  }
  return out;
}

}  // namespace torsor::cli
