-- solver.@NAME@: recursive Newton-Euler for any tree of bodies, in Lua. It solves
--   M(q) vdot + C(q, v) v + g(q) = tau + sum_B J_B^T Fe_B
-- for tau. Fe_B is the wrench BY the environment ON body B.
--
-- The outward pass goes from the parent P to the body B. V and A are the twist and the acceleration
-- of a body in its own axes. S are the screws of its joint. For the world at rest, V is 0 and A is
-- minus gravity. In this pass, F_B is the wrench BY all joints ON body B.
--   V_B = Ad(X_PB)^-1 V_P + S v
--   A_B = Ad(X_PB)^-1 A_P + ad(V_B) S v + S vdot
--   F_B = I_B A_B - ad(V_B)^T I_B V_B - Fe_B
--
-- The inward pass goes from the body B to the parent P:
--   tau = S . F_B + armature vdot,   F_P += Ad(X_PB)^-T F_B
--
-- The host derives forward dynamics, M, C and g from inverse dynamics. You can also implement them
-- yourself: add the functions to the table that is passed to torsor.solver. Six-vectors are angular
-- first. A pose is { xyz =, rotation = } with the rotation by rows.
local torsor = require "torsor"

local function sum(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end
local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function apply(R, a) return { dot(R[1], a), dot(R[2], a), dot(R[3], a) } end
local function transpose(R)
  return { { R[1][1], R[2][1], R[3][1] }, { R[1][2], R[2][2], R[3][2] }, { R[1][3], R[2][3], R[3][3] } }
end
local function angular(x) return { x[1], x[2], x[3] } end
local function linear(x) return { x[4], x[5], x[6] } end
local function six(a, b) return { a[1], a[2], a[3], b[1], b[2], b[3] } end
local function plus(x, y, s)  -- x + s y
  local out = {}
  for k = 1, 6 do out[k] = x[k] + s * y[k] end
  return out
end

local function to_child(X, V)  -- Ad(X)^-1 V
  local Rt, w, v = transpose(X.rotation), angular(V), linear(V)
  return six(apply(Rt, w), apply(Rt, sum(v, cross(w, X.xyz))))
end
local function to_parent(X, F)  -- Ad(X)^-T F
  local m, f = apply(X.rotation, angular(F)), apply(X.rotation, linear(F))
  return six(sum(m, cross(X.xyz, f)), f)
end
local function bracket(V, U)  -- [V, U]
  local w, u = angular(V), angular(U)
  return six(cross(w, u), sum(cross(linear(V), u), cross(w, linear(U))))
end
local function dual_bracket(V, P)  -- -[V]^T P
  local w, l = angular(V), linear(P)
  return six(sum(cross(w, angular(P)), cross(linear(V), l)), cross(w, l))
end
local function momentum(G, V)  -- G V
  local w, v, h = angular(V), linear(V), G.first_moment
  local hw = cross(w, h)
  return six(sum(apply(G.about_origin, w), cross(h, v)),
             { G.mass * v[1] + hw[1], G.mass * v[2] + hw[2], G.mass * v[3] + hw[3] })
end

local function inverse(model, state, vdot)
  local V, A, F, tau = { [0] = state.V_W }, { [0] = state.A_W }, {}, {}
  for i = 1, model.n_body do
    local parent, X = model.parent[i], state.X_PB[i]
    local Sv = { 0, 0, 0, 0, 0, 0 }
    A[i] = to_child(X, A[parent])
    for _, k in ipairs(model.columns[i]) do
      Sv = plus(Sv, model.S_B[k], state.v[k])
      A[i] = plus(A[i], model.S_B[k], vdot[k])
    end
    V[i] = plus(to_child(X, V[parent]), Sv, 1)
    A[i] = plus(A[i], bracket(V[i], Sv), 1)
    local G = model.inertia[i]
    F[i] = plus(momentum(G, A[i]), dual_bracket(V[i], momentum(G, V[i])), 1)
    if state.F_B then F[i] = plus(F[i], state.F_B[i], -1) end
  end
  for i = model.n_body, 1, -1 do
    local parent = model.parent[i]
    for _, k in ipairs(model.columns[i]) do
      local S = model.S_B[k]
      tau[k] = dot(angular(S), angular(F[i])) + dot(linear(S), linear(F[i])) + model.armature[k] * vdot[k]
    end
    if parent > 0 then F[parent] = plus(F[parent], to_parent(state.X_PB[i], F[i]), 1) end
  end
  return tau
end

torsor.solver("@NAME@", { summary = "recursive Newton-Euler, for any tree", inverse = inverse })
