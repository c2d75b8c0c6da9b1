-- A pendulum on a ball joint swings over three magnets and stops at one of them. A small change of
-- the start decides which one (--set x=0.31). The magnetic force depends on the position of the
-- bob, and air friction on its velocity. See pendulum.pose.bob.
local torsor = require "torsor"

local p = torsor.params{ x = 0.3, y = 0.25, strength = 0.05, drag = 0.05 }

local pendulum = torsor.robot{ name = "pendulum" }
pendulum:link{
  name = "rod", joint = { "spherical", name = "ball", point = {0, 0, 0} },
  inertia = { mass = 0.3, com = {0, 0, -1}, about_com = { Ixx = 1e-3, Iyy = 1e-3, Izz = 1e-3 } },
  visuals = { { cylinder = { radius = 0.01, length = 1 }, origin = { xyz = {0, 0, -0.5} } },
              { sphere = { radius = 0.05 }, origin = { xyz = {0, 0, -1} }, color = {0.8, 0.2, 0.2} } },
}
pendulum:frame{ name = "bob", link = "rod", origin = { xyz = {0, 0, -1} } }
pendulum:set{ q = { ball = { math.cos(0.5 * p.x), math.sin(0.5 * p.x), 0, 0 } }, v = { ball = {0, p.y, 0} } }

local magnets = {}
for k = 1, 3 do
  local angle = 2 * math.pi * k / 3
  magnets[k] = { 0.2 * math.cos(angle), 0.2 * math.sin(angle), -1.1 }
end
pendulum:force(function(t, state)
  local bob = state.frames.bob                 -- pose and twist in the axes of the world
  local at, velocity, force = bob.pose.xyz, bob.twist.linear, {}
  for i = 1, 3 do force[i] = -p.drag * velocity[i] end
  for _, magnet in ipairs(magnets) do
    local d = { magnet[1] - at[1], magnet[2] - at[2], magnet[3] - at[3] }
    local r = math.sqrt(d[1]^2 + d[2]^2 + d[3]^2)
    for i = 1, 3 do force[i] = force[i] + p.strength * d[i] / r^3 end
  end
  return { wrenches = { bob = { force = force } } }
end, { frames = { "bob" } })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(pendulum)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = 10,
  record = { "pendulum.q", "pendulum.v", "pendulum.pose.bob", "energy" },
  record_interval = 0.02,
}
