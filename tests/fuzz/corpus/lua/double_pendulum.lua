-- Two double pendulums start with a difference of 1e-6 rad. Their motions separate, because the
-- system is chaotic.
local torsor = require "torsor"

local p = torsor.params{ gap = 1e-6 }
local build = require("robots.double_pendulum").build

local world = torsor.world{ gravity = {0, 0, -9.81} }
for i, name in ipairs{ "first", "second" } do
  local pendulum = build{ name = name }
  pendulum:set{ q = { joint1 = 2 + (i - 1) * p.gap, joint2 = 1 } }
  world:add(pendulum, { at = { xyz = {0, i - 1, 0} } })
end

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 10,
  record = { "first.q", "second.q", "first.pose.tip2", "second.pose.tip2", "energy" },
  record_interval = 0.01,
}
