-- A gripper holds a part by friction alone. Constant forces press its jaws on the part, and a
-- spring and a damper lift them. After a second, everything is at rest.
local torsor = require "torsor"
local grip, mu = 30, 0.6
local gripper = torsor.robot{ name = "gripper" }
gripper:link{
  name = "lift", origin = { xyz = {0, 0, 0.2} },
  joint = { "prismatic", name = "lift", axis = {0, 0, 1}, damping = 60, spring = { stiffness = 400, rest = 0.15 } },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } },
}
for side, name in pairs{ [-1] = "left", [1] = "right" } do
  gripper:link{
    name = name, parent = "lift", joint = { "prismatic", name = name, axis = {-side, 0, 0}, damping = 5 },
    origin = { xyz = {0.04 * side, 0, 0} },
    inertia = { mass = 0.1, com = {0, 0, 0}, about_com = { Ixx = 1e-4, Iyy = 1e-4, Izz = 1e-4 } },
    visuals = { { box = {0.02, 0.04, 0.16} } },
    collisions = { { box = {0.02, 0.04, 0.16}, mu = mu } },
  }
end
gripper:apply{ tau = { left = grip, right = grip } }

local part = torsor.robot{ name = "part" }
part:link{
  name = "part", joint = { "floating", name = "free" },
  inertia = { density = 1000 },
  visuals = { { box = {0.06, 0.06, 0.12} } },
  collisions = { { box = {0.06, 0.06, 0.12}, mu = mu } },
}
part:set{ q = { free = { xyz = {0, 0, 0.16} } } }

local world = torsor.world()
world:add(gripper)
world:add(part)
world:collision{ box = {0.3, 0.3, 0.1}, origin = { xyz = {0, 0, 0.05} }, name = "table", mu = mu }
return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 4,
  record = { "gripper.q", "part.q", "energy" }, record_interval = 0.01,
}
