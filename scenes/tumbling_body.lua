-- A free body with three different moments of inertia spins about the middle axis. It flips
-- periodically.
local torsor = require "torsor"

local p = torsor.params{ off_axis = 0.02 }

local body = torsor.robot{ name = "body" }
body:link{
  name = "wing_nut",
  joint = { "floating", name = "free" },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 2, Izz = 3 } },
  visuals = { { box = {0.8, 0.4, 0.1} }, { sphere = { radius = 0.12 }, origin = { xyz = {0, 0.3, 0} } } },
}
body:set{ v = { free = {p.off_axis, 2, 0, 0, 0, 0} } }

local world = torsor.world{ gravity = {0, 0, 0} }
world:add(body)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 0.01 },
  duration = 40,
  record = { "body.q", "body.v", "energy" },
}
