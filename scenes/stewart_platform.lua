-- A Stewart platform: six legs, each with a universal joint at the base and a motor that changes
-- its length, carry a platform. Ball joints at the tips of the legs close six loops (arm:close).
-- The controller of the legs' lengths lifts and tilts the platform: the lengths follow from the
-- wanted pose in closed form. The platform's own joint has no motor.
local torsor = require "torsor"

local p = torsor.params{ height = 0.8, lift = 0.08, tilt = 0.15, period = 2 }
local base_radius, radius, leg_mass = 0.6, 0.3, 1.5

-- Six points on a circle in pairs: the angle of point k is that of its pair plus or minus `half`.
local function points(r, first, half)
  local out = {}
  for k = 0, 5 do
    local angle = first + math.rad(120) * (k // 2) + (k % 2 == 0 and -half or half)
    out[k + 1] = { r * math.cos(angle), r * math.sin(angle), 0 }
  end
  return out
end
local feet = points(base_radius, 0, math.rad(52))
local tips = points(radius, 0, math.rad(12))

-- The vector from foot k to its tip, for a platform at height z that is turned about x by a.
local function leg_vector(k, z, a)
  local t, f = tips[k], feet[k]
  return { t[1] - f[1], t[2] * math.cos(a) - f[2], z + t[2] * math.sin(a) }
end
local function length(d) return math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2) end

-- Rows of the rotation whose z axis is along d, with the x axis in the plane of d and x.
local function along(d)
  local n = length(d)
  local z = { d[1] / n, d[2] / n, d[3] / n }
  local s = math.sqrt(z[2] ^ 2 + z[3] ^ 2)
  local y = { 0, z[3] / s, -z[2] / s }
  local x = { y[2] * z[3] - y[3] * z[2], y[3] * z[1] - y[1] * z[3], y[1] * z[2] - y[2] * z[1] }
  return { {x[1], y[1], z[1]}, {x[2], y[2], z[2]}, {x[3], y[3], z[3]} }
end

local machine = torsor.robot{ name = "stewart" }
machine:link{
  name = "platform",
  joint = { "floating", name = "pose" },
  origin = { xyz = {0, 0, p.height} },
  inertia = { mass = 12, from = "visuals" },
  visuals = { { cylinder = { radius = 0.33, length = 0.03 }, color = {0.25, 0.5, 0.8} } },
}
for k = 1, 6 do
  local d = leg_vector(k, p.height, 0)
  local half = length(d) / 2
  machine:link{
    name = "foot" .. k,
    joint = { "universal", name = "hip" .. k, axis = {1, 0, 0}, second_axis = {0, 1, 0} },
    origin = { xyz = feet[k], rotation = along(d) },
    inertia = { mass = leg_mass, from = "visuals" },
    visuals = { { cylinder = { radius = 0.03, length = half }, color = {0.4, 0.4, 0.45},
                  origin = { xyz = {0, 0, half / 2} } } },
  }
  machine:link{
    name = "rod" .. k, parent = "foot" .. k,
    joint = { "prismatic", name = "leg" .. k, axis = {0, 0, 1}, damping = 20 },
    origin = { xyz = {0, 0, half} },
    inertia = { mass = leg_mass / 2, from = "visuals" },
    visuals = { { cylinder = { radius = 0.02, length = half }, color = {0.8, 0.8, 0.82},
                  origin = { xyz = {0, 0, half / 2} } } },
  }
  machine:frame{ name = "tip" .. k, link = "rod" .. k, origin = { xyz = {0, 0, half} } }
  machine:frame{ name = "ball" .. k, link = "platform", origin = { xyz = tips[k] } }
  machine:close{ "spherical", name = "wrist" .. k, between = { "tip" .. k, "ball" .. k } }
end

-- PD control of the lengths, with a sixth of the weight for each leg. The entries of q and v of the
-- legs: the platform comes first (7 and 6), then two angles and the length of each leg.
local weight = 9.81 * (12 + 6 * leg_mass) / 6
machine:control(function(t, state)
  local w = 2 * math.pi / p.period
  local s = 0.5 * (1 - math.cos(w * t))
  local tau = {}
  for k = 1, 24 do tau[k] = 0 end
  for k = 1, 6 do
    local wanted = length(leg_vector(k, p.height + p.lift * s, p.tilt * s))
                   - length(leg_vector(k, p.height, 0))
    tau[6 + 3 * k] = weight + 2e4 * (wanted - state.q[7 + 3 * k]) - 800 * state.v[6 + 3 * k]
  end
  return tau
end, { name = "legs" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(machine)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 4,
  record = { "stewart.q", "stewart.tau", "closure.wrist1", "energy" },
  record_interval = 1e-2,
}
