-- Bricard's linkage: six equal bars in a loop, each joint perpendicular to both of its bars. The
-- count of freedoms minus conditions is 6 - 6 = 0, but the linkage moves: one of the conditions is
-- redundant. One bar is the ground. Gravity swings the others; the energy is constant. This is the
-- problem A04 of the benchmark library of multibody dynamics.
local torsor = require "torsor"

-- Corners of a cube, and the axis of the joint at each of them.
local corner = { {0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1} }
local axis = { {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0} }

local robot = torsor.robot{ name = "bricard" }
for k = 1, 5 do
  local a, b, size, half, at = corner[k], corner[k + 1], {}, {}, {}
  for i = 1, 3 do
    size[i] = math.max(math.abs(b[i] - a[i]), 0.1)
    half[i] = (b[i] - a[i]) / 2
    at[i] = a[i] - (k > 1 and corner[k - 1][i] or 0)
  end
  robot:link{
    name = "bar" .. k, parent = k > 1 and "bar" .. k - 1 or nil,
    joint = { "revolute", name = "joint" .. k, axis = axis[k] },
    origin = { xyz = at },
    inertia = { mass = 1, from = "visuals" },
    visuals = { { box = size, origin = { xyz = half },
                  color = {0.3 + 0.1 * k, 0.5, 0.9 - 0.1 * k} } },
  }
end
robot:frame{ name = "end", link = "bar5", origin = { xyz = {0, 1, 0} } }
robot:link{ name = "base", massless = true, joint = { "fixed" },
            origin = { xyz = corner[6] } }
robot:close{ "revolute", name = "last", between = { "end", "base" }, axis = axis[6] }

local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(robot)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 2,
  record = { "bricard.q", "bricard.v", "bricard.pose.bar3", "closure.last", "energy" },
  record_interval = 1e-2,
}
