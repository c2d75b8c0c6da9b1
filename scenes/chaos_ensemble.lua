-- A study of chaos. Two double pendulums start at rest with a difference of 1e-9 rad, at an angle
-- that is drawn from a distribution. The difference grows like exp(L t). The outcome is the
-- exponent L, the largest Lyapunov exponent of the motion: near zero for small angles, and 1 to
-- 2 1/s for large ones.
--   ./torsor study scenes/chaos_ensemble.lua --samples 1000 --design sobol
local torsor = require "torsor"

local p = torsor.params{
  angle = torsor.uniform(0.1, 3.0, { unit = "rad" }),        -- of the upper rod at the start
  bend = torsor.normal(0, 0.3, { min = -1, max = 1, unit = "rad" }),  -- of the lower rod, from it
  gap = 1e-9,
}
local build = require("robots.double_pendulum").build

local world = torsor.world{ gravity = {0, 0, -9.81} }
for i, name in ipairs{ "first", "second" } do
  local pendulum = build{ name = name }
  pendulum:set{ q = { joint1 = p.angle + (i - 1) * p.gap, joint2 = p.bend } }
  world:add(pendulum, { at = { xyz = {0, i - 1, 0} } })
end

-- Returns the distance of the two motions at time t, in rad.
local function distance(run, t)
  local sum = 0
  for _, joint in ipairs{ "joint1", "joint2" } do
    sum = sum + (run:at("first.q." .. joint, t) - run:at("second.q." .. joint, t))^2
  end
  return math.sqrt(sum)
end

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 10,
  record = { "first.q", "second.q" },
  record_interval = 0.05,
  outcome = { function(run)
    -- The growth is exponential until the distance is no longer small.
    local t = run:time()
    while t > 0.05 and distance(run, t) > 0.1 do t = t - 0.05 end
    return {
      exponent = math.log(distance(run, t) / p.gap) / t,
      distance = distance(run, run:time()),
      turns = math.abs(run:final("first.q.joint2")) / (2 * math.pi),
      is_chaotic = distance(run, t) > 1e3 * p.gap,
    }
  end, units = { exponent = "1/s", distance = "rad" } },
}
