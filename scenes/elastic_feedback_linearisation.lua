-- An arm with elastic joints and a rigid slide follows waves, from an initial error. The control
-- uses the state of joints and motors. The error e of each elastic joint satisfies (d/dt +
-- frequency)^4 e = 0: arm.law.error converges to zero without oscillation. Compare --set
-- law=computed_torque, which assumes rigid joints. It lags behind for frequency=2, and the springs
-- start to oscillate for frequency=4.
local torsor = require "torsor"

local p = torsor.params{ law = "elastic_feedback_linearisation", frequency = 12, stiffness = 2000 }

local arm = torsor.robot{ name = "arm" }
local function link(name, parent, joint)
  joint.name = name .. "_joint"
  arm:link{ name = name, parent = parent, joint = joint,
    inertia = { mass = 3, com = {0.25, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.07, Izz = 0.07 } } }
end
local function elastic(axis, point)
  return { "revolute", axis = axis, point = point, damping = 0.5,
    elastic = { stiffness = p.stiffness, cubic = 2e5 },
    motor = { rotor_inertia = 1.2e-5, gear_ratio = 100 } }
end
link("column", nil, elastic({0, 0, 1}, {0, 0, 0}))
link("upper", "column", elastic({0, -1, 0}, {0, 0, 0}))
link("slide", "upper", { "prismatic", axis = {1, 0, 0}, point = {0.5, 0, 0}, damping = 1 })

local q0 = {0.2, 0.3, 0.0}
arm:control(p.law, {
  name = "law",
  reference = arm:trajectory("sinusoid", { center = {0, 0, 0.1}, amplitude = {0.8, 0.5, 0.1}, frequency = {0.4, 0.6, 0.5} }),
  frequency = p.frequency,
})

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)
arm:set{ q = q0 }

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = 2,
  record = { "arm.q", "arm.motor_q", "arm.law.error", "arm.tau", "energy" },
  record_interval = 5e-3,
  metrics = { from = 1 },
}
