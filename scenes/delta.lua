-- A delta robot: three arms with motors move a platform through three pairs of thin rods. Ball
-- joints at the platform close six loops. The pairs of rods keep the platform from turning. The
-- tree has 21 degrees of freedom; 18 conditions leave 3 of them. The angles of the arms follow from
-- the wanted position in closed form; the motors follow them by PD control.
local torsor = require "torsor"

local p = torsor.params{ base = 0.2, arm = 0.25, rod = 0.55, platform = 0.05, gap = 0.04,
                         period = 1, stiffness = 600, damping = 12 }

-- The platform starts at rest and makes a turn in each period.
local function wanted(t)
  local s = 2 * math.pi * t / p.period
  local w = s - math.sin(s)
  return 0.10 * math.sin(w), 0.08 * math.cos(w), -0.47 + 0.03 * math.sin(2 * w)
end

-- The axes of the side k: outwards, tangential. The position in these axes.
local function side(k)
  local a = math.rad(120) * (k - 1)
  return { math.cos(a), math.sin(a) }, { -math.sin(a), math.cos(a) }
end
local function relative(k, x, y)
  local e, t = side(k)
  return p.platform - p.base + e[1] * x + e[2] * y, t[1] * x + t[2] * y
end

-- The angle of an arm below the horizontal, outwards: the rod has its length.
--   u cos theta - z sin theta = (u^2 + y^2 + z^2 + arm^2 - rod^2) / (2 arm)
local function arm_angle(k, x, y, z)
  local u, tangential = relative(k, x, y)
  local c = (u * u + tangential * tangential + z * z + p.arm ^ 2 - p.rod ^ 2) / (2 * p.arm)
  return math.atan(-z, u) - math.acos(c / math.sqrt(u * u + z * z))
end

-- Rows of the rotation by angle a about z.
local function turn(a)
  local c, s = math.cos(a), math.sin(a)
  return { {c, -s, 0}, {s, c, 0}, {0, 0, 1} }
end

local robot = torsor.robot{ name = "delta" }
local x0, y0, z0 = wanted(0)
robot:link{
  name = "platform", joint = { "floating", name = "pose" },
  inertia = { mass = 0.6, from = "visuals" },
  visuals = { { cylinder = { radius = 0.07, length = 0.02 }, color = {0.25, 0.5, 0.8} } },
}
local q, hold = { pose = {x0, y0, z0, 1, 0, 0, 0} }, {}
for k = 1, 3 do
  local e = side(k)
  robot:link{
    name = "hip" .. k, massless = true, joint = { "fixed" },
    origin = { xyz = { p.base * e[1], p.base * e[2], 0 },
               rotation = turn(math.rad(120) * (k - 1)) },
  }
  robot:link{
    name = "arm" .. k, parent = "hip" .. k,
    joint = { "revolute", name = "motor" .. k, axis = {0, 1, 0}, armature = 0.01 },
    inertia = { mass = 0.4, from = "visuals" },
    visuals = { { box = {p.arm, 0.03, 0.03}, origin = { xyz = {p.arm / 2, 0, 0} },
                  color = {0.9, 0.4, 0.2} } },
  }
  local theta = arm_angle(k, x0, y0, z0)
  local u, tangential = relative(k, x0, y0)
  -- The direction of the rods: about y by alpha, then about the turned z axis by beta.
  local alpha = math.atan(-(z0 + p.arm * math.sin(theta)), u - p.arm * math.cos(theta))
  q["motor" .. k] = theta
  hold[k] = "motor" .. k
  for n, s in ipairs{ -1, 1 } do
    local rod = k .. (n == 1 and "a" or "b")
    robot:link{
      name = "rod" .. rod, parent = "arm" .. k,
      joint = { "universal", name = "elbow" .. rod, axis = {0, 1, 0}, second_axis = {0, 0, 1},
                passive = true },
      origin = { xyz = {p.arm, s * p.gap, 0} },
      inertia = { mass = 0.1, from = "visuals" },
      visuals = { { box = {p.rod, 0.01, 0.01}, origin = { xyz = {p.rod / 2, 0, 0} },
                    color = {0.6, 0.6, 0.65} } },
    }
    robot:frame{ name = "end" .. rod, link = "rod" .. rod, origin = { xyz = {p.rod, 0, 0} } }
    local t = { -e[2], e[1] }
    robot:frame{ name = "ball" .. rod, link = "platform",
                 origin = { xyz = { p.platform * e[1] + s * p.gap * t[1],
                                    p.platform * e[2] + s * p.gap * t[2], 0 } } }
    robot:close{ "spherical", name = "joint" .. rod, between = { "end" .. rod, "ball" .. rod } }
    q["elbow" .. rod .. "_1"] = alpha - theta
    q["elbow" .. rod .. "_2"] = math.asin(tangential / p.rod)
  end
end
robot:set{ q = q, hold = hold }

-- The entries of q and v of the motors: the platform comes first (7 and 6), then a motor and the
-- four angles of its rods on each side.
robot:control(function(t, state)
  local tau = {}
  for i = 1, 21 do tau[i] = 0 end
  for k = 1, 3 do
    local now, later = arm_angle(k, wanted(t)), arm_angle(k, wanted(t + 1e-4))
    local i = 5 * (k - 1) + 1
    tau[6 + i] = p.stiffness * (now - state.q[7 + i])
                 + p.damping * ((later - now) / 1e-4 - state.v[6 + i])
  end
  return tau
end, { name = "arms" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(robot)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1,
  record = { "delta.q", "delta.tau", "delta.pose.platform", "closure.joint1a", "energy" },
  record_interval = 1e-2,
}
