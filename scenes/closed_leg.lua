-- A leg with two closed loops, like that of the robot Cassie. A rod of constant length, the
-- Achilles rod, is parallel to the shin and keeps the tarsus parallel to the thigh (arm:close of a
-- distance). A ball joint fixes the toe to the ground. The shin is elastic. The motor of the knee
-- makes the pelvis, which slides along a vertical guide, squat and rise; the shin yields.
local torsor = require "torsor"

local p = torsor.params{ squat = 0.5, period = 1.5, stiffness = 1500, pelvis = 12 }
local thigh, shin, tarsus = 0.45, 0.5, 0.4
local hip0, knee0 = -0.6, 1.1   -- rad, about y; a positive angle swings backwards
local lever = 0.12              -- of the rod, above the knee and the ankle

-- A bar that hangs down from its joint.
local function bar(name, parent, length, mass, joint, z, colour)
  return {
    name = name, parent = parent, joint = joint, origin = { xyz = {0, 0, z} },
    inertia = { mass = mass, from = "visuals" },
    visuals = { { box = {0.04, 0.04, length}, origin = { xyz = {0, 0, -length / 2} },
                  color = colour } },
  }
end

-- The point (x, 0, z) turned about y by a.
local function turned(x, z, a)
  return x * math.cos(a) + z * math.sin(a), -x * math.sin(a) + z * math.cos(a)
end
-- The toe at the start, relative to the hip: the tarsus is parallel to the thigh.
local ux, uz = turned(0, -thigh - tarsus, hip0)
local sx, sz = turned(0, -shin, hip0 + knee0)
local toe = { ux + sx, 0, uz + sz }

local leg = torsor.robot{ name = "leg" }
leg:link{
  name = "pelvis", joint = { "prismatic", name = "guide", axis = {0, 0, 1}, passive = true },
  origin = { xyz = {0, 0, -toe[3]} },
  inertia = { mass = p.pelvis, from = "visuals" },
  visuals = { { box = {0.2, 0.25, 0.12}, origin = { xyz = {0, 0, 0.06} },
                color = {0.3, 0.3, 0.35} } },
}
leg:link(bar("thigh", "pelvis", thigh, 3,
             { "revolute", name = "hip", axis = {0, 1, 0}, passive = true }, 0, {0.9, 0.4, 0.2}))
leg:link{
  name = "crank", parent = "thigh", origin = { xyz = {0, 0, -thigh} },
  joint = { "revolute", name = "knee", axis = {0, 1, 0}, armature = 0.2 },
  inertia = { mass = 0.5, from = "visuals" },
  visuals = { { sphere = { radius = 0.05 }, color = {0.2, 0.2, 0.2} } },
}
leg:link(bar("shin", "crank", shin, 1,
             { "revolute", name = "shin_spring", axis = {0, 1, 0}, passive = true, damping = 4,
               spring = { stiffness = p.stiffness } }, 0, {0.25, 0.5, 0.8}))
leg:link(bar("tarsus", "shin", tarsus, 0.6,
             { "revolute", name = "ankle", axis = {0, 1, 0}, passive = true }, -shin,
             {0.6, 0.6, 0.65}))
leg:frame{ name = "rod_top", link = "thigh", origin = { xyz = {0, 0, lever - thigh} } }
leg:frame{ name = "heel", link = "tarsus", origin = { xyz = {0, 0, lever} } }
leg:frame{ name = "toe", link = "tarsus", origin = { xyz = {0, 0, -tarsus} } }
leg:link{ name = "ground", massless = true, joint = { "fixed" },
          origin = { xyz = {toe[1], 0, 0} } }
leg:close{ "distance", name = "achilles", between = { "rod_top", "heel" }, length = shin }
leg:close{ "spherical", name = "contact", between = { "ground", "toe" } }
leg:set{ q = { hip = hip0, knee = knee0, ankle = -knee0 }, hold = { "knee", "shin_spring" } }

-- PD control of the knee; the entries of q are guide, hip, knee, shin_spring and ankle.
leg:control(function(t, state)
  local w = 2 * math.pi / p.period
  local wanted = knee0 + p.squat * 0.5 * (1 - math.cos(w * t))
  local rate = p.squat * 0.5 * w * math.sin(w * t)
  return { 0, 0, 3000 * (wanted - state.q[3]) + 60 * (rate - state.v[3]), 0, 0 }
end, { name = "knee" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(leg)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1.5,
  record = { "leg.q", "leg.tau", "closure.achilles", "closure.contact", "energy" },
  record_interval = 1e-2,
}
