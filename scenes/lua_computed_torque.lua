-- Computed torque in ten lines of Lua (KHALIL 9.22-9.24). An iiwa moves along a quintic to a pose
-- that inverse kinematics converts to joint angles. Compare iiwa.q with the printed goal. If you
-- set kp=0 and kd=0, it drifts, because torques are constant for a millisecond at a time. If you
-- set model_mass=0.9, the controller assumes lighter links.
local torsor = require "torsor"

local p = torsor.params{ duration = 1.5, kp = 400, kd = 40, rate = 1000, model_mass = 1 }

local iiwa = require "robots.iiwa"
local arm = iiwa.build{ damping = 0 }
local start = {0, 0.4, 0, -1.2, 0, 0.9, 0}
arm:set{ q = start }
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

local goal = arm:inverse_kinematics{
  frame = "link7", start = start, pose = { xyz = {0.3, 0.4, 0.35}, rpy_deg = {170, 20, 30} },
}
print(string.format("goal: %.4f %.4f %.4f %.4f %.4f %.4f %.4f", table.unpack(goal)))

-- The nominal model of the controller: gravity, and therefore all weights, are multiplied by
-- model_mass.
local d = arm:dynamics{ solver = "newton_euler", gravity = {0, 0, -9.81 * p.model_mass} }

local path = d:difference(start, goal)
local function quintic(t)  -- returns s, ds/dt, d2s/dt2 (KHALIL 8.11)
  local T, x = p.duration, math.min(t / p.duration, 1)
  return x^3 * (10 - 15 * x + 6 * x^2), 30 * x^2 * (1 - x)^2 / T, 60 * x * (1 - 3 * x + 2 * x^2) / T^2
end

arm:control(function(t, state)
  local q, v = state.q, state.v
  local s, ds, dds = quintic(t)
  local w = {}
  for k = 1, #q do
    w[k] = path[k] * dds + p.kd * (path[k] * ds - v[k]) + p.kp * (start[k] + path[k] * s - q[k])
  end
  return d:inverse(q, v, w)
end, { rate = p.rate })

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 2,
  record = { "iiwa.q", "iiwa.v", "iiwa.tau", "iiwa.pose.link7", "energy" },
}
