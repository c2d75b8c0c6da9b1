-- An RX-90 with its motors off; force.@NAME@ pulls its wrist to a point.
local torsor = require "torsor"

local arm = require("robots.rx90").build{}
arm:set{ q = {0, 0.3, 1.2, 0, 0.4, 0} }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)
world:force("@NAME@", { frame = "link6", point = {0.3, 0.2, 0.9}, stiffness = 400, damping = 20 })

return world:experiment{
  solver = "newton_euler",
  integrator = { "rk4", dt = 1e-3 },
  duration = 2,
  record = { "rx90.q", "rx90.v", "energy" },
}
