-- The iiwa swings as in iiwa_free_swing.lua. On every recorded row, three other solvers compute the
-- same state.
local torsor = require "torsor"

local p = torsor.params{ duration = 2.0 }

local arm = require("robots.iiwa").build{}
arm:set{ q = {0.3, 0.8, -0.4, 1.0, 0.5, -0.7, 0.2} }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body", compare = { "newton_euler", "lie_group", "lagrange_christoffel" },
  integrator = { "rk4", dt = 1e-3 },
  duration = p.duration,
  record = { "iiwa.q", "compare.vdot", "compare.tau", "compare.M", "compare.Cv", "compare.Mdot", "energy" },
  record_interval = 0.01,
}
