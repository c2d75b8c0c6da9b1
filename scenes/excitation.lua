-- An RX-90 with dry friction follows sums of waves that excite its parameters. The motion repeats
-- every two seconds. `torsor identify recordings/excitation.h5` estimates the base parameters from
-- q, v, vdot and the torques.
local torsor = require "torsor"

local p = torsor.params{ frequency = 0.5 }

local arm = require("robots.rx90").build{ damping = {8, 8, 6, 2, 1.5, 1}, coulomb = {6, 7, 5, 2, 1.5, 1} }
local waves = arm:trajectory("fourier", {
  frequency = p.frequency,
  center = {0, -0.8, 1.2, 0, 0.5, 0},
  sine = { {0.5, -0.2, 0.1}, {0.3, 0.1, -0.1}, {-0.3, 0.2, 0.1}, {0.6, 0.3, -0.2}, {0.4, -0.3, 0.1}, {0.8, 0.2, 0.3} },
  cosine = { {0.2, 0.1, 0}, {-0.1, 0.2, 0.1}, {0.2, 0.1, -0.1}, {-0.3, 0.2, 0.1}, {0.2, 0.1, 0.2}, {0.1, -0.4, 0.2} },
})
arm:set{ q = waves:at(0).q, v = waves:at(0).v }
arm:control("computed_torque", { name = "control", reference = waves, frequency = 15, model_at = "desired" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = 4,
  record = { "rx90.q", "rx90.v", "rx90.vdot", "rx90.tau", "rx90.control.error", "energy" },
  record_interval = 0.01,
}
