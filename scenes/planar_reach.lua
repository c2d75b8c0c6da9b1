-- Five links hang at rest. iLQR finds the torques that bring the tip to a point in one second, and
-- the chain moves as planned. The cost decreases in each printed line, and the last error is below
-- a millimetre. In the recording, planar.pose.tip5 reaches the target and planar.v reaches zero.
-- Try --set x=-0.5 --set y=0.2, n=8, or limit=2 (a bound on the torques).
local torsor = require "torsor"
local planning = require "planning"

local p = torsor.params{ n = 5, x = 0.3, y = 0.6, limit = 100, dt = 0.01 }

local chain = require("robots.planar").build{ n = p.n, lengths = 1 / p.n, masses = 1 / p.n }
chain:set{ q = { joint1 = -math.pi / 2 } }
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(chain)

local plan = torsor.ilqr{
  robot = chain, frame = "tip" .. p.n, target = {p.x, p.y, 0},
  duration = 1, dt = p.dt, solver = "planar_lagrange", limit = p.limit,
}
planning.report(plan)
planning.follow(chain, plan)

return world:experiment{
  solver = "planar_lagrange", integrator = { "euler", dt = p.dt }, duration = 1,
  record = { "planar.q", "planar.v", "planar.tau", "planar.pose.tip" .. p.n, "energy" },
  energy_tolerance = 0.05,  -- Euler steps of 10 ms, as in the plan, have an energy error of 2 %
}
