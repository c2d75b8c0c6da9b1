-- An arm with elastic joints moves to a goal by PD control of its motors (Tomei). The weight of the
-- links at the goal stretches the springs, so compare arm.q with arm.motor_q. The encoders have a
-- finite resolution, and speeds are computed from their differences.
local torsor = require "torsor"

local p = torsor.params{ stiffness = 800, resolution = 1e-4 }

local arm = torsor.robot{ name = "arm" }
local function link(name, parent)
  arm:link{
    name = name, parent = parent,
    joint = { "revolute", name = name .. "_joint", axis = {0, -1, 0}, point = parent and {0.5, 0, 0} or {0, 0, 0},
      elastic = { stiffness = p.stiffness, damping = 1 }, motor = { rotor_inertia = 0.01, gear_ratio = 5 } },
    inertia = { mass = 3, com = {0.25, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.07, Izz = 0.07 } },
  }
end
link("upper")
link("lower", "upper")
arm:control("elastic_pd", { reference = { q = {0.6, 0.4} }, kp = 300, kd = 40, rate = 2000, measures = "motors",
  sensor = { resolution = p.resolution, differentiates = true } })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = 3,
  record = { "arm.q", "arm.motor_q", "arm.elastic_pd.error", "arm.tau", "energy" },
  record_interval = 0.01,
}
