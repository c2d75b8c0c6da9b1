-- A study of friction: a PD controller moves a joint with dry and viscous friction to a target. How
-- much of the variance of the remaining error and of the peak torque do the parameters cause? The
-- design saltelli gives Sobol indices:
--   ./torsor study scenes/friction_sensitivity.lua --samples 3000 --design saltelli
--   ./torsor study show recordings/friction_sensitivity-study.h5 --plot f.svg --picture bands
local torsor = require "torsor"

local p = torsor.params{
  coulomb = torsor.uniform(0.05, 0.5, { unit = "N m" }),
  viscous = torsor.uniform(0, 0.4, { unit = "N m s/rad" }),
  mass = torsor.normal(1, 0.15, { min = 0.5, max = 1.5, unit = "kg" }),
  stiffness = torsor.log_uniform(10, 60, { unit = "N m/rad" }),
}

local arm = torsor.robot{ name = "arm" }
arm:link{
  name = "beam",
  joint = { "revolute", name = "hinge", axis = {0, 0, 1},
            friction = { "coulomb", coulomb = p.coulomb, static = 1.2 * p.coulomb,
                         viscous = p.viscous } },
  inertia = { mass = p.mass, com = {0.3, 0, 0},
              about_com = { Ixx = 0.001, Iyy = 0.01, Izz = 0.01 } },
  visuals = { { box = {0.6, 0.05, 0.05}, origin = { xyz = {0.3, 0, 0} } } },
}
local target = 0.8
arm:control(function(t, state)
  return { p.stiffness * (target - state.q[1]) - 1.5 * state.v[1] }
end, { name = "pd" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "dormand_prince", dt = 0.01 },
  duration = 4,
  record = { "arm.q", "arm.v", "arm.tau", "energy" },
  outcome = { function(run)
    return {
      error = math.abs(run:final("arm.q.hinge") - target),
      overshoot = run:max("arm.q.hinge") - target,
      peak = run:max("arm.tau.hinge"),
    }
  end, units = { error = "rad", overshoot = "rad", peak = "N m" } },
}
