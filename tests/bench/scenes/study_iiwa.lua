-- An iiwa under computed torque for `torsor bench --study`: the overhead of a study with a sampled
-- controller and its metrics.
local torsor = require "torsor"

local p = torsor.params{
  payload = torsor.normal(1, 0.3, { min = 0, unit = "kg" }),
  frequency = torsor.uniform(8, 15, { unit = "rad/s" }),
  duration = 2,
}
local build = require("robots.iiwa").build

local arm = build{ payload = p.payload }
local move = arm:trajectory("smooth_trapeze", {
  from = {0, 0.3, 0, -1.2, 0, 0.8, 0}, to = {0.8, 0.9, -0.4, -0.6, 0.5, 0.3, 1}, speed = 2, acceleration = 8 })
arm:set{ q = move:at(0).q }
arm:control("computed_torque", {
  name = "control", reference = move, frequency = p.frequency, rate = 1000 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = p.duration,
  record = { "iiwa.q", "iiwa.tau" },
  record_interval = 0.01,
  metrics = true,
  outcome = { function(run)
    local all = run:metrics()["iiwa.control"]
    return { error = all.rms_error, peak = all.peak_torque, work = all.motor_work }
  end, units = { error = "rad", peak = "N m", work = "J" } },
}
