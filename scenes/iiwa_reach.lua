-- iLQR finds the torques that bring the flange of a KUKA iiwa to a point in one second and to rest
-- there. It plans with the steps of the integrator. The cost decreases in each printed line, and
-- iiwa.pose.link7 reaches the target. Try --set y=-0.4, limit=80 (a bound on the torques), or
-- integrator=implicit_midpoint.
local torsor = require "torsor"
local planning = require "planning"

local p = torsor.params{ x = 0.4, y = 0.4, z = 0.3, limit = 200, dt = 0.01, integrator = "rk4" }

local arm = require("robots.iiwa").build()
arm:set{ q = { joint2 = 0.4, joint4 = -0.9, joint6 = 0.3 } }
local world = torsor.world()
world:add(arm)

local plan = torsor.ilqr{
  robot = arm, frame = "link7", target = {p.x, p.y, p.z},
  duration = 1, dt = p.dt, integrator = p.integrator, solver = "newton_euler",
  effort_weight = 1e-4, limit = p.limit,
}
planning.report(plan)
planning.follow(arm, plan)

return world:experiment{
  solver = "newton_euler", integrator = { p.integrator, dt = p.dt }, duration = 1,
  record = { "iiwa.q", "iiwa.v", "iiwa.tau", "iiwa.pose.link7", "energy" },
}
