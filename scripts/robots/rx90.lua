-- The Staeubli RX-90 of KHALIL: six revolute joints in modified DH rows, d3 = r4 = 0.45 m. The
-- inertias are plausible values, not those of the manufacturer.
local torsor = require "torsor"
local shapes = require "shapes"

local quarter = math.pi / 2
local rows = {
  { alpha = 0, d = 0, theta = 0, r = 0 },
  { alpha = quarter, d = 0, theta = 0, r = 0 },
  { alpha = 0, d = 0.45, theta = 0, r = 0 },
  { alpha = -quarter, d = 0, theta = 0, r = 0.45 },
  { alpha = quarter, d = 0, theta = 0, r = 0 },
  { alpha = -quarter, d = 0, theta = 0, r = 0 },
}

local function principal(xx, yy, zz)
  return { Ixx = xx, Iyy = yy, Izz = zz }
end

-- Mass (kg), first moment m c (kg m) and inertia (kg m^2), both about the origin of the link.
-- armature is the inertia of the rotor reflected to the joint. Two warnings of `torsor lint` are
-- expected. Link 1 has no mass, because it is never lifted. The shape of link 2 is at the upper arm
-- of the machine, next to its centre of mass.
local standard = {
  { mass = 0, first_moment = {0, 0, 0}, about_origin = principal(0.9, 0.9, 1.1), armature = 0.9 },
  { mass = 30, first_moment = {6.3, 0.6, 0}, about_origin = principal(0.162, 2.273, 2.335), armature = 1.1 },
  { mass = 18, first_moment = {0, -0.54, 0}, about_origin = principal(0.2962, 0.1, 0.2762), armature = 0.65 },
  { mass = 8, first_moment = {0, 0, -0.96}, about_origin = principal(0.2152, 0.2152, 0.022), armature = 0.22 },
  { mass = 3, first_moment = {0, -0.06, 0}, about_origin = principal(0.0112, 0.008, 0.0102), armature = 0.15 },
  { mass = 1.2, first_moment = {0, 0, 0.072}, about_origin = principal(0.00852, 0.00802, 0.0022), armature = 0.08 },
}

-- Base parameters of the same dynamics (Gautier and Khalil 1990; KHALIL 7.5.3). Parts of masses and
-- inertias are grouped into other parameters, so no link is a rigid body by itself. Rotors 1 and 2
-- are part of the inertias about z.
local base = {
  { mass = 0, first_moment = {0, 0, 0}, about_origin = principal(0, 0, 10.4885), armature = 0 },
  { mass = 0, first_moment = {19.89, 0.6, 0}, about_origin = principal(-8.2265, 0, 9.5505), armature = 0 },
  { mass = 0, first_moment = {0, 3.99, 0}, about_origin = principal(2.0179, 0, 2.0979), armature = 0.65 },
  { mass = 0, first_moment = {0, 0, 0}, about_origin = principal(0.008, 0, 0.03), armature = 0.22 },
  { mass = 0, first_moment = {0, 0.012, 0}, about_origin = principal(0.01122, 0, 0.01822), armature = 0.15 },
  { mass = 0, first_moment = {0, 0, 0}, about_origin = principal(0.0005, 0, 0.0022), armature = 0.08 },
}

-- Shapes of the links. Only d3 and r4 are dimensions of the machine. At q = 0 the upper arm is
-- horizontal, along x of links 1 to 3, and the forearm is vertical. The shoulder is 0.42 m above
-- the foot. The foot belongs to link 1. Its rotation is invisible, because it is round.
local bar, box, white, grey, yellow = shapes.bar, shapes.box, shapes.white, shapes.grey, shapes.yellow
local visuals = {
  { bar("z", 0.15, -0.42, -0.39, shapes.dark), bar("z", 0.105, -0.39, -0.16, grey), bar("z", 0.115, -0.16, -0.06, yellow),
    bar("y", 0.11, -0.09, 0.09, yellow) },
  { bar("z", 0.1, 0.092, 0.17, white), box({0.45, 0.14, 0.07}, {0.225, 0, 0.13}, white),
    bar("z", 0.085, 0.092, 0.17, white, {0.45, 0, 0}), bar("z", 0.05, 0.17, 0.176, grey),
    bar("z", 0.04, 0.17, 0.176, grey, {0.45, 0, 0}) },
  { bar("z", 0.08, -0.07, 0.09, yellow), bar("y", 0.068, 0, 0.17, yellow) },
  { bar("z", 0.058, -0.278, -0.06, white), bar("z", 0.062, -0.28, -0.265, grey), box({0.1, 0.03, 0.08}, {0, 0.045, -0.03}, white),
    box({0.1, 0.03, 0.08}, {0, -0.045, -0.03}, white) },
  { bar("z", 0.036, -0.066, 0.066, grey), bar("y", 0.028, 0, 0.055, grey) },
  { bar("z", 0.03, 0.055, 0.075, shapes.dark), box({0.012, 0.012, 0.012}, {0.03, 0, 0.067}, yellow) },
}

-- Options:
--   parameters   "standard" or "base": both sets produce the same motion
--   damping      viscous friction of the joints, N m s/rad: one number or a list of six
--   coulomb      Coulomb friction, N m: one number or a list of six
local function build(options)
  local o = torsor.options(options, { name = "rx90", parameters = "standard", damping = {0, 0, 0, 0, 0, 0},
                                     coulomb = {0, 0, 0, 0, 0, 0} })
  local sets = { standard = standard, base = base }
  local set = sets[o.parameters]
  if not set then
    error("rx90: parameters is '" .. o.parameters .. "'; it must be 'standard' or 'base'", 2)
  end
  local arm = torsor.robot{ name = o.name }
  for i, link in ipairs(set) do
    local body = { mass = link.mass, first_moment = link.first_moment, about_origin = link.about_origin }
    arm:link{
      name = "link" .. i,
      parent = i > 1 and "link" .. i - 1 or nil,
      joint = { "revolute", name = "joint" .. i, modified_dh = rows[i], armature = link.armature, damping = o.damping[i],
                friction = o.coulomb[i] > 0 and { "coulomb", coulomb = o.coulomb[i] } or nil },
      inertia = o.parameters == "base" and { grouped = body } or body,
      visuals = visuals[i],
    }
  end
  return arm
end

return { build = build }
