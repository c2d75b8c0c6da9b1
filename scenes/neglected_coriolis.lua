-- Neglect of Coriolis and centrifugal terms (KHALIL 7.5.1). An RX-90 moves along a quintic by
-- computed torque, with the complete model or without C v. A study compares three durations. The
-- peak error without C v is nearly four times as large at twice the speed, like C v itself, and
-- 200 to 500 times that of the complete model, which is due to sampling. The printed lines give the
-- largest part of C v in the torque of each joint, and how often its neglect changes the sign of a
-- torque. Joints that carry no weight (1 and 4) need the same part of C v at every speed, because
-- inertial torques grow with the square of the speed too: C v is not an effect of high speeds only.
-- Look at rx90.law.error, and compare rx90.coriolis and rx90.centrifugal with rx90.inertial.
--   ./torsor study scenes/neglected_coriolis.lua
--   ./torsor run scenes/neglected_coriolis.lua --set coriolis=false
--   ./torsor plot recordings/neglected_coriolis.h5
--     --signals rx90.law.error,rx90.inertial,rx90.coriolis,rx90.centrifugal --out coriolis.svg
local torsor = require "torsor"

local p = torsor.params{
  coriolis = torsor.choice{ true, false }, duration = torsor.choice{ 1.0, 2.0, 0.5 }, frequency = 30,
}

local arm = require("robots.rx90").build{}
local from, to = {-1, 0.2, 0.6, 0, 0.3, 0}, {1, 1.2, 1.8, 0.8, -0.5, 0.6}
local move = arm:trajectory("quintic", { from = from, to = to, duration = p.duration })
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)
arm:set{ q = from }

local d = arm:dynamics{ solver = "newton_euler" }
local rest = {0, 0, 0, 0, 0, 0}

-- Prints the largest part of C v, relative to the largest torque of the motion, for each joint.
local largest, part, signs, samples = {}, {}, 0, 200
for i = 0, samples do
  local at = move:at(i / samples * p.duration)
  local tau, without = d:inverse(at.q, at.v, at.vdot), d:inverse(at.q, rest, at.vdot)
  for k = 1, 6 do
    largest[k] = math.max(largest[k] or 0, math.abs(tau[k]))
    part[k] = math.max(part[k] or 0, math.abs(tau[k] - without[k]))
    if tau[k] * without[k] < 0 then signs = signs + 1 end
  end
end
local line = ""
for k = 1, 6 do line = line .. string.format(" %5.1f", 100 * part[k] / largest[k]) end
print(string.format("%.3g s: C v is up to%s %% of the torque; wrong sign in %.1f %% of the samples",
  p.duration, line, 100 * signs / (6 * (samples + 1))))

arm:control(function(t, state, ref)
  local e, acceleration = d:difference(state.q, ref.q), {}
  for k = 1, 6 do
    acceleration[k] = ref.vdot[k] + p.frequency^2 * e[k] + 2 * p.frequency * (ref.v[k] - state.v[k])
  end
  return d:inverse(state.q, p.coriolis and state.v or rest, acceleration)
end, { name = "law", reference = move, rate = 2000 })

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = p.duration + 0.5,
  record = { "rx90.q", "rx90.law.error", "rx90.tau", "rx90.inertial", "rx90.coriolis", "rx90.centrifugal",
             "rx90.gravity", "energy" },
  record_interval = 2e-3,
  metrics = true,
}
