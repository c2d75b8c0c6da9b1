-- An arm carries a payload that its controller does not know (adaptive control of Slotine and Li).
-- The signal scara.adaptive.s converges to zero while the estimate added_mass changes. The option
-- --set gain=0 turns adaptation off; an error then remains.
local torsor = require "torsor"

local p = torsor.params{ payload = 3, gain = 20 }
local build = require("robots.scara").build

local arm = build{ payload = p.payload }
local move = arm:trajectory("sinusoid", { center = {0.4, 0.5, 0.08, 0}, amplitude = {0.6, 0.5, 0.06, 1}, frequency = {0.5, 0.7, 0.9, 1.1} })
arm:set{ q = move:at(0).q, v = move:at(0).v }
arm:control("adaptive", { reference = move, model = build{ payload = 0 }, lambda = 15, kd = {20, 10, 200, 1},
  bodies = "tool", gain = p.gain, length = 0.3 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 6,
  record = { "scara.q", "scara.adaptive.error", "scara.adaptive.s", "scara.adaptive.added_mass", "scara.tau", "energy" },
  record_interval = 0.01,
}
