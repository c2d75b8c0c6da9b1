-- How robust is a controller? An iiwa moves fast with a payload and with joint friction that its
-- controller does not know. PID uses no model and lags behind. Computed torque is exact without
-- payload and friction. Adaptive control learns the inertia of link 7 during the motion. `reached`
-- states if the error of every joint is below 0.05 rad during the last two seconds, and the mean of
-- `reached` is the part of the robots that the controller can move.
--   ./torsor study scenes/payload_robustness.lua --samples 1000
--   ./torsor study scenes/payload_robustness.lua --samples 1000 --set law=computed_torque
--   ./torsor study scenes/payload_robustness.lua --grid law=pid,computed_torque,adaptive
local torsor = require "torsor"

local p = torsor.params{
  law = torsor.choice{ "computed_torque", "pid", "adaptive" },
  payload = torsor.normal(4, 1, { min = 0, unit = "kg" }),
  friction = torsor.uniform(0, 1),  -- Coulomb friction, relative to that of worn gears
  bandwidth = 15.0,  -- rad/s
}
local build = require("robots.iiwa").build

local coulomb = {}
for i, worn in ipairs{ 8, 8, 6, 6, 3, 1.5, 1 } do coulomb[i] = p.friction * worn end
local arm = build{ coulomb = coulomb }
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
options.reference, options.rate, options.name, options.model = swing, 1000, "control", build{}
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
  outcome = { function(run)
    local all = run:metrics()["iiwa.control"]
    local worst, last = 0, 0
    for _, joint in pairs(all.joints) do worst = math.max(worst, joint.peak_error) end
    for i = 1, 7 do last = math.max(last, math.abs(run:final("iiwa.control.error.joint" .. i))) end
    return {
      reached = run:failure() == nil and worst < 0.05,
      worst_error = worst,
      final_error = last,
      rms_error = all.rms_error,
      peak_torque = all.peak_torque,
      motor_work = all.motor_work,
    }
  end, units = { worst_error = "rad", final_error = "rad", rms_error = "rad", peak_torque = "N m", motor_work = "J" } },
}
