-- A KUKA iiwa finds the torques that bring its flange to a point in a second and rests there, by iLQR over the integrator's own steps. Look at
-- the printed lines: the cost falls in each; and at iiwa.pose.link7, which comes to the target as planned. Try --set y=-0.4, limit=80 (a
-- bound on the torques), or integrator=implicit_midpoint.
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
