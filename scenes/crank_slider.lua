-- A slider-crank as a closed loop: crank with flywheel, connecting rod and piston. The pin of the
-- piston closes the loop. It is a joint with dry friction (arm:close with `friction`), so that it
-- has a coordinate, "pin". The flywheel runs down. The scene slider_crank.lua has the same
-- mechanism as a transmission that depends on its position.
local torsor = require "torsor"

local p = torsor.params{ crank = 0.1, rod = 0.35, offset = 0.02, speed = 12, friction = 0.5 }

local engine = torsor.robot{ name = "engine" }
engine:link{
  name = "crank", joint = { "revolute", name = "shaft", axis = {0, 1, 0} },
  inertia = { density = 7800 },
  visuals = { { cylinder = { radius = 0.12, length = 0.02 }, origin = { rpy_deg = {90, 0, 0} },
                color = {0.4, 0.4, 0.45} },
              { box = {p.crank, 0.03, 0.03}, origin = { xyz = {p.crank / 2, -0.03, 0} },
                color = {0.9, 0.4, 0.2} } },
}
engine:link{
  name = "rod", parent = "crank", origin = { xyz = {p.crank, 0, 0} },
  joint = { "revolute", name = "big_end", axis = {0, 1, 0}, passive = true },
  inertia = { density = 7800 },
  visuals = { { box = {p.rod, 0.02, 0.03}, origin = { xyz = {p.rod / 2, -0.06, 0} },
                color = {0.6, 0.6, 0.65} } },
}
engine:link{
  name = "piston", origin = { xyz = {0, 0, p.offset} },
  joint = { "prismatic", name = "cylinder", axis = {1, 0, 0}, passive = true, damping = 5 },
  inertia = { mass = 0.8, from = "visuals" },
  visuals = { { box = {0.08, 0.08, 0.08}, origin = { xyz = {0.04, 0, 0} },
                color = {0.25, 0.5, 0.8} } },
}
engine:frame{ name = "small_end", link = "rod", origin = { xyz = {p.rod, 0, 0} } }
engine:close{
  "revolute", name = "pin", between = { "piston", "small_end" }, axis = {0, 1, 0},
  friction = { "piecewise_linear", coulomb = p.friction, transition = 0.05 },
}
-- The shaft keeps its angle and speed. The position of the piston chooses one of two assemblies.
engine:set{ q = { shaft = 0.5, big_end = -0.6, cylinder = 0.43 }, v = { shaft = p.speed },
            hold = { "shaft" } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(engine)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1.5,
  record = { "engine.q", "engine.v", "engine.friction", "closure.pin", "energy" },
  record_interval = 1e-2,
}
