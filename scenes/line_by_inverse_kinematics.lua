-- An arm follows a straight line in space by joint control. Inverse kinematics converts each pose
-- of the line to joint positions, and its twist and acceleration to v and vdot (KHALIL 9.18-9.21).
-- The signal rx90.pose.link6.z stays at the height of the line. See also rx90.control.error.
local torsor = require "torsor"

local p = torsor.params{ frequency = 20 }

local arm = require("robots.rx90").build{}
local start = {0.2, 0.9, 0.9, 0.1, 0.9, 0.2}
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

local d = arm:dynamics()
local from = d:pose("link6", start)
local to = { xyz = { from.xyz[1] + 0.1, from.xyz[2] - 0.3, from.xyz[3] }, rotation = from.rotation }
local line = arm:trajectory("straight_line", { from = from, to = to, duration = 1, law = "quintic" })

local function joints(t)
  local at = line:at(t)
  local q = arm:inverse_kinematics{ frame = "link6", pose = at.pose, start = start }
  local v, vdot = d:joint_rates{ frame = "link6", q = q, twist = at.twist, acceleration = at.twist_dot }
  return { q = q, v = v, vdot = vdot }
end

arm:set{ q = start }
arm:control("computed_torque", { name = "control", reference = joints, frequency = p.frequency, rate = 1000 })

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1.3,
  record = { "rx90.q", "rx90.control.error", "rx90.pose.link6", "rx90.tau", "energy" },
  record_interval = 0.01,
}
