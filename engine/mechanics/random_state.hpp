#pragma once
// Random states of a model, with velocity, applied wrenches and gravity in any direction.

#include "torsor/mechanics/state.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor {

inline void add_random_wrenches(Random& random, State& state) {
  for (const Frame& frame : state.model().frames)
    if (random.below(3) == 0) state.add_wrench(frame, {random.vector(5), random.vector(20)});
}

// Returns a random state without wrenches. The position is within 3 rad or 3 m of the neutral one.
// Velocities are up to 2, and gravity is up to 10 m/s^2 per component.
inline State random_state(std::shared_ptr<const Model> model, Random& random) {
  State state(model);
  state.set_q(random_position(random, *model, 3));
  state.v = random_values(random, model->n_v, 2);
  state.set_gravity(random.vector(10));
  return state;
}

}  // namespace torsor
