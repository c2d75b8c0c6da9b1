-- A steel T-handle spins freely about its middle axis and flips periodically. Its inertia is that
-- of the mesh, filled with steel, so that there are no numbers to copy. The command `torsor inertia
-- t_handle.stl --density 7800 --scale 0.001` prints them.
local torsor = require "torsor"

local p = torsor.params{ density = 7800, off_axis = 0.05 }

local handle = torsor.robot{ name = "handle" }
handle:link{
  name = "body",
  joint = { "floating", name = "free" },
  inertia = { density = p.density },
  visuals = { { mesh = "t_handle.stl", scale = 0.001, color = {0.7, 0.7, 0.75} } },
}
handle:set{ v = { free = {p.off_axis, 12, 0, 0, 0, 0} } }

local world = torsor.world{ gravity = {0, 0, 0} }
world:add(handle)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = 10,
  record = { "handle.q", "handle.v", "energy" },
  record_interval = 0.01,
}
