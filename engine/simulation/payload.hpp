#pragma once
// Payloads: rigid bodies that a mechanism carries for part of a run.

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// A rigid body that is rigidly attached to the body of a frame and released later.
// Attaching conserves the momentum of both bodies. Until then the payload has a twist of its own,
// and the impact dissipates kinetic energy. A payload with attach = 0 is present from the start,
// without an impact.
struct Payload {
  int frame;                         // index in Model::frames
  SpatialInertia<double> inertia_F;  // about the frame's origin, in the frame's axes
  double attach = 0, release = std::numeric_limits<double>::infinity();  // s
  // Twist before it is attached, in the axes of the world, of the payload's point at the frame's
  // origin
  Twist<double> V_WP{{0, 0, 0}, {0, 0, 0}};
  std::string name = "payload";

  bool is_on(double t) const { return attach <= t && t < release; }
};

// Throws Error for an invalid payload: its frame is fixed in the world, it is attached before time
// 0, or it is released before it is attached.
void check(const Model& model, std::span<const Payload> payloads);

// Returns the times > 0 at which a payload is attached or released, ascending.
std::vector<double> changes(std::span<const Payload> payloads);

// Returns the payloads with their times made consistent. Times that are equal up to rounding become
// identical. A time at the end of a step of dt becomes exactly that end.
std::vector<Payload> whole_steps(std::vector<Payload> payloads, double dt);

// Returns the models between changes of payloads, [changes + 1], each with the payloads that are
// attached then. Throws Error as check().
std::vector<std::shared_ptr<const Model>> laden_models(const std::shared_ptr<const Model>& model,
                                                       std::span<const Payload> payloads);

}  // namespace torsor
