-- A KUKA iiwa with its motors off swings freely. The friction of its joints brings it to rest.
local torsor = require "torsor"

local p = torsor.params{ duration = 5.0, rotors = true }

local options = {}
if not p.rotors then options.armature = 0 end
local arm = require("robots.iiwa").build(options)
arm:set{ q = {0.3, 0.8, -0.4, 1.0, 0.5, -0.7, 0.2} }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = p.duration,
  record = { "iiwa.q", "iiwa.v", "iiwa.pose.link7", "energy" },
  record_interval = 0.01,
}
