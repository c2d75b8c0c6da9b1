-- A PID controller whose gains are to be tuned. An arm carries an unknown payload from one position
-- to another, against gravity and friction. Its controller is sampled, its encoder is noisy, and
-- the torque acts late. Low gains are slow; high gains amplify the noise and become unstable. The
-- outcome `cost` is the integral of time times absolute error, plus the effort of the motor.
--   ./torsor study scenes/tuned_pid.lua --grid kp=100:1200:23 --set ki=12000 --set kd=40
--   ./torsor study scenes/tuned_pid.lua --samples 2000 --design sobol
local torsor = require "torsor"

local p = torsor.params{
  kp = torsor.log_uniform(50, 5000, { unit = "N m/rad" }),
  ki = torsor.log_uniform(30, 30000, { unit = "N m/(rad s)" }),
  kd = torsor.log_uniform(3, 300, { unit = "N m s/rad" }),
  payload = torsor.normal(1, 0.3, { min = 0.1, max = 2, unit = "kg" }),
  friction = torsor.uniform(0, 0.6, { unit = "N m" }),
  seed = torsor.integer(1, 1000000),
}
local target, last = 0.8, 2

local arm = torsor.robot{ name = "arm" }
arm:link{
  name = "beam",
  joint = { "revolute", name = "hinge", axis = {0, -1, 0}, armature = 0.2, damping = 0.3,
            friction = { "piecewise_linear", coulomb = p.friction, transition = 0.05 } },
  inertia = { mass = 2, com = {0.3, 0, 0}, about_com = { Ixx = 0.001, Iyy = 0.06, Izz = 0.06 } },
  visuals = { { box = {0.6, 0.05, 0.05}, origin = { xyz = {0.3, 0, 0} } } },
}
arm:link{
  name = "load", parent = "beam", joint = { "fixed" }, origin = { xyz = {0.6, 0, 0} },
  inertia = { mass = p.payload, com = {0, 0, 0}, about_com = { Ixx = 0, Iyy = 0, Izz = 0 } },
  visuals = { { sphere = { radius = 0.05 } } },
}
local move = arm:trajectory("quintic", { from = {0}, to = {target}, duration = 0.5 })
arm:set{ q = {0} }
arm:control("pid", {
  reference = move, kp = p.kp, ki = p.ki, kd = p.kd, rate = 500, max_torque = 60,
  sensor = { noise = 1e-4, differentiates = true, delay = 0.02, seed = p.seed },
})

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

-- Returns the integral of f over the run, by the trapezoidal rule with the interval h.
local function integral(run, h, f)
  local sum = 0
  for k = 0, math.floor(run:time() / h + 0.5) do
    local t = math.min(k * h, run:time())
    sum = sum + h * (t > 0 and t < run:time() and 1 or 0.5) * f(t)
  end
  return sum
end

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = last,
  record = { "arm.q", "arm.tau", "arm.pid.error" },
  energy_tolerance = 1,  -- unstable gains are a part of the study
  outcome = { function(run)
    local itae = integral(run, 0.01, function(t) return t * math.abs(run:at("arm.pid.error", t)) end)
    local effort = run:rms("arm.tau")^2 - run:mean("arm.tau")^2  -- the variance of the torque
    return {
      cost = itae + 2e-5 * effort,
      itae = itae,
      effort = effort,
      overshoot = math.max(0, run:max("arm.q") - target),
      final_error = run:rms("arm.pid.error", { from = 0.9 * last }),
      reached = run:failure() == nil and run:rms("arm.pid.error", { from = 0.9 * last }) < 5e-3,
    }
  end, units = { itae = "rad s^2", effort = "N^2 m^2", overshoot = "rad", final_error = "rad" } },
}
