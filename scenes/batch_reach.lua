-- Two equal chains swing up to a point in one second, past an obstacle. The torques of one are
-- planned by the recursion of iLQR, those of the other in batch form: all torques at once, by
-- normal equations with the matrix S_tau (RCFS 112). Both minimise the same sum of costs, and both
-- start from the same rough plan, because a plan is a local optimum. (From rest, the recursion
-- finds another one, whose cost is 18.) The printed lines compare the plans: the costs agree to ten
-- digits. Compare recursion.tau with batch.tau, and look at batch.pose.tip3: the tip stays 0.47 m
-- away from the obstacle at (0.55, 0.15). Without it (--set obstacle=0), the distance is 0.30 m.
local torsor = require "torsor"
local planning = require "planning"

local p = torsor.params{ n = 3, x = 0.3, y = 0.6, obstacle = 30, dt = 0.02 }

local world = torsor.world{ gravity = {0, -9.81, 0} }
local tip, cost = "tip" .. p.n, torsor.cost

-- The obstacle is a hill of cost around a point, as a Lua function. Its derivatives are computed
-- with dual numbers.
local center, radius = {0.55, 0.15}, 0.2
local function hill(t, state)
  local at = state.frames[tip]
  return math.exp(-((at[1] - center[1])^2 + (at[2] - center[2])^2) / radius^2)
end

local near  -- the torques from which both plans start
local function plan(name, form)
  local chain = require("robots.planar").build{
    name = name, n = p.n, lengths = 1 / p.n, masses = 1 / p.n, damping = 0.02 }
  chain:set{ q = { joint1 = -math.pi / 2 } }
  world:add(chain)
  local task = {
    robot = chain, duration = 1, dt = p.dt, integrator = "rk4", solver = "planar_lagrange",
    form = "batch", iterations = 200, tolerance = 1e-6,
    cost = 1e3 * cost.terminal{ frame = tip, position = {p.x, p.y, 0} }
      + 10 * cost.terminal{ v = 0 }
      + 1e-2 * cost.effort{} + 1e-2 * cost.motion{}
      + 10 * cost.limits{ of = "q", lower = -2.5, upper = 2.5 }
      + p.obstacle * cost.custom(hill, { frames = { tip } }),
  }
  near = near or torsor.ilqr(task).controls
  task.form, task.controls, task.tolerance = form, near, 1e-13
  local made = torsor.ilqr(task)
  planning.follow(chain, made)
  return made
end

local recursion, batch = plan("recursion", "recursion"), plan("batch", "batch")
local apart, peak = 0, 0
for t, tau in ipairs(recursion.controls) do
  for k, value in ipairs(tau) do
    apart = math.max(apart, math.abs(value - batch.controls[t][k]))
    peak = math.max(peak, math.abs(value))
  end
end
print(string.format("recursion: cost %.12g after %d iterations, final error %.2e m",
  recursion.cost, #recursion.iterations, recursion.error))
print(string.format("batch:     cost %.12g after %d iterations, final error %.2e m",
  batch.cost, #batch.iterations, batch.error))
print(string.format("the torques differ by up to %.1e of %.3g N m", apart, peak))

return world:experiment{
  solver = "newton_euler", integrator = { "rk4", dt = p.dt / 10 }, duration = 1,
  record = { "recursion.q", "recursion.tau", "recursion.pose." .. tip,
             "batch.q", "batch.tau", "batch.pose." .. tip, "energy" },
}
