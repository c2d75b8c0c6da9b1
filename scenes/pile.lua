-- A pile of objects: boxes, balls and capsules fall into a heap. --set n=200 makes a larger one.
local torsor = require "torsor"
local p = torsor.params{ n = 18, seed = 1 }

-- A generator of random numbers, so that every run has the same pile.
local state = p.seed
local function random(low, high)
  state = (1103515245 * state + 12345) % 2147483648
  return low + (high - low) * state / 2147483648
end

local kinds = {
  { box = {0.1, 0.08, 0.06} },
  { sphere = { radius = 0.045 } },
  { capsule = { radius = 0.03, length = 0.08 } },
}
local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "ground" }
for k = 1, p.n do
  local shape = kinds[k % 3 + 1]
  local object = torsor.robot{ name = "object" .. k }
  local function copy() local out = {}; for key, value in pairs(shape) do out[key] = value end; return out end
  object:link{
    name = "body", joint = { "floating", name = "free" },
    inertia = { mass = 0.3, com = {0, 0, 0}, about_com = { Ixx = 4e-4, Iyy = 4e-4, Izz = 4e-4 } },
    visuals = { copy() },
    collisions = { copy() },
  }
  local layer, place = (k - 1) // 9, (k - 1) % 9
  object:set{ q = { free = {
    xyz = { 0.14 * (place % 3 - 1) + random(-0.01, 0.01), 0.14 * (place // 3 - 1) + random(-0.01, 0.01),
            0.1 + 0.15 * layer },
    rpy = { random(-1, 1), random(-1, 1), random(-1, 1) } } } }
  world:add(object)
end

return world:experiment{
  solver = "articulated_body", integrator = { dt = 2e-3 }, duration = 1,
  record = { "object1.q", "energy" }, record_interval = 0.004,
}
