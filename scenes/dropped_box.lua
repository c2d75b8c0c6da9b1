-- A box falls onto a corner, bounces, and comes to rest on a face. The energy only falls where the
-- box touches the ground.
local torsor = require "torsor"
local p = torsor.params{ mu = 0.5, restitution = 0.3, height = 0.5 }

local box = torsor.robot{ name = "box" }
box:link{
  name = "body", joint = { "floating", name = "free" },
  inertia = { density = 500 },
  visuals = { { box = {0.4, 0.2, 0.1}, color = {0.8, 0.5, 0.2} } },
  collisions = { { box = {0.4, 0.2, 0.1}, mu = p.mu, restitution = p.restitution } },
}
box:set{ q = { free = { xyz = {0, 0, p.height}, rpy_deg = {30, 40, 0} } }, v = { free = {0, 1, 2, 0.5, 0, 0} } }

local world = torsor.world()
world:add(box)
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = p.mu }
return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 3,
  record = { "box.q", "box.v", "energy" }, record_interval = 0.01,
}
