-- A SCARA in standard DH rows: two revolute joints in the plane, a prismatic joint downward, a
-- revolute joint at the tool. Lengths, masses and rotors are typical of a commercial 0.6 m machine.
local torsor = require "torsor"
local shapes = require "shapes"

-- The frame of each link is at its far end, with x along the arm. From link 2 on, z points down.
local links = {
  { kind = "revolute", row = { a = 0.325, alpha = 0, d = 0.39, theta = 0 },
    mass = 8, com = {-0.17, 0, -0.03}, I = { Ixx = 0.02, Iyy = 0.12, Izz = 0.12 }, armature = 1.2, damping = 4 },
  { kind = "revolute", row = { a = 0.275, alpha_deg = 180, d = 0, theta = 0 },
    mass = 6, com = {-0.12, 0, -0.05}, I = { Ixx = 0.02, Iyy = 0.07, Izz = 0.07 }, armature = 0.5, damping = 2 },
  { kind = "prismatic", row = { a = 0, alpha = 0, d = 0.05, theta = 0 },
    mass = 1.2, com = {0, 0, -0.1}, I = { Ixx = 0.006, Iyy = 0.006, Izz = 0.0002 }, armature = 15, damping = 300 },
  { kind = "revolute", row = { a = 0, alpha = 0, d = 0, theta = 0 },
    mass = 0.4, com = {0, 0, 0.02}, I = { Ixx = 0.0003, Iyy = 0.0003, Izz = 0.0002 }, armature = 0.02, damping = 0.1 },
}

-- Shapes of the links. The column belongs to link 1. Its rotation is invisible, because it is
-- round.
local bar, box, white, grey, blue = shapes.bar, shapes.box, shapes.white, shapes.grey, shapes.blue
local column, elbow = {-0.325, 0, 0}, {-0.275, 0, 0}
local visuals = {
  { bar("z", 0.13, -0.39, -0.365, shapes.dark, column), bar("z", 0.085, -0.365, -0.05, grey, column),
    bar("z", 0.092, -0.05, 0.05, white, column), box({0.325, 0.13, 0.08}, {-0.1625, 0, 0}, white),
    bar("z", 0.072, -0.045, 0.045, white) },
  { bar("z", 0.07, -0.15, -0.048, white, elbow), box({0.275, 0.12, 0.09}, {-0.1375, 0, -0.1}, white),
    bar("z", 0.062, -0.15, -0.045, white), box({0.2, 0.1, 0.05}, {-0.17, 0, -0.17}, blue) },
  { bar("z", 0.012, -0.3, 0, grey) },
  { bar("z", 0.022, 0, 0.02, shapes.dark), box({0.06, 0.016, 0.012}, {0, 0, 0.026}, blue),
    bar("z", 0.008, 0.032, 0.05, grey) },
}

-- Options:
--   payload   a point mass at the tool, kg
local function build(options)
  local o = torsor.options(options, { name = "scara", payload = 0 })
  local arm = torsor.robot{ name = o.name }
  for i, link in ipairs(links) do
    arm:link{
      name = "link" .. i,
      parent = i > 1 and "link" .. i - 1 or nil,
      joint = { link.kind, name = "joint" .. i, standard_dh = link.row, armature = link.armature, damping = link.damping },
      inertia = { mass = link.mass, com = link.com, about_com = link.I },
      visuals = visuals[i],
    }
  end
  local tool = { xyz = {0, 0, 0.05} }
  arm:frame{ name = "tool", link = "link4", origin = tool }
  if o.payload ~= 0 then
    arm:link{
      name = "payload", parent = "link4", joint = { "fixed" }, origin = tool,
      inertia = { mass = o.payload, com = {0, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } },
      visuals = { shapes.ball(0.03, shapes.dark) },
    }
  end
  return arm
end

return { build = build }
