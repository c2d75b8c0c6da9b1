-- A block slides on a rail with dry friction and a spring. When it stops, it reverses if the spring
-- force exceeds static friction. Otherwise it sticks.
local torsor = require "torsor"

local p = torsor.params{ static = 6.0, coulomb = 4.0, speed = 3.0 }

local block = torsor.robot{ name = "block" }
block:link{
  name = "block",
  joint = { "prismatic", name = "rail", axis = {1, 0, 0},
            friction = { "coulomb", coulomb = p.coulomb, static = p.static },
            spring = { stiffness = 100, rest = 0.3 } },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } },
  visuals = { { box = {0.2, 0.1, 0.1} } },
}
block:set{ v = {p.speed} }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(block)

return world:experiment{
  solver = "articulated_body",
  integrator = { "dormand_prince", dt = 0.005 },
  duration = 2,
  record = { "block.q", "block.v", "block.friction", "block.constraint", "energy" },
}
