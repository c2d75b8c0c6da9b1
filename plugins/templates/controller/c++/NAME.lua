-- An RX-90 moves to a position with controller.@NAME@, sampled a thousand times per second.
local torsor = require "torsor"

local arm = require("robots.rx90").build{}
arm:set{ q = {0, 0.3, 1.2, 0, 0.4, 0} }
arm:control("@NAME@", { reference = { q = {1, 0.9, 0.6, 0.5, -0.3, 0.8} }, kp = 400, kd = 60, rate = 1000 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "newton_euler",
  integrator = { "rk4", dt = 1e-3 },
  duration = 3,
  record = { "rx90.q", "rx90.@NAME@.error", "rx90.@NAME@.gravity", "rx90.tau", "energy" },
}
