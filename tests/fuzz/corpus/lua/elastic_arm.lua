-- Two links on elastic joints with geared motors move under constant torques. The option --set
-- stiffness=1e5 makes the arm nearly rigid. A stiff integrator (--set integrator=bdf) then takes
-- far fewer steps than rk4.
local torsor = require "torsor"

local p = torsor.params{ stiffness = 2000, integrator = "dormand_prince" }

local arm = torsor.robot{ name = "arm" }
local function link(i, mass, length, inertia)
  arm:link{
    name = "link" .. i, parent = i > 1 and "link" .. i - 1 or nil,
    origin = { xyz = { i > 1 and 0.8 or 0, 0, 0 } },
    joint = { "revolute", name = "joint" .. i, axis = {0, 0, 1},
              elastic = { stiffness = p.stiffness, damping = 0.5 },
              motor = { rotor_inertia = 2e-5, gear_ratio = 50, friction = { "coulomb", coulomb = 0, viscous = 0.1 } } },
    inertia = { mass = mass, com = {length / 2, 0, 0}, about_com = { Ixx = 1e-3, Iyy = inertia, Izz = inertia } },
    visuals = { { box = {length, 0.06, 0.06}, origin = { xyz = {length / 2, 0, 0} } } },
  }
end
link(1, 2, 0.8, 0.05)
link(2, 1.5, 0.6, 0.03)
arm:set{ q = {-1.3, 0.4} }
arm:apply{ tau = {4, -1} }

local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { p.integrator, dt = 0.01, rtol = 1e-9, atol = 1e-10 },
  duration = 3,
  record = { "arm.q", "arm.motor_q", "arm.v", "arm.motor_v", "energy" },
}
