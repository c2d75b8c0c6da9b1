local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{
  name = "upper",
  joint = { "revolute", name = "shoulder", axis = {0, 1, 0},
            friction = { "lugre", coulomb = 1, static = 1.5, viscous = 0.1, decay = 10, bristle_stiffness = 100 } },
  inertia = { mass = 2, com = {0.4, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.05, Izz = 0.05 } },
}
arm:link{
  name = "lower", parent = "upper", origin = { xyz = {0.8, 0, 0} },
  joint = { "revolute", name = "elbow", axis = {0, 1, 0},
            elastic = { stiffness = 2000, damping = 0.5 },
            motor = { rotor_inertia = 2e-5, gear_ratio = 50, friction = { "coulomb", coulomb = 0.1 } } },
  inertia = { mass = 1, com = {0.3, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.03, Izz = 0.03 } },
}
arm:link{
  name = "slide", parent = "lower", origin = { xyz = {0.6, 0, 0} },
  joint = { "prismatic", name = "slide", axis = {1, 0, 0},
            limits = { lower = -0.1, upper = 0.1 }, stop = { restitution = 0.5 } },
  inertia = { mass = 0.5, com = {0, 0, 0}, about_com = { Ixx = 0.001, Iyy = 0.001, Izz = 0.001 } },
}
local goal = arm:trajectory("quintic", { from = {0, 0.3, 0}, to = {0.5, 0.9, 0}, duration = 1 })
arm:control("pid", { reference = goal, resonance = 20, rate = 500 })
local world = torsor.world()
world:add(arm)
world:force("ground", { plane = "world", frames = "arm.slide", radius = {0.1}, stiffness = 1e3 })
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 1, record = { "arm.q" } }
