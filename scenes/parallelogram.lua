-- A parallelogram in 3D: two equal cranks and a coupler. Its four revolute joints have parallel
-- axes, so that three of the conditions that close the loop are redundant: the forces along them
-- are those of least norm. A torque turns the cranks. Twice per turn all bars are in line, where
-- the mechanism could also become an antiparallelogram: at this singular position it gains a
-- degree of freedom. The momentum carries it through with rk4, and it remains a parallelogram.
-- --set third=true adds a third crank, and with it more redundant conditions.
local torsor = require "torsor"

local p = torsor.params{ crank = 0.25, coupler = 0.6, torque = 4, third = false }

-- A bar along x, 3 cm wide.
local function bar(name, parent, length, joint, at, mass, colour)
  return {
    name = name, parent = parent,
    joint = { "revolute", name = joint, axis = {0, 0, 1} },
    origin = { xyz = at },
    inertia = { mass = mass, from = "visuals" },
    visuals = { { box = {length, 0.03, 0.03}, origin = { xyz = {length / 2, 0, 0} },
                  color = colour } },
  }
end

local robot = torsor.robot{ name = "linkage" }
robot:link(bar("crank1", nil, p.crank, "drive", {0, 0, 0}, 0.7, {0.9, 0.4, 0.2}))
robot:link(bar("coupler", "crank1", p.coupler, "joint", {p.crank, 0, 0}, 1.4, {0.6, 0.6, 0.65}))
local angle = -2
local q = { drive = angle, joint = -angle }
local function follower(k, x)
  robot:link(bar("crank" .. k, nil, p.crank, "pivot" .. k, {x, 0, 0}, 0.7, {0.25, 0.5, 0.8}))
  robot:frame{ name = "eye" .. k, link = "coupler", origin = { xyz = {x, 0, 0} } }
  robot:frame{ name = "end" .. k, link = "crank" .. k, origin = { xyz = {p.crank, 0, 0} } }
  robot:close{ "revolute", name = "pin" .. k, between = { "eye" .. k, "end" .. k } }
  q["pivot" .. k] = angle
end
follower(2, p.coupler)
if p.third then follower(3, 0.4 * p.coupler) end
robot:set{ q = q }
robot:apply{ tau = { drive = p.torque } }

local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(robot)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 2,
  record = { "linkage.q", "linkage.v", "closure.pin2", "energy" },
  record_interval = 1e-2,
}
