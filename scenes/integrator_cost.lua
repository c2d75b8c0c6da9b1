-- A study of integrators: how many evaluations of the equations of motion does an error cost? A
-- pendulum is released at 2.5 rad. Its length is chosen so that it swings back and forth in exactly
-- 2 s. After two and a quarter swings it passes the bottom, so the remaining angle is the error.
-- Each level halves the steps of dt, or divides the tolerance of the adaptive integrators by 10.
--   ./torsor study scenes/integrator_cost.lua
--   ./torsor study export recordings/integrator_cost-study.h5 --csv cost.csv
local torsor = require "torsor"

local p = torsor.params{
  integrator = torsor.choice{ "rk4", "euler", "semi_implicit_euler", "time_stepping", "implicit_midpoint",
                              "dormand_prince", "fehlberg", "dirk", "bdf" },
  level = torsor.integer(0, 7),
}
local angle, period, gravity = 2.5, 2, 9.81

-- Returns the arithmetic-geometric mean of a and b.
local function agm(a, b)
  while math.abs(a - b) > 1e-15 * a do a, b = (a + b) / 2, math.sqrt(a * b) end
  return a
end
-- The period is 2 pi sqrt(length / gravity) / agm(1, cos(angle / 2)).
local length = gravity * (period * agm(1, math.cos(angle / 2)) / (2 * math.pi))^2

local arm = torsor.robot{ name = "pendulum" }
arm:link{
  name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0} },
  inertia = { mass = 1, com = {0, 0, -length}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } },
}
arm:set{ q = { angle } }

local world = torsor.world{ gravity = {0, 0, -gravity} }
world:add(arm)

local adaptive = { dormand_prince = true, fehlberg = true, dirk = true, bdf = true }
local tolerance = 10^-(3 + p.level)

return world:experiment{
  solver = "articulated_body",
  integrator = adaptive[p.integrator]
    and { p.integrator, dt = 0.25 * period, rtol = tolerance, atol = tolerance }
    or { p.integrator, dt = 0.025 * period / 2^p.level },
  duration = 2.25 * period,
  record = { "pendulum.q", "energy" },
  energy_tolerance = 1e6,  -- errors are the subject of this study
  outcome = { function(run)
    local error, energy = math.abs(run:final("pendulum.q.hinge")), run:energy_error()
    return {
      error = error,
      energy_error = math.abs(energy),
      evaluations = run:evaluations(),
      digits = -math.log(error, 10),
      magnitude = math.log(run:evaluations(), 10),
    }
  end, units = { error = "rad", energy_error = "J" } },
}
