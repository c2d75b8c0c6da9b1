-- A biped steps in place and withstands a push from behind. The trunk sways by y(t) = Y sin(w t),
-- so that the zero-moment point of a point mass at the height h,
--   y_0 = y - h / g yddot = Y (1 + h w^2 / g) sin(w t),
-- is within the sole on the ground whenever the other foot is in the air. The controller whole_body
-- tracks the centre of mass of this motion, and places the feet by the error of its velocity. The
-- parameter push is a force in N for 0.1 s, direction_deg its direction from +x, and height that of
-- the steps in m.
local torsor = require "torsor"
local biped = require "robots.biped"

local p = torsor.params{ push = 40, direction_deg = 0, height = 0.04 }

local period, bend = 1.2, 0.4
local w = 2 * math.pi / period
local robot = biped.build{}

-- The zero-moment point moves between -0.13 m and 0.13 m. The middle of the soles is at 0.1 m, and
-- their inner edges at 0.05 m, which it passes at the share 0.063 of the period.
local amplitude = 0.13 / (1 + 0.75 * w ^ 2 / 9.81)
local ramp_end = period
local function motion(t)
  local x = math.min(t / ramp_end, 1)
  local r, rdot, rddot = x ^ 3 * (10 + x * (6 * x - 15)), 30 * x ^ 2 * (1 - x) ^ 2 / ramp_end,
    60 * x * (1 - x) * (1 - 2 * x) / ramp_end ^ 2
  local s, c = amplitude * math.sin(w * t), amplitude * math.cos(w * t)
  return biped.sway(bend, r * s, rdot * s + r * w * c, rddot * s + 2 * rdot * w * c - r * w ^ 2 * s)
end

robot:set{ q = motion(0).q }
robot:control("whole_body", {
  name = "law", rate = 500, reference = motion,
  feet = { "left_sole", "right_sole" }, sole = {0.18, 0.08}, mu = 0.6, sides = 8,
  base_weight = {10, 10, 10, 0, 0, 0}, com_weight = 10, com_kp = 40, com_kd = 12,
  period = period, stance = 0.66, phase = {0.92, 0.42}, start = ramp_end,
  step_height = p.height, step_gain = 0.15,
})
local angle = math.rad(p.direction_deg)
robot:apply{ wrenches = { trunk = function(t)
  local push = t >= 2.5 and t < 2.6 and p.push or 0
  return { force = {push * math.cos(angle), push * math.sin(angle), 0} }
end } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = 0.8 }
world:add(robot)

return world:experiment{
  solver = "articulated_body",
  integrator = { "time_stepping", dt = 1e-3 },
  duration = 5,
  record = { "biped.q", "biped.v", "biped.tau", "biped.law.error", "biped.pose.left_sole", "biped.pose.right_sole", "energy" },
  record_interval = 0.01,
}
