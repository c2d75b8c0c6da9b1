-- A biped of 25 kg: a trunk and two legs, left and right, with six joints each. SIDE_yaw,
-- SIDE_roll and SIDE_hip meet in one point, and so do SIDE_pitch and SIDE_ankle of the foot.
-- SIDE_knee is between them. The axes of yaw, roll, hip, knee, pitch and ankle are z, x, y, y, y
-- and x. Each foot is a box of 0.2 m x 0.1 m. The frame SIDE_sole is the centre of its lower
-- face.
local torsor = require "torsor"
local shapes = require "shapes"

local thigh, ankle = 0.35, 0.06           -- m; the shank is as long as the thigh
local width = 0.1                         -- m from the middle to a hip
local sole = {0.2, 0.1}
local x, y, z = {1, 0, 0}, {0, 1, 0}, {0, 0, 1}
local axes = { yaw = z, roll = x, hip = y, knee = y, pitch = y, ankle = x }

local function leg(robot, side, at, o)
  local function link(part, parent, xyz, mass, visual)
    robot:link{
      name = side .. "_" .. part, parent = parent, origin = { xyz = xyz },
      joint = { "revolute", name = side .. "_" .. part, axis = axes[part],
        armature = 0.02, damping = 0.5, limits = { lower = -2.8, upper = 2.8, velocity = 20, effort = o.effort } },
      inertia = { mass = mass, from = "visuals" }, visuals = { visual },
    }
  end
  local function rod(radius, color)
    return { capsule = { radius = radius, length = thigh }, origin = { xyz = {0, 0, -thigh / 2} }, color = color }
  end
  local here = {0, 0, 0}
  link("yaw", "trunk", {0, at, 0}, 0.6, { cylinder = { radius = 0.05, length = 0.06 }, color = shapes.dark })
  link("roll", side .. "_yaw", here, 0.6, { sphere = { radius = 0.05 }, color = shapes.dark })
  link("hip", side .. "_roll", here, 2.2, rod(0.05, shapes.white))
  link("knee", side .. "_hip", {0, 0, -thigh}, 1.6, rod(0.04, shapes.white))
  link("pitch", side .. "_knee", {0, 0, -thigh}, 0.4, { sphere = { radius = 0.04 }, color = shapes.dark })
  local box = { xyz = {0, 0, 0.02 - ankle} }
  link("ankle", side .. "_pitch", here, 0.6, { box = {sole[1], sole[2], 0.04}, origin = box, color = shapes.blue })
  robot:collision{ link = side .. "_ankle", box = {sole[1], sole[2], 0.04}, origin = box, mu = o.mu }
  robot:frame{ name = side .. "_sole", link = side .. "_ankle", origin = { xyz = {0, 0, -ankle} } }
end

-- Returns the robot. Options:
--   mu       friction of the soles
--   effort   limit of the torques, N m
local function build(options)
  local o = torsor.options(options, { name = "biped", mu = 0.8, effort = 120 })
  local robot = torsor.robot{ name = o.name }
  robot:link{
    name = "trunk", joint = { "floating", name = "base" },
    inertia = { mass = 13, from = "visuals" },
    visuals = { { box = {0.16, 0.26, 0.4}, origin = { xyz = {0, 0, 0.25} }, color = shapes.blue } },
    collisions = { { box = {0.16, 0.26, 0.4}, origin = { xyz = {0, 0, 0.25} } } },
  }
  leg(robot, "left", width, o)
  leg(robot, "right", -width, o)
  return robot
end

-- Returns the motion { q, v, vdot } in which the trunk is level and its y has the derivatives y,
-- ydot and yddot. The soles stay on the plane z = 0. Both legs turn by the same angle a:
--   y = L sin a,   z = L cos a + ankle,   L = 2 thigh cos(bend)
local function sway(bend, y, ydot, yddot)
  local L = 2 * thigh * math.cos(bend)
  local a = math.asin(y / L)
  local s, c = math.sin(a), math.cos(a)
  local adot = ydot / (L * c)
  local addot = (yddot + L * s * adot ^ 2) / (L * c)
  local q = {0, y, L * c + ankle, 1, 0, 0, 0}
  local v = {0, 0, 0, 0, ydot, -L * s * adot}
  local vdot = {0, 0, 0, 0, yddot, -L * (c * adot ^ 2 + s * addot)}
  for _ = 1, 2 do
    table.move({0, -a, -bend, 2 * bend, -bend, a}, 1, 6, #q + 1, q)
    table.move({0, -adot, 0, 0, 0, adot}, 1, 6, #v + 1, v)
    table.move({0, -addot, 0, 0, 0, addot}, 1, 6, #vdot + 1, vdot)
  end
  return { q = q, v = v, vdot = vdot }
end

return { build = build, sway = sway, sole = sole, thigh = thigh, width = width }
