-- A cart swings up its pendulum, which has no motor, and balances it. Every 40 ms the controller
-- tries 48 perturbations of its plan in one call of d:rollouts, and averages them with weights that
-- decrease with their costs (model predictive path integral control). In the recording,
-- cartpole.q.hinge reaches pi, the upright position, after 2 s and stays near it. Try --set
-- samples=16 (it falls once), horizon=15, or force=4 (it needs more swings).
local torsor = require "torsor"

local p = torsor.params{ samples = 48, horizon = 30, force = 12, duration = 5 }
local dt = 0.04

local cartpole = torsor.robot{ name = "cartpole" }
cartpole:link{ name = "cart", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } } }
cartpole:link{ name = "pole", parent = "cart",
  joint = { "revolute", name = "hinge", axis = {0, -1, 0}, passive = true },
  inertia = { mass = 0.3, com = {0, 0, -0.5}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.001 } } }
local world = torsor.world()
world:add(cartpole)
local d = cartpole:dynamics{ solver = "articulated_body" }

-- The perturbations are the same in every call, so that the control law depends on its arguments
-- only. They are random walks towards zero: large ones to swing up, and small ones to balance.
local noise = {}
for k = 1, p.samples do
  local row, x, size = {}, 0, k % 2 == 0 and 0.5 or 0.08
  for t = 1, p.horizon do
    x = 0.8 * x + size * p.force * (math.random() + math.random() - 1)
    row[t] = x
  end
  noise[k] = row
end

local function bounded(u) return math.max(-p.force, math.min(p.force, u)) end
local function cost(q, v, u)
  return 6 * (1 + math.cos(q[2])) + 0.1 * v[2] ^ 2 + 0.3 * q[1] ^ 2 + 0.2 * v[1] ^ 2 + 1e-3 * u ^ 2
end

-- memory: the plan, one force for each step.
local function control(_, state, _, memory)
  local q, v, tau = {}, {}, {}
  for k = 1, p.samples do
    q[k], v[k], tau[k] = state.q, state.v, {}
    for t = 1, p.horizon do tau[k][t] = { bounded(memory[t] + noise[k][t]), 0 } end
  end
  local r = d:rollouts{ q = q, v = v, tau = tau, dt = dt, integrator = "rk4" }
  local costs, least = {}, math.huge
  for k = 1, p.samples do
    local sum = 0
    for t = 1, p.horizon do
      local weight = t == p.horizon and 10 or 1
      sum = sum + weight * cost(r.q[k][t + 1], r.v[k][t + 1], tau[k][t][1])
    end
    costs[k], least = sum, math.min(least, sum)
  end
  local plan, total = {}, 0
  for t = 1, p.horizon do plan[t] = 0 end
  for k = 1, p.samples do
    local weight = math.exp((least - costs[k]) / 4)
    total = total + weight
    for t = 1, p.horizon do plan[t] = plan[t] + weight * tau[k][t][1] end
  end
  local first = plan[1] / total
  for t = 1, p.horizon do memory[t] = t < p.horizon and plan[t + 1] / total or 0 end
  return { first, 0 }
end

local memory = {}
for t = 1, p.horizon do memory[t] = 0 end
cartpole:control(control, { rate = 1 / dt, memory = memory })

return world:experiment{
  integrator = { "rk4", dt = 0.004 }, duration = p.duration,
  record = { "cartpole.q", "cartpole.v", "cartpole.tau" },
}
