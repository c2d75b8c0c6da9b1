-- A chain of n point masses swings in the x-y plane without friction. The change of its energy is
-- the error of the integrator.
local torsor = require "torsor"

local p = torsor.params{ n = 5, length = 0.4, mass = 0.5 }

local chain = require("robots.planar").build{ n = p.n, lengths = p.length, masses = p.mass }
chain:set{ q = { joint1 = -0.8 } }

local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(chain)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 4,
  record = { "planar.q", "planar.pose.tip" .. p.n, "energy" },
  record_interval = 0.01,
}
