-- A custom solver in Lua: the equations of the planar 2R arm of MR 9.1, written by hand. The arm
-- swings, and articulated_body is compared on every recorded row.
local torsor = require "torsor"

-- Returns the lengths and masses of the arm, or the reason why the equations do not fit this model.
-- They are for point masses m1, m2 at the ends of rods of length L1, L2, with angles from +x.
local function prepare(model)
  local function refuse(what) return nil, "it requires the 2R arm of MR 9.1: " .. what end
  if model.n_body ~= 2 or model.n_v ~= 2 or model.parent[2] ~= 1 or model.columns[1][1] ~= 1 then
    return refuse("there must be two revolute joints, the second on the first link")
  end
  local function is(value, x, y, z) return value[1] == x and value[2] == y and value[3] == z end
  local out = { L = {}, m = {} }
  for i = 1, 2 do
    local S, G, X = model.S_B[i], model.inertia[i], model.X_PB0[i]
    if not (is(S, 0, 0, 1) and S[4] == 0 and S[5] == 0 and S[6] == 0) then return refuse("both joints must rotate about z") end
    if i == 2 and not (is(X.rotation[1], 1, 0, 0) and is(X.rotation[2], 0, 1, 0)) then
      return refuse("the rods must lie along x at q = 0")
    end
    out.m[i], out.L[i] = G.mass, G.first_moment[1] / G.mass
    local mL2 = out.m[i] * out.L[i] ^ 2
    if not is(G.first_moment, out.m[i] * out.L[i], 0, 0) or math.abs(G.about_origin[3][3] - mL2) > 1e-12 * mL2 then
      return refuse("there must be point masses at the ends of the rods")
    end
  end
  if not is(model.X_PB0[2].xyz, out.L[1], 0, 0) then return refuse("joint 2 must be at the first mass") end
  return out
end

-- Returns tau for vdot (MR 9.1.1). Three terms differ from the printed book: it has cos(theta1) in
-- the inertia of tau1, and another velocity term and another sign of gravity in tau2. The
-- comparison with articulated_body below confirms the corrected terms.
local function inverse(model, state, vdot)
  local cos, sin = math.cos, math.sin
  local L1, L2 = table.unpack(model.prepared.L)
  local m1, m2 = table.unpack(model.prepared.m)
  local theta1, theta2 = table.unpack(state.q)
  local dtheta1, dtheta2 = table.unpack(state.v)
  local ddtheta1, ddtheta2 = table.unpack(vdot)
  -- (x, y) is the acceleration of the world minus gravity, in the axes in which the angles are
  -- measured. For the book's gravity along -y it is (0, g).
  local R, A = model.X_PB0[1].rotation, state.A_W
  local x = R[1][1] * A[4] + R[2][1] * A[5] + R[3][1] * A[6]
  local y = R[1][2] * A[4] + R[2][2] * A[5] + R[3][2] * A[6]
  local function g_cos(theta) return y * cos(theta) - x * sin(theta) end
  for k = 1, 6 do
    if state.V_W[k] ~= 0 or (k < 4 and state.A_W[k] ~= 0) then return nil, "the base must not rotate or move" end
  end
  local tau1 = ((m1 + m2) * L1^2 + m2 * (2 * L1 * L2 * cos(theta2) + L2^2)) * ddtheta1
             + m2 * (L1 * L2 * cos(theta2) + L2^2) * ddtheta2
             - 2 * m2 * L1 * L2 * dtheta1 * dtheta2 * sin(theta2) - m2 * L1 * L2 * dtheta2^2 * sin(theta2)
             + (m1 + m2) * L1 * g_cos(theta1) + m2 * L2 * g_cos(theta1 + theta2)
  local tau2 = m2 * (L1 * L2 * cos(theta2) + L2^2) * ddtheta1 + m2 * L2^2 * ddtheta2
             + m2 * L1 * L2 * dtheta1^2 * sin(theta2)
             + m2 * L2 * g_cos(theta1 + theta2)
  if state.F_B then  -- applied wrenches (moment, force), at the joints in the axes of the rods
    local F1, F2 = state.F_B[1], state.F_B[2]
    tau1 = tau1 - F1[3] - F2[3] - L1 * (sin(theta2) * F2[4] + cos(theta2) * F2[5])
    tau2 = tau2 - F2[3]
  end
  -- The result includes the inertia of the rotors.
  return { tau1 + model.armature[1] * ddtheta1, tau2 + model.armature[2] * ddtheta2 }
end

torsor.solver("mr_2r", { summary = "the 2R arm of Modern Robotics, by hand", prepare = prepare, inverse = inverse })

local arm = require("robots.planar").build{ n = 2, lengths = {0.6, 0.4}, masses = {1.5, 0.8} }
arm:set{ q = { joint1 = 0.4, joint2 = -1.1 } }
arm:apply{ wrenches = { tip2 = { force = {0, 2, 0} } } }

local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)

return world:experiment{
  solver = "mr_2r", compare = { "articulated_body" },
  integrator = { "rk4", dt = 2e-3 },
  duration = 2,
  record = { "planar.q", "planar.v", "compare.tau", "compare.vdot", "energy" },
  record_interval = 0.02,
}
