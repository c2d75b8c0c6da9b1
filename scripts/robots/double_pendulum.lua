-- A double pendulum: two point masses on massless rods that swing in the x-z plane. At q = 0 both
-- hang straight down, for gravity along -z.
local torsor = require "torsor"

-- Options, each one number or a list of two:
--   lengths   of the rods, m
--   masses    at their ends, kg
--   damping   of the joints, N m s/rad
local function build(options)
  local o = torsor.options(options, { name = "pendulum", lengths = {1, 1}, masses = {1, 1}, damping = {0, 0} })
  local pendulum = torsor.robot{ name = o.name }
  for i = 1, 2 do
    pendulum:link{
      name = "rod" .. i,
      parent = i == 2 and "rod1" or nil,
      joint = { "revolute", name = "joint" .. i, axis = {0, 1, 0}, damping = o.damping[i] },
      origin = { xyz = {0, 0, i == 2 and -o.lengths[1] or 0} },
      inertia = { mass = o.masses[i], com = {0, 0, -o.lengths[i]}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } },
    }
    pendulum:frame{ name = "tip" .. i, link = "rod" .. i, origin = { xyz = {0, 0, -o.lengths[i]} } }
  end
  return pendulum
end

return { build = build }
