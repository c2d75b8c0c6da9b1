-- A stack of boxes that does not move. The lowest one carries all others.
local torsor = require "torsor"
local p = torsor.params{ n = 10 }

local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "ground" }
for k = 1, p.n do
  local box = torsor.robot{ name = "box" .. k }
  box:link{
    name = "body", joint = { "floating", name = "free" },
    inertia = { density = 500 },
    visuals = { { box = {0.2, 0.2, 0.2}, color = { 0.3 + 0.6 * (k % 2), 0.5, 0.3 } } },
    collisions = { { box = {0.2, 0.2, 0.2} } },
  }
  box:set{ q = { free = { xyz = {0, 0, 0.2 * k - 0.1} } } }
  world:add(box)
end

return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 2,
  record = { "box1.q", "box" .. p.n .. ".q", "energy" }, record_interval = 0.01,
}
