-- An RX-90 moves to a position by continuous-time PD control with gravity compensation. The
-- Lyapunov function rx90.pd_gravity.lyapunov (KHALIL 9.11) never increases: its rate
-- rx90.pd_gravity.lyapunov_rate is -v^T K_d v (9.16). Gravity is computed at the measured or the
-- desired position. The latter is stable if K_p > |dQ/dq|; the summary of the run states if this
-- holds.
local torsor = require "torsor"

local p = torsor.params{ gravity = "measured", kp = 400, kd = 60 }

local arm = require("robots.rx90").build{}
arm:set{ q = {0, 0.3, 1.2, 0, 0.4, 0} }
arm:control("pd_gravity", { reference = { q = {1, 0.9, 0.6, 0.5, -0.3, 0.8} }, kp = p.kp, kd = p.kd, gravity = p.gravity })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "newton_euler",
  integrator = { "dormand_prince", dt = 0.01 },
  duration = 3,
  record = { "rx90.q", "rx90.pd_gravity.error", "rx90.pd_gravity.lyapunov",
             "rx90.pd_gravity.lyapunov_rate", "rx90.tau", "energy" },
}
