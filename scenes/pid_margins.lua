-- One joint of constant inertia under PID steps to 0.5 rad. The gains are those of a triple pole
-- (KHALIL 9.10) times `factor`. torsor.joint_loop computes the poles, margins and the step response
-- of the linear loop (KHALIL 9.7, 9.8), which the run follows exactly. Below the gain margin, for
-- example with --set factor=0.02, the joint oscillates with growing amplitude.
local torsor = require "torsor"

local p = torsor.params{ pole = 8, factor = 1 }

local mass, radius, about_com, viscous = 2, 0.3, 0.05, 0.4
local inertia = about_com + mass * radius^2
local triple = torsor.joint_loop{ inertia = inertia, viscous = viscous, pole = p.pole }
local kp, kd, ki = p.factor * triple.kp, p.factor * triple.kd, p.factor * triple.ki
local loop = torsor.joint_loop{ inertia = inertia, viscous = viscous, kp = kp, kd = kd, ki = ki }

print(loop.stability)
if loop.gain_margin then
  print(string.format("stable above %.3f times these gains", loop.gain_margin))
end
for _, pole in ipairs(loop.poles) do
  print(string.format("pole %.3f %+.3f j rad/s", pole[1], pole[2]))
end
if loop.stability == "stable" then
  print(string.format("phase margin %.1f deg, overshoot %.1f %%, settles in %.2f s",
                      math.deg(loop.phase_margin), 100 * loop.overshoot, loop.settling))
end

local arm = torsor.robot{ name = "arm" }
arm:link{
  name = "rod",
  joint = { "revolute", name = "hinge", axis = {0, 0, 1}, damping = viscous },
  inertia = { mass = mass, com = {radius, 0, 0},
              about_com = { Ixx = about_com, Iyy = about_com, Izz = about_com } },
}
arm:control("pid", { reference = { q = {0.5} }, kp = kp, kd = kd, ki = ki })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "newton_euler",
  integrator = { "dormand_prince", dt = 0.01 },
  duration = 3,
  record = { "arm.q", "arm.pid.error", "arm.tau" },
}
