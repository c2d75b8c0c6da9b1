-- A study of identification: how much does the noise of encoders change the estimated parameters?
-- An arm with two links and an unknown payload follows an exciting motion. Its base parameters are
-- estimated from the noisy positions and the torques of the motors. Two outcomes are errors of
-- estimates, and `covered` is the part of the parameters within their intervals of 95 %. Few are if
-- there is little noise: the torques are held between the samples, half a period late on average,
-- and the intervals do not include this bias.
--   ./torsor study scenes/identification_noise.lua --grid noise=1e-5,1e-3 --grid seed=1:100:100
local torsor = require "torsor"

local p = torsor.params{
  noise = torsor.log_uniform(1e-5, 1e-3, { unit = "rad" }),
  seed = torsor.integer(1, 1000000),
}
local lengths, payload = { 0.5, 0.4 }, 1.5

-- Builds the arm. Its payload is at the end of the second link.
local function build(mass)
  local arm = torsor.robot{ name = "arm" }
  for i, length in ipairs(lengths) do
    local load = i == 2 and mass or 0
    local m = 3 / i
    arm:link{
      name = "link" .. i, parent = i == 2 and "link1" or nil,
      joint = { "revolute", name = "joint" .. i, axis = {0, -1, 0}, armature = 0.1 / i, damping = 0.6 / i },
      origin = { xyz = {i == 2 and lengths[1] or 0, 0, 0} },
      inertia = { mass = m + load, first_moment = {length * (m / 2 + load), 0, 0},
                  about_origin = { Ixx = 0.01, Iyy = length^2 * (m / 3 + load) + 0.01, Izz = length^2 * (m / 3 + load) } },
    }
  end
  return arm
end
local arm = build(payload)
local waves = arm:trajectory("fourier", {
  frequency = 0.25, center = {0.3, -0.6},
  sine = { {0.4, -0.25, 0.15}, {-0.3, 0.35, 0.2} }, cosine = { {0.2, 0.15, -0.1}, {0.4, -0.2, 0.15} },
})
arm:set{ q = waves:at(0).q, v = waves:at(0).v }
arm:control("computed_torque", {
  name = "control", reference = waves, frequency = 10, rate = 500, model = build(0),
  sensor = { noise = p.noise, differentiates = true, seed = p.seed },
})

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 2e-3 },
  duration = 4,
  record = { "arm.control.q_measured", "arm.tau" },
  outcome = { function(run)
    local found = arm:identify{ recording = run, measured_by = "control" }
    local at, covered = {}, 0
    for i, name in ipairs(found.names) do
      at[name] = i
      if math.abs(found.estimate[i] - found.model[i]) <= found.half_width[i] then covered = covered + 1 end
    end
    -- The first moment of link 2 contains the payload at the distance of its length.
    local moment, friction = at["link2.MX"], at["joint1.Fv"]
    return {
      payload_error = (found.estimate[moment] - found.model[moment]) / lengths[2],
      payload_interval = found.half_width[moment] / lengths[2],
      friction_error = found.estimate[friction] - found.model[friction],
      covered = covered / #found.names,
    }
  end, units = { payload_error = "kg", payload_interval = "kg", friction_error = "N m s/rad" } },
}
