#pragma once
// Payloads: rigid bodies that a mechanism carries for a while.

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// A rigid body that becomes one with the body of a frame, and leaves it. Attaching keeps the
// momentum of both: the payload had a twist of its own until then, and what their impact takes of
// the kinetic energy is lost. At time 0 it is there already.
struct Payload {
  int frame;                         // of Model::frames
  SpatialInertia<double> inertia_F;  // about the frame's origin in its axes
  double attach = 0, release = std::numeric_limits<double>::infinity();  // s
  // Before it is attached: in the world's axes, of its point at the frame's origin.
  Twist<double> V_WP{{0, 0, 0}, {0, 0, 0}};
  std::string name = "payload";

  bool is_on(double t) const { return attach <= t && t < release; }
};

// Throws Error for one that no run could carry: on a frame fixed in the world, released before it
// is attached.
void check(const Model& model, std::span<const Payload> payloads);

// The times > 0 at which one comes or goes, ascending.
std::vector<double> changes(std::span<const Payload> payloads);

// With times that are one but for rounding made one, and the end of a step of dt where they are
// that.
std::vector<Payload> whole_steps(std::vector<Payload> payloads, double dt);

// The models from time to time of these, [changes + 1]: with the payloads that are on then. Throws
// Error as check().
std::vector<std::shared_ptr<const Model>> laden_models(const std::shared_ptr<const Model>& model,
                                                       std::span<const Payload> payloads);

}  // namespace torsor
