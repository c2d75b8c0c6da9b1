-- The flange of an iiwa goes along a straight line and turns by it, by one of the laws of task space: resolved_acceleration (computed torque
-- of the flange), operational_space (by the mass that the flange shows), task_pid (springs and dampers on it). Look at the
-- law's error: (rotation, position) in the world; the first two follow e'' + K_d e' + K_p e = 0. The arm has one joint more than the task: what
-- that leaves open is drawn to a posture, or damped. With path = "euler_line" the Euler angles go in step in place of the rotation about a
-- fixed axis.
local torsor = require "torsor"

local p = torsor.params{ law = "resolved_acceleration", path = "straight_line" }

local arm = require("robots.iiwa").build{}
local line = arm:trajectory(p.path, {
  from = { xyz = {0.5, 0.1, 0.6}, rpy_deg = {160, 0, 0} }, to = { xyz = {0.5, -0.3, 0.5}, rpy_deg = {160, 0, 30} },
  duration = 2, law = "quintic" })

local start = arm:inverse_kinematics{ frame = "link7", pose = { xyz = {0.5, 0.1, 0.6}, rpy_deg = {160, 0, 0} },
  start = {0.1, 0.5, 0.2, -1.4, 0.1, 0.8, 0} }
start[2] = start[2] + 0.03                     -- not quite where the line begins
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
