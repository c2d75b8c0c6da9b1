-- Second-order inverse dynamics of the iiwa along cosines (MK 6.2.3): the torques tau_d of the
-- motion and their first and second time derivatives, as signals of the control "law". Figure 3 is
-- iiwa.law.q_ref and iiwa.law.tau_d. Figure 4 compares iiwa.law.tau_d_dot and iiwa.law.tau_d_ddot
-- with central differences of tau, which are iiwa.check.tau_dot and iiwa.check.tau_ddot: the curves
-- coincide. The peaks of tau_d are 108 N m, of its derivatives 411 N m/s and 1472 N m/s^2.
-- If you set step=0.05, the differences are too coarse for joint 4.
--   ./torsor run scenes/torque_rates.lua
--   ./torsor plot recordings/torque_rates.h5 --out rates.svg
--     --signals iiwa.law.tau_d_dot,iiwa.check.tau_dot
local torsor = require "torsor"

local p = torsor.params{ duration = 5.0, step = 1e-4, solver = "newton_euler" }

-- The amplitudes (rad) and frequencies (rad/s) of q_i = A_i cos(w_i t).
local A = {-1.2943753211777664, 0.7175341454355011, -0.5691380764966176, 0.5848944158627155,
           1.6216297151633214, -0.9187855709752027, 0.4217605991935227}
local w = {1.7073873117335832, 3.079992797637052, 2.1084514453622774, 3.5903916041026207,
           1.4183262544423447, 2.285625793808507, 5.927533308659986}

local arm = require("robots.iiwa").build{ armature = 0, damping = 0 }
local world = torsor.world{ gravity = {0, 0, -9.80665} }
world:add(arm)

local frequency, phase = {}, {}
for k = 1, 7 do frequency[k], phase[k] = w[k] / (2 * math.pi), math.pi / 2 end
local zero = {0, 0, 0, 0, 0, 0, 0}
local move = arm:trajectory("sinusoid", { center = zero, amplitude = A, frequency = frequency, phase = phase })
arm:set{ q = A }

arm:control("computed_torque", { name = "drive", reference = move, frequency = 20, solver = "newton_euler" })
arm:control("torque_rates", { name = "law", reference = move, solver = p.solver })

-- A control without torques, whose signals are central differences of tau along the motion.
local d = arm:dynamics{ solver = "newton_euler" }
local function tau(t)
  local at = {}
  for k = 1, 7 do
    local s, c = math.sin(w[k] * t), math.cos(w[k] * t)
    at[k] = { A[k] * c, -A[k] * w[k] * s, -A[k] * w[k]^2 * c }
  end
  local function part(i)
    local out = {}
    for k = 1, 7 do out[k] = at[k][i] end
    return out
  end
  return d:inverse(part(1), part(2), part(3))
end
torsor.controller("differences", {
  summary = "central differences of the torques along the motion", follows = "nothing",
  signals = { tau_dot = { unit = "/s" }, tau_ddot = { unit = "/s^2" } },
  evaluate = function(_, input)
    local h = p.step
    local before, now, after = tau(input.t - h), tau(input.t), tau(input.t + h)
    local first, second = {}, {}
    for k = 1, 7 do
      first[k] = (after[k] - before[k]) / (2 * h)
      second[k] = (after[k] - 2 * now[k] + before[k]) / h^2
    end
    return { tau = zero, signals = { tau_dot = first, tau_ddot = second } }
  end,
})
arm:control("differences", { name = "check", rate = 100 })

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = p.duration,
  record = { "iiwa.q", "iiwa.tau", "iiwa.law.q_ref", "iiwa.law.error", "iiwa.law.tau_d", "iiwa.law.tau_d_dot",
             "iiwa.law.tau_d_ddot", "iiwa.check.tau_dot", "iiwa.check.tau_ddot", "energy" },
  record_interval = 0.01,
}
