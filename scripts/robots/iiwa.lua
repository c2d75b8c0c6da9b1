-- KUKA LBR iiwa 14: seven revolute joints about the z axes of their links. Kinematics and
-- identified inertias are from the table of MK. The inertias are in kg m^2 about the centre of
-- mass, in link axes. The code of the paper uses them about the origin of the link. Here they are
-- used as the text of the paper states.
local torsor = require "torsor"
local shapes = require "shapes"

local quarter = math.pi / 2

-- Pose of each link in the previous one at q = 0 (position, rotation about x), and its inertia.
local links = {
  { roll = 0, xyz = {0, 0, 0}, mass = 3.94781, com = {-0.00351, 0.0016, -0.03139},
    I = { Ixx = 0.00455, Iyy = 0.00454, Izz = 0.00029, Ixy = 0, Ixz = 0, Iyz = 1e-05 } },
  { roll = quarter, xyz = {0, 0, 0}, mass = 4.50275, com = {-0.00767, 0.16669, -0.00355},
    I = { Ixx = 0.00032, Iyy = 0.0001, Izz = 0.00042, Ixy = 0, Ixz = 0, Iyz = 0 } },
  { roll = -quarter, xyz = {0, 0.42, 0}, mass = 2.4552, com = {-0.00225, -0.03492, -0.02652},
    I = { Ixx = 0.00223, Iyy = 0.00219, Izz = 0.00073, Ixy = -5e-05, Ixz = 7e-05, Iyz = 7e-05 } },
  { roll = -quarter, xyz = {0, 0, 0}, mass = 2.61155, com = {0.0002, -0.05268, 0.03818},
    I = { Ixx = 0.03844, Iyy = 0.01144, Izz = 0.04988, Ixy = 0.00088, Ixz = -0.00112, Iyz = -0.00111 } },
  { roll = quarter, xyz = {0, -0.4, 0}, mass = 3.41, com = {5e-05, -0.00237, -0.21134},
    I = { Ixx = 0.00277, Iyy = 0.00284, Izz = 0.00012, Ixy = -1e-05, Ixz = 1e-05, Iyz = 0 } },
  { roll = quarter, xyz = {0, 0, 0}, mass = 3.38795, com = {0.00049, 0.02019, -0.0275},
    I = { Ixx = 0.0005, Iyy = 0.00281, Izz = 0.00232, Ixy = -5e-05, Ixz = -3e-05, Iyz = -4e-05 } },
  { roll = -quarter, xyz = {0, 0, 0}, mass = 0.35432, com = {-0.03466, -0.02324, 0.07138},
    I = { Ixx = 0.00795, Iyy = 0.01089, Izz = 0.00294, Ixy = 0.00022, Ixz = -0.00029, Iyz = -0.00029 } },
}

-- Shapes of the links. The base frame of the robot is at the shoulder, 0.36 m above the foot. The
-- foot belongs to link 1. Its rotation is invisible, because it is round.
local bar, ball, white, grey, orange = shapes.bar, shapes.ball, shapes.white, shapes.grey, shapes.orange
local visuals = {
  { bar("z", 0.115, -0.36, -0.33, shapes.dark), bar("z", 0.09, -0.33, -0.2, grey), bar("z", 0.078, -0.2, 0, white),
    ball(0.086, white) },
  { bar("z", 0.068, -0.096, 0.096, grey), bar("z", 0.05, -0.1, 0.1, orange), bar("y", 0.07, 0, 0.21, white) },
  { bar("z", 0.073, -0.215, -0.2, grey), bar("z", 0.067, -0.2, 0, white), ball(0.078, white) },
  { bar("z", 0.062, -0.088, 0.088, grey), bar("z", 0.045, -0.092, 0.092, orange), bar("y", 0.062, -0.2, 0, white) },
  { bar("z", 0.065, -0.205, -0.19, grey), bar("z", 0.058, -0.19, 0, white), ball(0.068, white) },
  { bar("z", 0.052, -0.076, 0.076, grey), bar("z", 0.038, -0.08, 0.08, orange), bar("y", 0.052, 0, 0.085, white) },
  { bar("z", 0.045, 0.085, 0.115, grey), bar("z", 0.032, 0.115, 0.126, shapes.dark),
    shapes.box({0.02, 0.006, 0.02}, {0.042, 0, 0.1}, orange) },
}

-- Options, each one number for all joints or a list of seven:
--   armature   inertia of the rotors, reflected to the joints, kg m^2; 0: links only.
--              KUKA publishes no values. The defaults are plausible for motors of this class with
--              gears of about 1:100.
--   damping    viscous friction of the joints, N m s/rad; plausible values
--   coulomb    Coulomb friction of the joints, N m
-- Options with one number:
--   payload    mass of a point 0.1 m in front of the flange, kg
local function build(options)
  local o = torsor.options(options, {
    name = "iiwa",
    armature = {0.4, 0.4, 0.3, 0.3, 0.1, 0.05, 0.03},
    damping = {5, 5, 3, 3, 1, 0.6, 0.4},
    coulomb = {0, 0, 0, 0, 0, 0, 0},
    payload = 0,
  })
  -- The identified inertias of links 4 and 7 violate the triangle inequality by 0.6 %, because they
  -- are rounded to five decimals. They are used as published.
  local arm = torsor.robot{ name = o.name, allow_nonphysical = true }
  for i, link in ipairs(links) do
    arm:link{
      name = "link" .. i,
      parent = i > 1 and "link" .. i - 1 or nil,
      joint = { "revolute", name = "joint" .. i, axis = {0, 0, 1}, armature = o.armature[i], damping = o.damping[i],
                friction = o.coulomb[i] > 0 and { "coulomb", coulomb = o.coulomb[i] } or nil },
      origin = { xyz = link.xyz, rpy = {link.roll, 0, 0} },
      inertia = { mass = link.mass, com = link.com, about_com = link.I },
      visuals = visuals[i],
    }
  end
  if o.payload ~= 0 then
    arm:link{
      name = "payload", parent = "link7", joint = { "fixed" }, origin = { xyz = {0, 0, 0.226} },
      inertia = { mass = o.payload, com = {0, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } },
      visuals = { ball(0.03, shapes.dark) },
    }
  end
  return arm
end

return { build = build }
