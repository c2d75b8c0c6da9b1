-- The flange of an iiwa passes four poses and returns to the first one. path=pose_spline is a
-- spline with continuous acceleration, at the constant speed p.speed. path=pose_lines consists of
-- straight lines, which blends join within p.blend of the poses. After a pause of 0.3 s, a straight
-- line leads back: torsor.sequence joins the three. Draw the trail of link7 in the window, or plot
-- iiwa.twist.link7. by=joints follows the same motion by inverse kinematics and computed torque
-- instead of a task-space law.
local torsor = require "torsor"

local p = torsor.params{ path = "pose_spline", by = "task", speed = 0.25, blend = 0.05 }

local down = {180, 0, 0}
local poses = {
  { xyz = {0.45, 0.25, 0.35}, rpy_deg = down },
  { xyz = {0.55, 0.15, 0.5}, rpy_deg = {180, 25, 0} },
  { xyz = {0.6, -0.1, 0.5}, rpy_deg = {160, 25, -40} },
  { xyz = {0.45, -0.3, 0.35}, rpy_deg = {180, 0, -40} },
}

local arm = require("robots.iiwa").build{}
local options = { poses = poses, speed = p.speed, acceleration = 1.5 }
if p.path == "pose_lines" then options.blend = p.blend end
local path = arm:trajectory(p.path, options)
local back = arm:trajectory("straight_line", { from = poses[4], to = poses[1],
  law = "smooth_trapeze", speed = 0.6, acceleration = 2,
  angular_speed = 1.5, angular_acceleration = 4 })
local motion = torsor.sequence{ path, 0.3, back, smoothness = 2 }

local start = arm:inverse_kinematics{ frame = "link7", pose = poses[1],
  start = {0.5, 0.5, 0, -1.6, 0, 1, 0} }
arm:set{ q = start }

if p.by == "joints" then
  local d = arm:dynamics()
  local function joints(t)
    local at = motion:at(t)
    local q = arm:inverse_kinematics{ frame = "link7", pose = at.pose, start = start }
    local v, vdot = d:joint_rates{ frame = "link7", q = q,
      twist = at.twist, acceleration = at.twist_dot }
    return { q = q, v = v, vdot = vdot }
  end
  arm:control("computed_torque",
    { name = "law", reference = joints, frequency = 20, rate = 500 })
else
  arm:control("resolved_acceleration", {
    name = "law", frame = "link7", reference = motion, rate = 1000,
    kp = 100, kd = 20, kp_rotation = 100, kd_rotation = 20,
    posture = start, posture_stiffness = 10, posture_damping = 6 })
end

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = math.ceil(motion.duration * 10) / 10 + 0.2,
  record = { "iiwa.q", "iiwa.law.error", "iiwa.pose.link7", "iiwa.twist.link7", "iiwa.tau",
    "energy" },
  record_interval = 0.01,
}
