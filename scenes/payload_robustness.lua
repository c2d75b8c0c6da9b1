-- An iiwa moves fast with a payload that its controller does not know. PID uses no model and lags
-- behind. Computed torque is exact without the payload and inaccurate with it. Adaptive control
-- learns the inertia of link 7 during the motion. The outcomes are the errors of the last
-- two seconds, when the estimates have converged.
--   ./torsor study scenes/payload_robustness.lua --samples 60
--   ./torsor study scenes/payload_robustness.lua --grid law=pid,computed_torque,adaptive
local torsor = require "torsor"

local p = torsor.params{
  law = torsor.choice{ "computed_torque", "pid", "adaptive" },
  payload = torsor.normal(4, 1, { min = 0, unit = "kg" }),
  bandwidth = 15.0,  -- rad/s
}

local arm = require("robots.iiwa").build{}
local swing = arm:trajectory("sinusoid", {
  center = {0, 0.6, 0, -1.2, 0, 0.8, 0},
  amplitude = {0.8, 0.4, 0.5, 0.5, 0.6, 0.5, 0.6},
  frequency = {0.8, 0.9, 0.6, 0.7, 1.0, 1.1, 0.9},
})
arm:set{ q = swing:at(0).q, v = swing:at(0).v }
if p.payload > 0 then
  local I = 0.002 * p.payload
  arm:payload{ frame = "link7", inertia = {
    mass = p.payload, com = {0, 0.03, 0.2}, about_com = { Ixx = I, Iyy = I, Izz = I } } }
end

local w = p.bandwidth
local laws = {
  pid = { resonance = 2 * w },
  computed_torque = { frequency = w },
  adaptive = { lambda = w, kd = {30, 30, 20, 20, 8, 5, 2}, bodies = "iiwa.link7", gain = 2, length = 0.2 },
}
local options = laws[p.law] or error("law is one of pid, computed_torque, adaptive")
options.reference, options.rate, options.name = swing, 1000, "control"
arm:control(p.law, options)

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 6,
  record = { "iiwa.q", "iiwa.tau", "iiwa.control.error" },
  record_interval = 0.01,
  metrics = { from = 4 },
}
