-- A motor lifts the ram of a press by a crank of radius r and a rod of length l. The position of
-- the ram is x(phi) = r cos phi + sqrt(l^2 - r^2 sin^2 phi), so the Jacobian dx/dphi of the
-- transmission depends on x (KHALIL 7.31). The inertia of the motor and the crank at the ram grows
-- towards the dead centres, where the ram is slow. The energy error of the run stays small: the
-- velocity-dependent torques of the rotor are included.
local torsor = require "torsor"

local p = torsor.params{ r = 0.1, l = 0.35, inertia = 0.02, torque = 8 }
local r, l = p.r, p.l

-- Returns dx/dphi and d2x/dphi2 at the position x, for phi from 0 to pi.
local function crank(x)
  local c = (x * x + r * r - l * l) / (2 * r * x)
  local s = math.sqrt(1 - c * c)
  local root = math.sqrt(l * l - r * r * s * s)
  return -r * s - r * r * s * c / root,
    -r * c - r * r * (c * c - s * s) / root - (r * r * s * c) ^ 2 / root ^ 3
end

local press = torsor.robot{ name = "press" }
press:link{
  name = "ram", joint = { "prismatic", name = "guide", axis = {0, 0, 1} },
  inertia = { mass = 5, com = {0, 0, 0}, about_com = { Ixx = 0.02, Iyy = 0.02, Izz = 0.02 } },
  visuals = { { box = {0.1, 0.1, 0.06} } },
}
press:transmission{
  joints = { "guide" },
  jacobian = function(q, v)
    local slope, curvature = crank(q[1])
    return { {slope} }, { {curvature * v[1] / slope} }
  end,
  motors = { { rotor_inertia = p.inertia,
    friction = { "piecewise_linear", coulomb = 0.1, transition = 0.5, viscous = 0.02 } } },
}
-- The torque of the motor at its crank balances the weight at the start and swings the ram.
press:set{ q = {0.36} }
press:control(function(t, state)
  local slope = crank(state.q[1])
  local tau = slope * 5 * 9.81 + p.torque * math.cos(9 * t) / 10
  return { tau / slope }
end, { name = "swing" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(press)

return world:experiment{
  solver = "articulated_body",
  integrator = { "dormand_prince", dt = 1e-2, rtol = 1e-9, atol = 1e-10 },
  duration = 3,
  record = { "press.q", "press.v", "press.tau", "press.motor_tau", "energy" },
}
