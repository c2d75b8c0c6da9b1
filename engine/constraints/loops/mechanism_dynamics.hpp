#pragma once
// The dynamics of a closed mechanism for controllers (DynamicsService).

#include "torsor/handles/dynamics_service.hpp"

namespace torsor {

// Returns the dynamics of a mechanism with closures, or an empty function if the model has none.
// Torques act at the actuated dof. The accelerations of inverse dynamics are those of the actuated
// dof; the other entries follow (ConstrainedDynamics::follow()). If the loops of a position are
// open, for example those of a reference, they are closed first, with the actuated dof held.
MechanismDynamics mechanism_dynamics(const Model& model);

}  // namespace torsor
