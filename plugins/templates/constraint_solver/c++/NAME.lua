-- A parallelogram: two equal cranks and a rod. Three parallel axes and the joint that closes the
-- loop have redundant constraint rows. The cranks have dry friction. constraint_solver.@NAME@ is
-- compared with the direct solver on these rows.
local torsor = require "torsor"

local linkage = torsor.robot{ name = "linkage" }
local function bar(name, parent, joint, x, length, friction)
  linkage:link{ name = name, parent = parent, origin = { xyz = {x, 0, 0} },
    joint = { "revolute", name = joint, axis = {0, 1, 0}, friction = friction },
    inertia = { density = 7800 },
    visuals = { { box = {length, 0.02, 0.02}, origin = { xyz = {length / 2, 0, 0} } } } }
  linkage:frame{ name = name .. "_end", link = name, origin = { xyz = {length, 0, 0} } }
end
bar("crank", nil, "drive", 0, 0.3, { "coulomb", coulomb = 0.2 })
bar("rod", "crank", "elbow", 0.3, 0.8)
bar("rocker", nil, "hinge", 0.8, 0.3, { "coulomb", coulomb = 0.1 })
linkage:close{ "revolute", name = "pin", between = { "rod_end", "rocker_end" }, axis = {0, 1, 0} }
linkage:set{ q = { drive = -1, elbow = 1, hinge = -1 } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(linkage)

return world:experiment{
  solver = "newton_euler",
  integrator = { "rk4", dt = 1e-3 },
  duration = 2,
  record = { "linkage.q", "closure.pin", "energy" },
}
