-- The planar N-link of RCFS: point masses at the ends of massless rods in the x-y plane, with
-- revolute joints about z. The angle of joint 1 is measured from +x, the other angles from the
-- previous rod. Set the gravity of the world to {0, -9.81, 0}.
local torsor = require "torsor"

local function repeated(value, n)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

-- Options:
--   n         number of links
--   lengths   of the rods, m: one number or a list of n
--   masses    at their ends, kg: one number or a list of n
--   damping   of the joints, N m s/rad: one number or a list of n
local function build(options)
  local n = tonumber(options and options.n or 2)
  if math.type(n) ~= "integer" or n < 1 or n > 1000 then
    error("planar: n must be an integer from 1 to 1000", 2)
  end
  local o = torsor.options(options, {
    name = "planar", n = 2, lengths = repeated(1, n), masses = repeated(1, n), damping = repeated(0, n),
  })
  local arm = torsor.robot{ name = o.name, family = "planar_n_link" }
  for i = 1, n do
    arm:link{
      name = "link" .. i,
      parent = i > 1 and "link" .. i - 1 or nil,
      joint = { "revolute", name = "joint" .. i, axis = {0, 0, 1}, damping = o.damping[i] },
      origin = { xyz = {i > 1 and o.lengths[i - 1] or 0, 0, 0} },
      inertia = { mass = o.masses[i], com = {o.lengths[i], 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } },
    }
    arm:frame{ name = "tip" .. i, link = "link" .. i, origin = { xyz = {o.lengths[i], 0, 0} } }
  end
  return arm
end

return { build = build }
