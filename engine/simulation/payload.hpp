#pragma once
// Payloads: rigid bodies that are attached to a mechanism for part of a run.

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// A rigid body that is attached to the body of a frame at one time and released later. Before it is
// attached, the payload has its own twist V_WP. Attaching conserves momentum and is an impact that
// dissipates kinetic energy. A payload with attach = 0 is present from the start, without an
// impact.
struct Payload {
  int frame;                         // index in Model::frames
  SpatialInertia<double> inertia_F;  // about the frame's origin, in the frame's axes
  double attach = 0, release = std::numeric_limits<double>::infinity();  // s
  // Twist (omega, v) before the payload is attached, in the axes of the world. v is the velocity of
  // the payload's point at the frame's origin.
  Twist<double> V_WP{{0, 0, 0}, {0, 0, 0}};
  std::string name = "payload";

  bool is_on(double t) const { return attach <= t && t < release; }
};

// Throws Error if a payload's frame is fixed in the world, if it is attached before time 0, or if
// it is not released after it is attached.
void check(const Model& model, std::span<const Payload> payloads);

// Returns the times t > 0, s, at which a payload is attached or released, ascending.
std::vector<double> changes(std::span<const Payload> payloads);

// Returns the payloads with consistent times. Times that are equal up to rounding become identical.
// A time that is equal to the end of a step of dt up to rounding becomes exactly this end.
std::vector<Payload> round_to_steps(std::vector<Payload> payloads, double dt);

// Returns the models of a run, [changes + 1]. Each includes the payloads that are attached in its
// interval between changes. Throws Error under the same conditions as check().
std::vector<std::shared_ptr<const Model>> laden_models(const std::shared_ptr<const Model>& model,
                                                       std::span<const Payload> payloads);

}  // namespace torsor
