-- A ball slides, and friction turns it until it rolls: at 5/7 of its first velocity, after
-- 2 v / (7 mu g). A second ball has backspin and comes back. A third one has rolling friction and
-- stops.
local torsor = require "torsor"
local p = torsor.params{ mu = 0.3, rolling = 0.005, velocity = 3 }

local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = p.mu }
local r = 0.1
local function ball(name, y, spin, rolling)
  local robot = torsor.robot{ name = name }
  robot:link{
    name = "ball", joint = { "floating", name = "free" },
    inertia = { density = 1000 },
    visuals = { { sphere = { radius = r } } },
    collisions = { { sphere = { radius = r }, mu = p.mu, rolling = rolling } },
  }
  robot:set{ q = { free = { xyz = {0, y, r} } }, v = { free = {0, spin, 0, p.velocity, 0, 0} } }
  world:add(robot)
end
ball("slides", -0.5, 0, 0)
ball("returns", 0, -5 * p.velocity / r, 0)
ball("stops", 0.5, p.velocity / r, p.rolling)

return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 4,
  record = { "slides.v", "returns.v", "stops.v", "energy" }, record_interval = 0.01,
}
