-- A double pendulum for `torsor bench --study`: the overhead of a study for a small robot without
-- a controller.
local torsor = require "torsor"

local p = torsor.params{ angle = torsor.uniform(0.1, 3.0, { unit = "rad" }), duration = 2 }

local pendulum = require("robots.double_pendulum").build{}
pendulum:set{ q = { joint1 = p.angle } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(pendulum)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = p.duration,
  record = { "pendulum.q" },
  record_interval = 0.01,
  outcome = { function(run)
    return { q1 = run:final("pendulum.q.joint1"), q2 = run:final("pendulum.q.joint2") }
  end, units = { q1 = "rad", q2 = "rad" } },
}
