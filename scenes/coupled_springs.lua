-- Cables run along an arm, so its two springs are coupled: the torque of each depends on both
-- deflections, by a stiffness matrix k (KHALIL 7.34). The motors hold their position by static
-- friction. The arm starts at rest with relaxed springs, swings, and ends where k e carries its
-- weight. The option coupling = 0 makes k diagonal.
local torsor = require "torsor"

local p = torsor.params{ coupling = 110 }

local arm = torsor.robot{ name = "arm" }
local function link(name, parent)
  arm:link{
    name = name, parent = parent,
    joint = { "revolute", name = name .. "_joint", axis = {0, -1, 0},
      point = parent and {0.5, 0, 0} or {0, 0, 0},
      motor = { rotor_inertia = 0.001, gear_ratio = 30,
        friction = { "coulomb", coulomb = 80, static = 100 } } },
    inertia = { mass = 2, com = {0.25, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.05, Izz = 0.05 } },
  }
end
link("upper")
link("lower", "upper")
arm:stiffness{
  joints = { "upper_joint", "lower_joint" },
  matrix = { {300, p.coupling}, {p.coupling, 80} },
  damping = { 1.5, 0.6 },
}

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 3,
  record = { "arm.q", "arm.motor_q", "arm.tau", "energy" },
  record_interval = 0.01,
}
