-- What a motor's motion leaves behind in the spring between it and its arm. The same way in the same time by different laws, the motor
-- following each of them closely: the table's peak error is the arm's swing after the motion has ended. With the spring's frequency w it is
-- | integral of qdd_d e^(i w t) dt | / w: a jump of velocity is worst, a jerk that does not jump is best. Try other durations
-- (--set duration=0.7 law=trapeze): there are some at which a trapeze leaves next to nothing, and others near by.
local torsor = require "torsor"

local p = torsor.params{ law = "trapeze", stiffness = 300.0, duration = 0.8 }

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
  variants = { law = { "linear", "trapeze", "smooth_trapeze", "quintic", "septic" } },
}
