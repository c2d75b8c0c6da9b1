-- A KUKA iiwa swings freely with solver.@NAME@, which is compared with a shipped solver ten times
-- per second.
local torsor = require "torsor"

torsor.plugins{ "@NAME@.lua" }  -- NAME.lua in the folder of this file

local arm = require("robots.iiwa").build{}
arm:set{ q = {0.3, 0.8, -0.4, 1.0, 0.5, -0.7, 0.2} }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "@NAME@",
  compare = { "articulated_body" },
  integrator = { "rk4", dt = 1e-3 },
  duration = 0.5,
  record = { "iiwa.q", "iiwa.v", "energy", "compare.vdot" },
  record_interval = 0.1,
}
