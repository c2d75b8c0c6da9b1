-- A two-link arm repeats a motion from the file playback.csv by computed torque. arm.control.w has
-- corners at the rows of the file. If you set interpolation=linear, the velocity jumps at the rows,
-- which no motor can follow. Compare the errors.
local torsor = require "torsor"

local p = torsor.params{ interpolation = "cubic" }

local arm = torsor.robot{ name = "arm" }
for _, joint in ipairs{ "shoulder", "elbow" } do
  arm:link{
    name = joint .. "_link", parent = joint == "elbow" and "shoulder_link" or nil,
    joint = { "revolute", name = joint, axis = {0, -1, 0}, point = {joint == "elbow" and 0.4 or 0, 0, 0} },
    inertia = { mass = 2, com = {0.2, 0, 0}, about_com = { Ixx = 0.002, Iyy = 0.03, Izz = 0.03 } },
  }
end
local motion = arm:trajectory("playback", { path = "playback.csv", interpolation = p.interpolation })
arm:set{ q = motion:at(0).q }
arm:control("computed_torque", { name = "control", reference = motion, frequency = 20, rate = 1000 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = motion.duration + 0.2,
  record = { "arm.q", "arm.tau", "arm.control.error", "arm.control.w", "energy" },
  record_interval = 0.01,
  metrics = true,
}
