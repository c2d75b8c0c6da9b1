-- An iiwa follows a quintic by PID control of each joint, with gains from a resonance frequency
-- (KHALIL 9.10). The gains match one inertia only, so iiwa.pid.error is large while the arm
-- accelerates. At the end, the integral removes the error.
local torsor = require "torsor"

local p = torsor.params{ resonance = 60, duration = 1.5 }

local arm = require("robots.iiwa").build{}
local move = arm:trajectory("quintic", {
  from = {0, 0.3, 0, -1.2, 0, 0.8, 0}, to = {0.8, 0.9, -0.4, -0.6, 0.5, 0.3, 1}, duration = p.duration })
arm:set{ q = move:at(0).q }
arm:control("pid", { reference = move, resonance = p.resonance, rate = 2000, max_torque = 300 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = p.duration + 1.5,
  record = { "iiwa.q", "iiwa.pid.error", "iiwa.pid.integral", "iiwa.tau", "energy" },
  record_interval = 0.01,
}
