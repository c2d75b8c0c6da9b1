-- The deck of a ship rolls with a prescribed motion. A crane on the deck turns to a load at rest,
-- picks it up, carries it to another place and releases it. The control of the crane is sampled 100
-- times per second and does not know the load.
local torsor = require "torsor"

local p = torsor.params{ roll_deg = 6, period = 4, load = 40, kp = 4000, kd = 1500 }

local crane = torsor.robot{ name = "crane" }
crane:link{
  name = "deck",
  joint = { "revolute", name = "roll", axis = {1, 0, 0} },
  inertia = { mass = 2000, com = {0, 0, -0.5}, about_com = { Ixx = 1500, Iyy = 4000, Izz = 5000 } },
  visuals = { { box = {6, 3, 0.3}, origin = { xyz = {0, 0, -0.15} }, color = {0.45, 0.35, 0.25} } },
}
crane:link{
  name = "post", parent = "deck",
  joint = { "revolute", name = "slew", axis = {0, 0, 1}, damping = 20 },
  inertia = { mass = 100, com = {0, 0, 1}, about_com = { Ixx = 35, Iyy = 35, Izz = 4 } },
  visuals = { { cylinder = { radius = 0.2, length = 2 }, origin = { xyz = {0, 0, 1} }, color = {0.8, 0.5, 0.1} } },
}
crane:link{
  name = "boom", parent = "post", origin = { xyz = {0, 0, 2} },
  joint = { "revolute", name = "luff", axis = {0, -1, 0}, damping = 20,
            friction = { "coulomb", coulomb = 30, static = 40 } },
  inertia = { mass = 60, com = {1.5, 0, 0}, about_com = { Ixx = 1, Iyy = 45, Izz = 45 } },
  visuals = { { box = {3, 0.15, 0.15}, origin = { xyz = {1.5, 0, 0} }, color = {0.9, 0.7, 0.1} } },
}
crane:frame{ name = "hook", link = "boom", origin = { xyz = {3, 0, 0} } }
crane:set{ q = { luff = 0.6 } }

local A, w = math.rad(p.roll_deg), 2 * math.pi / p.period
crane:prescribe{ motion = { roll = function(t) return A * w * math.cos(w * t), -A * w * w * math.sin(w * t) end } }

crane:payload{
  frame = "hook", attach = 2, release = 5,
  inertia = { mass = p.load, com = {0, 0, -0.3}, about_com = { Ixx = 2.4, Iyy = 2.4, Izz = 2.4 } },
}

-- Returns the reference of the slew angle: a smooth step and its reverse.
local function slew(t)
  local s = math.max(0, math.min(1, t < 3 and t / 1.5 or (4.5 - t) / 1.5))
  return 1.2 * s * s * (3 - 2 * s)
end
crane:control(function(t, state)
  local q, v = state.q, state.v
  local weight = 60 * 9.81 * 1.5 * math.cos(q[3])
  return { 0, p.kp * (slew(t) - q[2]) - p.kd * v[2], weight + p.kp * (0.6 - q[3]) - p.kd * v[3] }
end, { rate = 100 })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(crane)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 0.005 },
  duration = 6,
  record = { "crane.q", "crane.tau", "crane.constraint", "crane.pose.hook", "energy" },
}
