-- A quadruped of 18 kg: a trunk and four legs with three joints each. LEG is front_left,
-- front_right, rear_left or rear_right. The joint LEG_roll turns the hip about x, LEG_hip the thigh
-- and LEG_knee the shank about y. The feet are balls of radius 2 cm. They and the trunk can
-- touch the ground. The frame LEG_foot is the centre of a foot.
local torsor = require "torsor"
local shapes = require "shapes"

local legs = { front_left = {1, 1}, front_right = {1, -1}, rear_left = {-1, 1}, rear_right = {-1, -1} }
local names = { "front_left", "front_right", "rear_left", "rear_right" }
local thigh, foot_radius = 0.25, 0.02             -- m; the shank is as long as the thigh

local function leg(robot, name, o)
  local x, y = table.unpack(legs[name])
  local function link(part, parent, axis, xyz, mass, visual, rest)
    robot:link{
      name = name .. "_" .. part, parent = parent, origin = { xyz = xyz },
      joint = { "revolute", name = name .. "_" .. part, axis = axis,
        armature = 0.01, damping = o.damping, spring = { stiffness = o.stiffness, rest = rest or 0 },
        limits = { lower = -2.8, upper = 2.8, velocity = 20, effort = o.effort } },
      inertia = { mass = mass, from = "visuals" }, visuals = { visual },
    }
  end
  local function rod(radius, color)
    return { capsule = { radius = radius, length = thigh }, origin = { xyz = {0, 0, -thigh / 2} }, color = color }
  end
  link("roll", "trunk", {1, 0, 0}, {0.25 * x, 0.1 * y, 0}, 0.5, { sphere = { radius = 0.045 }, color = shapes.dark })
  link("hip", name .. "_roll", {0, 1, 0}, {0, 0.05 * y, 0}, 0.7, rod(0.025, shapes.white), o.bend)
  link("knee", name .. "_hip", {0, 1, 0}, {0, 0, -thigh}, 0.3, rod(0.015, shapes.grey), -2 * o.bend)
  local tip = { xyz = {0, 0, -thigh} }
  robot:collision{ link = name .. "_knee", sphere = { radius = foot_radius }, origin = tip, mu = o.mu }
  robot:frame{ name = name .. "_foot", link = name .. "_knee", origin = tip }
end

-- Returns the robot, its position when it stands on the plane z = 0, and the names of the frames of
-- its feet. Options:
--   mu       friction of the feet
--   effort   limit of the torques, N m
--   bend     angle of the thighs, rad
--   damping, stiffness   of the joints. Springs have no force in the returned position
local function build(options)
  local o = torsor.options(options, { name = "quadruped", mu = 0.8, effort = 40, bend = 0.7, damping = 0.2, stiffness = 0 })
  local robot = torsor.robot{ name = o.name }
  robot:link{
    name = "trunk", joint = { "floating", name = "base" },
    inertia = { mass = 12, from = "visuals" }, visuals = { { box = {0.6, 0.2, 0.12}, color = shapes.blue } },
    collisions = { { box = {0.6, 0.2, 0.12} } },
  }
  local q, feet = { base = {0, 0, 2 * thigh * math.cos(o.bend) + foot_radius, 1, 0, 0, 0} }, {}
  for i, name in ipairs(names) do
    leg(robot, name, o)
    q[name .. "_hip"], q[name .. "_knee"] = o.bend, -2 * o.bend
    feet[i] = name .. "_foot"
  end
  return robot, q, feet
end

return { build = build, foot_radius = foot_radius }
