-- An iiwa swings. Its parameters add features one at a time, so that
-- `torsor bench --simulation` can measure the cost of each.
local torsor = require "torsor"

local p = torsor.params{ viscous_friction = false, coulomb_friction = false, gravity_pd = false,
  computed_torque = false }
local function list(value) return { value, value, value, value, value, value, value } end

local arm = require("robots.iiwa").build{
  damping = list(p.viscous_friction and 2 or 0), coulomb = list(p.coulomb_friction and 1 or 0) }
local target = {0.3, 0.9, -0.4, -0.6, 0.5, 0.3, 1}
arm:set{ q = {0.3, 0.8, -0.4, -1.0, 0.5, 0.7, 0.2} }
if p.gravity_pd then
  arm:control("pd_gravity", { reference = { q = target }, kp = 200, kd = 40, rate = 1000 })
end
if p.computed_torque then
  arm:control("computed_torque", { reference = { q = target }, frequency = 10, rate = 1000 })
end

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 10,
  record = { "iiwa.q", "iiwa.v", "iiwa.tau" },
}
