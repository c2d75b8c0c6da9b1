-- An RX-90 follows trajectory.@NAME@ between two positions with computed torque.
local torsor = require "torsor"

local from, to = {0, 0.3, 1.2, 0, 0.4, 0}, {1, 0.9, 0.6, 0.5, -0.3, 0.8}
local arm = require("robots.rx90").build{}
arm:set{ q = from }
local motion = arm:trajectory("@NAME@", { from = from, to = to, duration = 1.5 })
arm:control("computed_torque", { name = "control", reference = motion, frequency = 15 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "newton_euler",
  integrator = { "rk4", dt = 1e-3 },
  duration = 2,
  record = { "rx90.q", "rx90.v", "rx90.control.error", "rx90.tau", "energy" },
}
