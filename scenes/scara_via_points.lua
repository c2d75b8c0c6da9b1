-- A SCARA moves through given positions at given times along a quintic spline. A control imitates a
-- stiff spring and a damper at each joint. The curve of scara.tau has no corners. The option --set
-- law=cubic_spline produces corners.
local torsor = require "torsor"

local p = torsor.params{ law = "quintic_spline", payload = 2.0 }

local arm = require("robots.scara").build{ payload = p.payload }
local move = arm:trajectory(p.law, { path = {
  { 0,   { joint1 = 0.3, joint2 = -0.8 } },
  { 0.5, { joint1 = 0.9, joint2 = 0.1, joint3 = 0.02, joint4 = 1 } },
  { 0.9, { joint1 = 1.2, joint2 = 0.9, joint3 = 0.08, joint4 = 2 } },
  { 1.2, { joint1 = 1.2, joint2 = 0.9, joint3 = 0.15, joint4 = 2 } },
} })
local weight = 9.81 * (1.2 + 0.4 + p.payload)  -- spindle, tool and payload; joint 3 moves down

arm:set{ q = move:at(0).q }
arm:control(function(t, state, at)
  local tau = {0, 0, -weight, 0}
  local stiffness, damping = {4000, 2000, 20000, 40}, {200, 80, 800, 2}
  for j = 1, 4 do
    tau[j] = tau[j] + stiffness[j] * (at.q[j] - state.q[j]) + damping[j] * (at.v[j] - state.v[j])
  end
  return tau
end, { rate = 1000, reference = move })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = move.duration + 0.3,
  record = { "scara.q", "scara.v", "scara.tau", "scara.pose.tool", "energy" },
  record_interval = 0.01,
}
