-- A small arm from a URDF file is pushed sideways at its gripper.
local torsor = require "torsor"

local arm = torsor.urdf("urdf_arm.urdf")
arm:frame{ name = "grip", link = "gripper", origin = { xyz = {0, 0, 0.06} } }
arm:set{ q = { shoulder = 0.4, elbow = 0.9 } }
arm:apply{ wrenches = { grip = { force = {0, 2, 0} } } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm, { at = { xyz = {0, 0, 0.8}, rpy_deg = {0, 0, 45} } })

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 3,
  record = { "urdf_arm.q", "urdf_arm.pose.grip", "urdf_arm.twist.grip", "energy" },
  record_interval = 0.01,
}
