-- The RX-90 falls from a stretched position. The option --set parameters=base produces the same
-- motion from base parameters.
local torsor = require "torsor"

local p = torsor.params{ parameters = "standard" }

local arm = require("robots.rx90").build{ parameters = p.parameters, damping = {4, 4, 3, 1, 0.5, 0.3} }
arm:set{ q = { joint2 = 0.5, joint3 = 0.3, joint5 = -0.4 }, v = { joint1 = 0.5 } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "newton_euler",
  integrator = { "rk4", dt = 1e-3 },
  duration = 3,
  record = { "rx90.q", "rx90.tau", "energy" },
  record_interval = 0.01,
}
