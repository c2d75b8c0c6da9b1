-- A PID in Lua moves an arm with motors of 24 V and 6 A. It returns the inputs u of the
-- amplifiers (KHALIL 9.4), which cause the currents i = K_a u. The current is at its limit when the
-- arm starts, the voltage at full speed: compare arm.current and arm.voltage with their limits. The
-- integrals stop at these limits. The option range = false lets them grow, and the arm overshoots.
local torsor = require "torsor"

local p = torsor.params{ range = true, voltage = 24, current = 6 }

local arm = torsor.robot{ name = "arm" }
local function link(name, parent)
  arm:link{
    name = name, parent = parent,
    joint = { "revolute", name = name .. "_joint", axis = {0, -1, 0}, damping = 0.1,
      point = parent and {0.4, 0, 0} or {0, 0, 0},
      motor = { rotor_inertia = 5e-5, gear_ratio = 60, torque_constant = 0.06, resistance = 0.9,
        amplifier_gain = 1.5, max_current = p.current, max_voltage = p.voltage } },
    inertia = { mass = 2, com = {0.2, 0, 0},
      about_com = { Ixx = 0.005, Iyy = 0.03, Izz = 0.03 } },
  }
end
link("upper")
link("lower", "upper")

local goal, kp, kd, ki = { 2.0, -1.2 }, 30, 6, 40
local function law(t, state, ref, integral)
  local u, rate = {}, {}
  for k = 1, 2 do
    local e = goal[k] - state.q[k]
    u[k] = kp * e - kd * state.v[k] + ki * integral[k]
    local stop = (e > 0 and u[k] >= state.upper[k]) or (e < 0 and u[k] <= state.lower[k])
    rate[k] = stop and p.range and 0 or e
  end
  return u, rate
end
arm:control(law, { name = "law", returns = "inputs", memory = {0, 0} })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 5e-4 },
  duration = 3,
  record = { "arm.q", "arm.v", "arm.input", "arm.current", "arm.voltage", "arm.tau", "energy" },
  record_interval = 0.01,
}
