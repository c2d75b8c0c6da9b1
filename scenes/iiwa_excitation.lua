-- An iiwa follows a motion that excites its parameters: Fourier series that minimise the condition
-- number of the equations of identification within limits of position, speed and acceleration. A
-- period takes ten seconds. `torsor identify recordings/iiwa_excitation.h5 --from-positions`
-- estimates the base parameters from q and the torques alone.
local torsor = require "torsor"

local p = torsor.params{ frequency = 0.1, evaluations = 200, payload = 0 }

local arm = require("robots.iiwa").build{ payload = p.payload }
local excite = arm:exciting_motion{
  frequency = p.frequency, velocity = 1.5, acceleration = 5, evaluations = p.evaluations,
}
local waves = arm:trajectory("fourier", excite.parameters)
arm:set{ q = waves:at(0).q }
arm:control("computed_torque", { name = "control", reference = waves, frequency = 15, model_at = "desired" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = 10,
  record = { "iiwa.q", "iiwa.v", "iiwa.vdot", "iiwa.tau", "iiwa.control.error", "energy" },
  record_interval = 2e-3,
}
