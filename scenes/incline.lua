-- Two blocks on an incline of 25 degrees. The first has more friction than tan 25 = 0.466 and stays
-- where it is, to the last digit. The second one slides with a = g (sin - mu cos).
local torsor = require "torsor"
local p = torsor.params{ angle_deg = 25, sticky = 0.5, slippery = 0.3 }

local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "incline", mu = 1, origin = { rpy_deg = {0, p.angle_deg, 0} } }
local function block(name, mu, y)
  local robot = torsor.robot{ name = name }
  robot:link{
    name = "block", joint = { "floating", name = "free" },
    inertia = { density = 500 },
    visuals = { { box = {0.3, 0.2, 0.1} } },
    collisions = { { box = {0.3, 0.2, 0.1} } },
  }
  robot:set{ q = { free = { xyz = {0, 0, 0.05} } } }
  world:add(robot, { at = { rpy_deg = {0, p.angle_deg, 0}, xyz = {0, y, 0} } })
  world:collision_pair{ name .. ".block", "world", mu = mu }
end
block("sticks", p.sticky, -0.2)
block("slides", p.slippery, 0.2)

return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 2,
  record = { "sticks.q", "slides.q", "slides.v", "energy" }, record_interval = 0.01,
}
