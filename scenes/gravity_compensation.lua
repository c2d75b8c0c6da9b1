-- The motors of an arm compensate its weight, so that it can be guided by hand. A push of half a
-- second sets it in motion. Damping brings it to rest, and it stays there. See rx90.v and rx90.tau.
-- If the motors do not know a payload (payload = 1), the arm sinks.
local torsor = require "torsor"

local p = torsor.params{ payload = 0 }
local build = require("robots.rx90").build

local arm = build{}
arm:set{ q = {0, 0.3, 1.2, 0, 0.4, 0} }
if p.payload > 0 then
  arm:payload{ frame = "link6", inertia = { mass = p.payload, com = {0, 0, 0.1},
    about_com = { Ixx = 0.002, Iyy = 0.002, Izz = 0.002 } } }
end
arm:apply{ wrenches = { link6 = function(t)
  return { force = { 0, t < 0.5 and 20 or 0, 0 } }
end } }
arm:control("gravity_compensation", { rate = 1000 })
arm:control(function(t, state)
  local tau = {}
  for k, v in ipairs(state.v) do tau[k] = -15 * v end
  return tau
end, { name = "damper", rate = 1000 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 3,
  record = { "rx90.q", "rx90.v", "rx90.tau", "energy" },
  record_interval = 0.01,
}
