-- A gantry lowers its hook onto a wagon that moves along the rail. The reference reaches the wagon
-- after the time `reach` and then follows it exactly (KHALIL 8.3). Compare gantry.q with
-- the path of the wagon. The option --set law=trapeze makes the torque jump.
local torsor = require "torsor"

local p = torsor.params{ reach = 1.5, law = "quintic" }

local gantry = torsor.robot{ name = "gantry" }
gantry:link{
  name = "trolley", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 30, from = "visuals" },
  visuals = { { box = {0.4, 0.3, 0.15} } },
}
gantry:link{
  name = "hook", parent = "trolley", joint = { "prismatic", name = "hoist", axis = {0, 0, -1} },
  inertia = { mass = 5, from = "visuals" },
  visuals = { { capsule = { radius = 0.04, length = 0.5 }, origin = { xyz = {0, 0, -0.4} } } },
}

local wagon = {}
for k = 0, 40 do
  local t = k / 10
  wagon[k + 1] = { t, { rail = 1 + 0.5 * t + 0.2 * math.sin(2 * t), hoist = 0.6 } }
end
local move = gantry:trajectory("moving_target", { from = {0, 0}, path = wagon, duration = p.reach, law = p.law })
gantry:set{ q = move:at(0).q }
gantry:control("computed_torque", { name = "control", reference = move, frequency = 20 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(gantry)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = move.duration,
  record = { "gantry.q", "gantry.v", "gantry.tau", "gantry.control.error", "energy" },
  record_interval = 0.01,
}
