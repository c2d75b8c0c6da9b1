-- A two-link arm lifts a load along a given path in minimum time. At each time, a motor gives its
-- largest torque or a joint has its largest speed: look at arm.tau and arm.v. The options --set
-- shoulder=50 and --set elbow=15 make weaker motors. This command draws the phase plane of the path
-- with its maximum velocity curve:
--   ./torsor trajectory playback scenes/time_optimal.lua --time-optimal --phase phase.png \
--     --parameter path=scenes/time_optimal.csv
local torsor = require "torsor"
local shapes = require "shapes"

local p = torsor.params{ shoulder = 60, elbow = 20, speed = 9, load = 2 }

local arm = torsor.robot{ name = "arm" }
local function link(name, parent, offset, mass, length, effort)
  arm:link{
    name = name, parent = parent, origin = { xyz = offset },
    joint = { "revolute", name = name .. "_joint", axis = {0, -1, 0}, damping = 0.4,
              limits = { effort = effort, velocity = p.speed } },
    inertia = { mass = mass, com = {length / 2, 0, 0},
                about_com = { Ixx = 0.01, Iyy = mass * length^2 / 12, Izz = mass * length^2 / 12 } },
    visuals = { shapes.bar("x", 0.04, 0, length, shapes.grey) },
  }
end
link("upper", nil, {0, 0, 0}, 4, 0.5, p.shoulder)
link("lower", "upper", {0.5, 0, 0}, 2 + p.load, 0.4, p.elbow)

local path = arm:trajectory("playback", { path = "time_optimal.csv" })
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)
local fastest = arm:dynamics{ solver = "newton_euler" }:time_optimal(path)

local move = fastest.move

arm:set{ q = move:at(0).q }
arm:control("computed_torque", { name = "control", reference = move, frequency = 20 })

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = 2e-3 * math.ceil((move.duration + 0.2) / 2e-3),
  record = { "arm.q", "arm.v", "arm.tau", "arm.control.error", "energy" },
  record_interval = 2e-3,
}
