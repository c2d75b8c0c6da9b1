#pragma once
// Distances and contacts as JSON, for `torsor eval`.

#include <nlohmann/json_fwd.hpp>

#include "torsor/contact/contact_detector.hpp"

namespace torsor::cli {

// Returns { distance, a, b, point_a, point_b, normal }, or null if no pair may collide.
nlohmann::ordered_json least_distance_json(ContactDetector& detector, const State& state);

// Returns a list of { a, b, mu, restitution, torsional, rolling, stiffness, damping, points }.
nlohmann::ordered_json contacts_json(ContactDetector& detector, const State& state);

}  // namespace torsor::cli
