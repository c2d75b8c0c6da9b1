-- An iiwa follows a trajectory by computed torque, from an initial error. Its model is correct, so
-- iiwa.computed_torque.error satisfies e'' + 2 w e' + w^2 e = 0 (KHALIL 9.25), with the same curve
-- at each joint. If you set known=2, the controller assumes another payload, and w_residual shows
-- the effect of the model error (9.28). If you set rate=50, the control lags behind.
local torsor = require "torsor"

local p = torsor.params{ payload = 0, known = 0, rate = 1000, frequency = 12, model_at = "measured" }
local build = require("robots.iiwa").build

local arm = build{ payload = p.payload }
local move = arm:trajectory("smooth_trapeze", {
  from = {0, 0.3, 0, -1.2, 0, 0.8, 0}, to = {0.8, 0.9, -0.4, -0.6, 0.5, 0.3, 1}, speed = 2, acceleration = 8 })
arm:set{ q = {0.1, 0.4, 0.1, -1.1, 0.1, 0.9, 0.1} }
arm:control("computed_torque", {
  reference = move, frequency = p.frequency, rate = p.rate, model = build{ payload = p.known }, model_at = p.model_at })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = 2,
  record = { "iiwa.q", "iiwa.computed_torque.error", "iiwa.computed_torque.w_residual", "iiwa.tau", "energy" },
  record_interval = 0.01,
}
