-- A gripper closes on a part, lifts it and swings it. Friction alone holds the part: it does not
-- creep.
local torsor = require "torsor"
local p = torsor.params{ grip = 30, mu = 0.6 }

local gripper = torsor.robot{ name = "gripper" }
gripper:link{
  name = "lift", joint = { "prismatic", name = "lift", axis = {0, 0, 1} }, origin = { xyz = {0, 0, 0.2} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } },
  visuals = { { box = {0.16, 0.06, 0.02}, origin = { xyz = {0, 0, 0.09} } } },
}
for side, name in pairs{ [-1] = "left", [1] = "right" } do
  gripper:link{
    name = name, parent = "lift", joint = { "prismatic", name = name, axis = {-side, 0, 0}, damping = 5 },
    origin = { xyz = {0.06 * side, 0, 0} },
    inertia = { mass = 0.1, com = {0, 0, 0}, about_com = { Ixx = 1e-4, Iyy = 1e-4, Izz = 1e-4 } },
    visuals = { { box = {0.02, 0.04, 0.16} } },
    collisions = { { box = {0.02, 0.04, 0.16}, mu = p.mu } },
  }
end
gripper:collision_pair{ "left", "right", collide = false }
gripper:prescribe{ motion = { lift = function(t)   -- up by 0.15 m from 0.5 s on, then a swing
  if t < 0.5 then return 0, 0 end
  if t < 1.5 then
    local w = math.pi
    return 0.075 * w * math.sin(w * (t - 0.5)), 0.075 * w * w * math.cos(w * (t - 0.5))
  end
  local w = 6
  return -0.02 * w * math.sin(w * (t - 1.5)), -0.02 * w * w * math.cos(w * (t - 1.5))
end } }
gripper:apply{ tau = { left = p.grip, right = p.grip } }

local part = torsor.robot{ name = "part" }
part:link{
  name = "part", joint = { "floating", name = "free" },
  inertia = { density = 1000 },
  visuals = { { box = {0.06, 0.06, 0.12}, color = {0.8, 0.4, 0.2} } },
  collisions = { { box = {0.06, 0.06, 0.12}, mu = p.mu } },
}
part:set{ q = { free = { xyz = {0, 0, 0.16} } } }

local world = torsor.world()
world:add(gripper)
world:add(part)
world:collision{ box = {0.3, 0.3, 0.1}, origin = { xyz = {0, 0, 0.05} }, name = "table", mu = p.mu }
return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 4,
  record = { "gripper.q", "part.q", "energy" }, record_interval = 0.01,
}
