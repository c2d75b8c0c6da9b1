-- The experiments of a short paper in one file: chaos of the double pendulum, and the robustness of
-- a controller. It is not a scene; run it with
--
--   torsor lua scenes/experiments.lua
--
-- Tables and pictures are written to recordings/. A second run reads the tables. --set samples=1000
-- makes larger studies.

local torsor = require "torsor"
local p = torsor.params{ samples = 64 }

-- 1. From which angle on is the double pendulum chaotic? A positive Lyapunov exponent is chaos.
local chaos = torsor.study{
  scene = "chaos_ensemble.lua", samples = p.samples, design = "sobol", out = "paper-chaos.h5",
}
local angle, exponent = chaos:column("angle"), chaos:column("exponent")
local chaotic = math.huge
for k = 1, #angle do
  if exponent[k] > 1 then chaotic = math.min(chaotic, angle[k]) end
end
print(string.format("exponent: median %.2f 1/s, smallest chaotic angle %.2f rad",
  chaos:statistics("exponent").median, chaotic))

-- 2. How robust is the controller of the iiwa to its payload?
local robust = torsor.study{
  scene = "payload_robustness.lua", samples = p.samples, seed = 1, out = "paper-payload.h5",
}
local failures = robust:failures()
print(string.format("payload: %d of %d runs fail, at most %.1f %% with a confidence of 95 %%",
  failures.failed, failures.samples, 100 * failures.rate_to))

chaos:draw("paper-chaos.svg", { picture = "bands", outcomes = { "exponent" } })
robust:export("paper-payload.csv")
