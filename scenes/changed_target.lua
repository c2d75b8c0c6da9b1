-- A trolley carries a load on a rope. Its target changes twice during the motion. Each new motion
-- is added to the current one, so crane.v.rail is continuous. The law "quintic" makes its slope
-- continuous too. Compare how the load swings under --set law=bang_bang and law=trapeze.
local torsor = require "torsor"

local p = torsor.params{ law = "quintic", duration = 2.0 }

local crane = torsor.robot{ name = "crane" }
crane:link{
  name = "trolley", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 20, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } },
  visuals = { { box = {0.4, 0.3, 0.15} } },
}
crane:link{
  name = "load", parent = "trolley", joint = { "revolute", name = "rope", axis = {0, 1, 0}, damping = 0.05 },
  inertia = { mass = 5, com = {0, 0, -2}, about_com = { Ixx = 0.05, Iyy = 0.05, Izz = 0.05 } },
  visuals = { { cylinder = { radius = 0.01, length = 2 }, origin = { xyz = {0, 0, -1} } },
              { sphere = { radius = 0.12 }, origin = { xyz = {0, 0, -2} } } },
}
local move = crane:trajectory("retarget", { law = p.law, duration = p.duration, path = {
  { 0, { rail = 0 } }, { 0.5, { rail = 2 } }, { 1.5, { rail = -1 } }, { 3, { rail = 1 } },
} })
crane:prescribe{ motion = { rail = move } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(crane)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = move.duration + 1,
  record = { "crane.q", "crane.v", "crane.vdot", "energy" },
  record_interval = 0.01,
}
