-- A quadruped stands on four ball feet, is pushed from the side at 0.5 s, and returns to its place.
-- The controller whole_body computes the torques and the contact forces from a quadratic program.
-- The forces stay within the friction cones, so that no foot slips. The parameter push is a force
-- in N for 0.2 s, direction_deg its direction from +x, and mu the friction that the controller
-- relies on. A push of 100 N from the side is more than the feet can hold, and the quadruped falls.
local torsor = require "torsor"
local quadruped = require "robots.quadruped"

local p = torsor.params{ push = 60, direction_deg = 90, mu = 0.6 }

local robot, stand, feet = quadruped.build{ mu = 0.8 }
robot:set{ q = stand }
robot:control("whole_body", {
  name = "law", rate = 500, reference = { q = stand },
  feet = feet, radius = quadruped.foot_radius, mu = p.mu, sides = 8,
  base_kp = 100, base_kd = 20, kp = 50, kd = 10,
})
local angle = math.rad(p.direction_deg)
robot:apply{ wrenches = { trunk = function(t)
  local push = t >= 0.5 and t < 0.7 and p.push or 0
  return { force = {push * math.cos(angle), push * math.sin(angle), 0} }
end } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = 0.8 }
world:add(robot)

return world:experiment{
  solver = "articulated_body",
  integrator = { "time_stepping", dt = 1e-3 },
  duration = 2.5,
  record = { "quadruped.q", "quadruped.v", "quadruped.tau", "quadruped.law.error", "quadruped.law.contact", "energy" },
  record_interval = 0.01,
}
