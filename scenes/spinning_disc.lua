-- A disc (Euler's disk) spins on its rim. It rolls ever flatter and faster until it lies on the
-- ground.
local torsor = require "torsor"
local p = torsor.params{ tilt_deg = 30, spin = 12, torsional = 1e-4 }

local radius, thickness = 0.04, 0.006
local tilt = math.rad(p.tilt_deg)
local disc = torsor.robot{ name = "disc" }
disc:link{
  name = "disc", joint = { "floating", name = "free" },
  inertia = { density = 7800 },
  visuals = { { cylinder = { radius = radius, length = thickness } },
              { box = {0.01, 0.06, 0.001}, origin = { xyz = {0, 0, thickness / 2} }, color = {0.8, 0.2, 0.2} } },
  collisions = { { cylinder = { radius = radius, length = thickness }, mu = 0.8, torsional = p.torsional } },
}
disc:set{
  q = { free = { xyz = {0, 0, radius * math.sin(tilt) + thickness / 2 * math.cos(tilt)}, rpy = {0, tilt, 0} } },
  v = { free = { -p.spin * math.sin(tilt), 0, p.spin * math.cos(tilt), 0, 0, 0} },
}

local world = torsor.world()
world:add(disc)
world:collision{ half_space = {0, 0, 1}, name = "table", mu = 0.8 }
return world:experiment{
  solver = "articulated_body", integrator = { dt = 5e-5 }, duration = 4,
  record = { "disc.q", "disc.v", "energy" }, record_interval = 0.005,
}
