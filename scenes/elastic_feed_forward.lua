-- A two-link arm with elastic joints moves in open loop. The law "elastic_feed_forward" computes
-- the torques from the elastic model and brings the arm to rest exactly. The law "feed_forward"
-- computes them from a rigid arm with the same inertias, and the arm keeps swinging. The reference
-- is a septic, because a jump of its jerk would require a jump of the motor's velocity. A study
-- compares both laws: ./torsor study scenes/elastic_feed_forward.lua
local torsor = require "torsor"

local p = torsor.params{
  law = torsor.choice{ "elastic_feed_forward", "feed_forward" }, duration = 1.0,
}

local rotor = { rotor_inertia = 1.2e-5, gear_ratio = 100 }
local function build(stiffness)
  local arm = torsor.robot{ name = "arm" }
  local parent
  for k, joint in ipairs{ "shoulder", "elbow" } do
    arm:link{
      name = joint .. "_link", parent = parent,
      joint = { "revolute", name = joint, axis = {0, -1, 0}, point = {k == 1 and 0 or 0.5, 0, 0},
        motor = rotor, elastic = stiffness and { stiffness = stiffness[k] } or nil },
      inertia = { mass = 3, com = {0.25, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.07, Izz = 0.07 } },
    }
    parent = joint .. "_link"
  end
  return arm
end

local arm, rigid = build{2000, 1500}, build()
local options = {
  name = "motors", measures = "motors",
  reference = arm:trajectory("septic", { from = {-1.2, 0.4}, to = {0.3, -0.5}, duration = p.duration }),
}
if p.law == "feed_forward" then options.model = rigid end
arm:control(p.law, options)

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

-- Start at rest: the springs carry the weight, K (theta - q) = g(q).
local q0 = {-1.2, 0.4}
local g = arm:dynamics{}:gravity(q0)
arm:set{ q = q0, motor_q = { q0[1] + g[1] / 2000, q0[2] + g[2] / 1500 } }

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-4 },
  duration = p.duration + 0.5,
  record = { "arm.q", "arm.motor_q", "arm.tau", "arm.motors.error", "energy" },
  record_interval = 5e-3,
  metrics = { from = p.duration },
}
