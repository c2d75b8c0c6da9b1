-- Boxes fall into a bin and come to rest in a pile. Their number is a parameter.
local torsor = require "torsor"
local p = torsor.params{ n = 200, seed = 1 }

local state = p.seed
local function random(low, high)
  state = (1103515245 * state + 12345) % 2147483648
  return low + (high - low) * state / 2147483648
end

local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "ground" }
local width = 0.5
for side, name in pairs{ [-1] = "low", [1] = "high" } do
  world:collision{ box = {0.1, 1.2 * width, 0.8}, origin = { xyz = {side * (width / 2 + 0.05), 0, 0.4} }, name = "x_" .. name }
  world:collision{ box = {1.2 * width, 0.1, 0.8}, origin = { xyz = {0, side * (width / 2 + 0.05), 0.4} }, name = "y_" .. name }
end
for k = 1, p.n do
  local box = torsor.robot{ name = "box" .. k }
  box:link{
    name = "body", joint = { "floating", name = "free" },
    inertia = { density = 500 },
    visuals = { { box = {0.1, 0.08, 0.06} } },
    collisions = { { box = {0.1, 0.08, 0.06} } },
  }
  local layer, place = (k - 1) // 9, (k - 1) % 9
  box:set{ q = { free = {
    xyz = { 0.15 * (place % 3 - 1) + random(-0.005, 0.005), 0.15 * (place // 3 - 1) + random(-0.005, 0.005), 0.08 + 0.14 * layer },
    rpy = { random(-1, 1), random(-1, 1), random(-1, 1) } } } }
  world:add(box)
end
return world:experiment{
  solver = "articulated_body", integrator = { dt = 2e-3 }, duration = 3,
  record = { "box1.q", "energy" }, record_interval = 0.01,
}
