-- The flange of an iiwa moves along a straight line and rotates, with one of three task-space laws.
-- resolved_acceleration is computed torque for the flange. operational_space uses the inertia at
-- the flange. task_pid acts like springs and dampers on the flange. The signal error is (rotation,
-- position) in world axes. For the first two laws it satisfies e'' + K_d e' + K_p e = 0. The arm
-- has one joint more than the task needs. The remaining freedom is controlled to a posture, or
-- damped. The option path=euler_line changes the Euler angles proportionally, instead of rotating
-- the flange about a fixed axis.
local torsor = require "torsor"

local p = torsor.params{ law = "resolved_acceleration", path = "straight_line" }

local arm = require("robots.iiwa").build{}
local line = arm:trajectory(p.path, {
  from = { xyz = {0.5, 0.1, 0.6}, rpy_deg = {160, 0, 0} }, to = { xyz = {0.5, -0.3, 0.5}, rpy_deg = {160, 0, 30} },
  duration = 2, law = "quintic" })

local start = arm:inverse_kinematics{ frame = "link7", pose = { xyz = {0.5, 0.1, 0.6}, rpy_deg = {160, 0, 0} },
  start = {0.1, 0.5, 0.2, -1.4, 0.1, 0.8, 0} }
start[2] = start[2] + 0.03                     -- rad: an initial error of joint 2
arm:set{ q = start }

local options = { name = "law", frame = "link7", reference = line, rate = 1000 }
if p.law == "task_pid" then
  options.kp, options.kd, options.kp_rotation, options.kd_rotation, options.damping = 2000, 120, 60, 4, 2
elseif p.law == "resolved_acceleration" or p.law == "operational_space" then
  options.kp, options.kd, options.kp_rotation, options.kd_rotation = 100, 20, 100, 20
  options.posture = {0, 0.5, 0, -1.4, 0, 0.8, 0}
  options.posture_stiffness, options.posture_damping = 10, 6
end
arm:control(p.law, options)

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 3,
  record = { "iiwa.q", "iiwa.law.error", "iiwa.pose.link7", "iiwa.tau", "energy" },
  record_interval = 0.01,
}
