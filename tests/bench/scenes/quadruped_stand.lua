-- A quadruped stands on four ball feet. Springs and dampers hold its joints, so that every
-- simulator computes the same motion.
local torsor = require "torsor"
local quadruped = require "robots.quadruped"

local robot, stand = quadruped.build{ mu = 0.8, stiffness = 400, damping = 20 }
robot:set{ q = stand }
local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = 0.8 }
world:add(robot)
return world:experiment{
  solver = "articulated_body", integrator = { "time_stepping", dt = 1e-3 }, duration = 4,
  record = { "quadruped.q", "energy" }, record_interval = 0.01,
}
