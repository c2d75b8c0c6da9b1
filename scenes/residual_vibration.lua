-- A motor moves an arm through a spring, and the arm keeps vibrating after the motion. Several
-- trajectories of the same distance and duration are compared; the motor follows each one closely.
-- A study of all of them shows the amplitude of the vibration as peak error. It is | integral of
-- qdd_d e^(i w t) dt | / w, with the frequency w of the spring. A jump of velocity is worst, a
-- continuous jerk is best. For some durations (--set duration=0.7 law=trapeze), a trapeze leaves
-- almost no vibration.
--   ./torsor study scenes/residual_vibration.lua
local torsor = require "torsor"

local p = torsor.params{
  law = torsor.choice{ "trapeze", "linear", "smooth_trapeze", "s_curve", "quintic", "septic" },
  stiffness = 300.0, duration = 0.8,
}

local arm = torsor.robot{ name = "arm" }
arm:link{
  name = "beam",
  joint = { "revolute", name = "shoulder", axis = {0, 0, 1},
    elastic = { stiffness = p.stiffness }, motor = { rotor_inertia = 1e-4, gear_ratio = 20 } },
  inertia = { mass = 2, com = {0.3, 0, 0}, about_com = { Ixx = 0.001, Iyy = 0.06, Izz = 0.06 } },
}
arm:control("pid", {
  reference = arm:trajectory(p.law, { from = {0}, to = {1}, duration = p.duration }),
  kp = 1e5, kd = 100, measures = "motors", name = "motor" })

local world = torsor.world{ gravity = {0, 0, 0} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-4 },
  duration = 1.6,
  record = { "arm.q", "arm.motor_q", "arm.motor.error" },
  record_interval = 2e-3,
  metrics = { from = p.duration },
}
