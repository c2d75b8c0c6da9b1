-- A humanoid with 21 hinges falls on the ground. Springs and dampers act at its joints. Its
-- proportions are those of the humanoid of OpenAI Gym. x is forward, y to the left.
local torsor = require "torsor"
local p = torsor.params{ height = 1.6, mu = 0.7 }

local robot = torsor.robot{ name = "humanoid" }
local density = 1000

-- Returns the visual and the collision shape of a capsule between two points.
local function capsule(from, to, radius)
  local d = { to[1] - from[1], to[2] - from[2], to[3] - from[3] }
  local length = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
  local tilt, turn = math.acos(d[3] / length), math.atan(d[2], d[1])
  return { capsule = { radius = radius, length = length },
    origin = { xyz = { (from[1] + to[1]) / 2, (from[2] + to[2]) / 2, (from[3] + to[3]) / 2 }, rpy = {0, tilt, turn} } }
end
local function ball(center, radius) return { sphere = { radius = radius }, origin = { xyz = center } } end
local function with(shape, key, value)
  local out = {}
  for k, v in pairs(shape) do out[k] = v end
  if key then out[key] = value end
  return out
end
local function solid(shapes)
  local visuals, collisions = {}, {}
  for i, shape in ipairs(shapes) do
    visuals[i], collisions[i] = with(shape), with(shape, "mu", p.mu)
  end
  return { visuals = visuals, collisions = collisions, inertia = { density = density } }
end

-- Adds a link that several hinges with axes through one point connect to its parent. All links
-- between the hinges have no mass.
local function limb(name, parent, xyz, hinges, shapes)
  for i, hinge in ipairs(hinges) do
    local last = i == #hinges
    local link = last and solid(shapes) or { massless = true }
    link.name = last and name or hinge.name .. "_cross"
    link.parent = parent
    link.origin = { xyz = i == 1 and xyz or {0, 0, 0} }
    link.joint = { "revolute", name = hinge.name, axis = hinge.axis, armature = hinge.armature or 0.01,
      damping = hinge.damping or 5, spring = { stiffness = hinge.stiffness or 10, rest = 0 } }
    robot:link(link)
    parent = link.name
  end
end

local torso = solid{ capsule({0, -0.07, 0}, {0, 0.07, 0}, 0.07), ball({0, 0, 0.19}, 0.09),
  capsule({-0.01, -0.06, -0.12}, {-0.01, 0.06, -0.12}, 0.06) }
torso.name, torso.joint = "torso", { "floating", name = "base" }
robot:link(torso)
limb("waist", "torso", {-0.01, 0, -0.195}, {
  { name = "abdomen_z", axis = {0, 0, 1}, armature = 0.02, stiffness = 20 },
  { name = "abdomen_y", axis = {0, 1, 0}, armature = 0.02, stiffness = 20 },
}, { capsule({0, -0.06, -0.065}, {0, 0.06, -0.065}, 0.06) })
limb("pelvis", "waist", {0, 0, -0.13}, { { name = "abdomen_x", axis = {1, 0, 0}, armature = 0.02 } },
  { capsule({-0.02, -0.07, -0.1}, {-0.02, 0.07, -0.1}, 0.09) })
for side, name in pairs{ [-1] = "right", [1] = "left" } do
  limb(name .. "_thigh", "pelvis", {0, 0.1 * side, -0.14}, {
    { name = name .. "_hip_x", axis = {side, 0, 0} },
    { name = name .. "_hip_z", axis = {0, 0, side} },
    { name = name .. "_hip_y", axis = {0, 1, 0}, stiffness = 20 },
  }, { capsule({0, 0, 0}, {0, -0.01 * side, -0.34}, 0.06) })
  limb(name .. "_shin", name .. "_thigh", {0, -0.01 * side, -0.403}, {
    { name = name .. "_knee", axis = {0, -1, 0}, damping = 1, stiffness = 1, armature = 0.006 } },
    { capsule({0, 0, 0}, {0, 0, -0.3}, 0.049) })
  limb(name .. "_foot", name .. "_shin", {0, 0, -0.39}, {
    { name = name .. "_ankle_y", axis = {0, 1, 0}, damping = 1, stiffness = 4, armature = 0.008 },
    { name = name .. "_ankle_x", axis = {1, 0, 0.5}, damping = 1, stiffness = 1, armature = 0.006 },
  }, { capsule({-0.07, -0.02, -0.02}, {0.14, -0.04, -0.02}, 0.027), capsule({-0.07, 0.02, -0.02}, {0.14, 0.04, -0.02}, 0.027) })
  limb(name .. "_upper_arm", "torso", {0, 0.17 * side, 0.06}, {
    { name = name .. "_shoulder_1", axis = {2, side, side}, damping = 1, stiffness = 1, armature = 0.0068 },
    { name = name .. "_shoulder_2", axis = {0, -side, 1}, damping = 1, stiffness = 1, armature = 0.0051 },
  }, { capsule({0, 0, 0}, {0.16, 0.16 * side, -0.16}, 0.04) })
  limb(name .. "_lower_arm", name .. "_upper_arm", {0.18, 0.18 * side, -0.18}, {
    { name = name .. "_elbow", axis = {0, -side, -1}, damping = 1, stiffness = 1, armature = 0.0028 } },
    { capsule({0.01, -0.01 * side, 0.01}, {0.17, -0.17 * side, 0.17}, 0.031), ball({0.18, -0.18 * side, 0.18}, 0.04) })
end
robot:set{ q = { base = { xyz = {0, 0, p.height}, rpy = {0, 0.1, 0} } } }

local world = torsor.world()
world:collision{ half_space = {0, 0, 1}, name = "ground", mu = p.mu }
world:add(robot)
return world:experiment{
  solver = "articulated_body", integrator = { "time_stepping", dt = 1e-3 }, duration = 4,
  record = { "humanoid.q", "energy" }, record_interval = 0.01,
}
