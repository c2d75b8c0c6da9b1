local torsor = require "torsor"
local robot = torsor.robot{ name = "robot" }
local kinds = { "revolute", "prismatic", "spherical", "planar", "floating", "fixed" }
for i, kind in ipairs(kinds) do
  robot:link{
    name = ("link%d"):format(i), parent = i > 1 and "link" .. i - 1 or nil,
    origin = { xyz = {0.1 * i, 0, 0}, rpy = {0, math.pi / 4, 0} },
    joint = { kind, name = "joint" .. i, axis = ("revolute prismatic planar"):find(kind) and {0, 0, 1} or nil },
    inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } },
  }
end
robot:frame{ name = "tool", link = "link6", origin = { xyz = {0, 0, 0.1} } }
return robot
