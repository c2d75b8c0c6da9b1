-- Newton's cradle: five balls on rods that touch, and strike without loss of energy. There is a gap
-- of a tenth of a millimetre between the balls, so that they strike one after the other, as steel
-- balls do: the last one flies off as fast as the first one struck.
local torsor = require "torsor"
local p = torsor.params{ n = 5, restitution = 1, lifted = 1, angle_deg = 30, gap = 1e-4 }

local radius, length = 0.05, 0.5
local cradle = torsor.robot{ name = "cradle" }
for k = 1, p.n do
  local name = "ball" .. k
  cradle:link{
    name = name, origin = { xyz = {(2 * radius + p.gap) * (k - (p.n + 1) / 2), 0, length} },
    joint = { "revolute", name = "rod" .. k, axis = {0, 1, 0} },
    inertia = { mass = 1, com = {0, 0, -length}, about_com = { Ixx = 1e-3, Iyy = 1e-3, Izz = 1e-3 } },
    visuals = { { sphere = { radius = radius }, origin = { xyz = {0, 0, -length} } },
                { cylinder = { radius = 0.003, length = length }, origin = { xyz = {0, 0, -length / 2} } } },
    collisions = { { sphere = { radius = radius }, origin = { xyz = {0, 0, -length} },
                     mu = 0, restitution = p.restitution } },
  }
end
local q = {}
for k = 1, p.lifted do q["rod" .. k] = math.rad(p.angle_deg) end
cradle:set{ q = q }

local world = torsor.world()
world:add(cradle)
return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-4 }, duration = 4,
  record = { "cradle.q", "energy" }, record_interval = 0.01,
}
