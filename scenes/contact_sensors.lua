-- An arm lowers a round tool onto a table and presses it down. Sensors show the contact: a switch,
-- the force on the tool, a force-torque sensor at the wrist in the axes of its frame, and an
-- inertial measurement unit (IMU). At rest, the wrist carries the weight of the tool minus the
-- force of the table.
local torsor = require "torsor"
local p = torsor.params{ stiffness = 400, mu = 0.3, depth = 0.03 }

local length, radius, height = 0.5, 0.04, 0.2
local arm = torsor.robot{ name = "arm" }
local function link(name, parent, origin, mass, l, collisions)
  local I = mass * l^2 / 12
  arm:link{
    name = name, parent = parent, origin = { xyz = origin },
    joint = { "revolute", name = name .. "_joint", axis = {0, 1, 0} },
    inertia = { mass = mass, com = {l / 2, 0, 0},
                about_com = { Ixx = 1e-4 * mass, Iyy = I, Izz = I } },
    visuals = { { box = {l, 0.04, 0.04}, origin = { xyz = {l / 2, 0, 0} } } },
    collisions = collisions,
  }
end
link("upper", nil, {0, 0, 0.5}, 3, length)
link("fore", "upper", {length, 0, 0}, 2, length)
link("tool", "fore", {length, 0, 0}, 0.5, 0.1, {
  { sphere = { radius = radius }, origin = { xyz = {0.1, 0, 0} }, name = "tip", mu = p.mu } })
arm:frame{ name = "sensor", link = "tool",          -- z along the tool
           origin = { xyz = {0.02, 0, 0}, rpy_deg = {0, 90, 0} } }

-- Returns the angles at which the tool points down, with the centre of its tip at (x, z).
local function pointing_down(x, z)
  local down = 0.5 - (z + 0.1)                      -- the wrist, below the shoulder
  local elbow = -math.acos((x^2 + down^2 - 2 * length^2) / (2 * length^2))
  local shoulder = math.atan(down, x) - math.atan(math.sin(elbow), 1 + math.cos(elbow))
  return { shoulder, elbow, math.pi / 2 - shoulder - elbow }
end
local above = height + radius
local start, goal = pointing_down(0.6, above + 0.1), pointing_down(0.65, above - p.depth)
arm:set{ q = start }

local world = torsor.world()
world:add(arm)
world:collision{ box = {1, 1, height}, origin = { xyz = {0.8, 0, height / 2} }, name = "table",
                 mu = p.mu }
arm:control("pd_gravity", {
  reference = arm:trajectory("septic", { from = start, to = goal, duration = 1 }),
  kp = { p.stiffness, p.stiffness, 20 }, kd = { 60, 30, 0.3 },
})
return world:experiment{
  solver = "articulated_body", integrator = { dt = 5e-4 }, duration = 2, record_interval = 0.01,
  record = { "arm.q", "arm.touch.tool", "contact.table:tool.force", "contact.tool.slip",
             "arm.joint_wrench.tool_joint:sensor", "arm.imu.sensor", "energy" },
}
