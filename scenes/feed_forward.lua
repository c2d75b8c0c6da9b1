-- Two control laws follow the same trajectory. The law "feed_forward" computes torques from the
-- model and adds a weak PD control. The law "pd_gravity" uses the same PD with gravity compensation
-- only. Compare their errors.
local torsor = require "torsor"

local p = torsor.params{ law = "feed_forward", kp = 200, kd = 20 }

local arm = require("robots.scara").build{ payload = 1 }
local move = arm:trajectory("septic", { from = {0, 0, 0.02, 0}, to = {1, 0.8, 0.12, 2}, duration = 0.8 })
arm:set{ q = move:at(0).q }
arm:control(p.law, { name = "law", reference = move, kp = p.kp, kd = p.kd, rate = 1000 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1.2,
  record = { "scara.q", "scara.law.error", "scara.tau", "energy" },
  record_interval = 0.005,
}
