-- A four-bar linkage: the chain of crank, coupler and rocker ends at a joint that closes the loop
-- (arm:close). The start angle of the crank is given; the other joints follow. After each step, the
-- loop is closed exactly, so that it does not drift apart, and without damping the energy is
-- constant. --set torque=3 drives the crank.
local torsor = require "torsor"

local p = torsor.params{ crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9, angle = 0.35,
                         torque = 0 }

-- A bar of steel along x, 2 cm wide.
local function bar(name, parent, length, joint, at, colour)
  return {
    name = name, parent = parent,
    joint = { "revolute", name = joint, axis = {0, 1, 0} },
    origin = { xyz = at },
    inertia = { density = 7800 },
    visuals = { { box = {length, 0.02, 0.02}, origin = { xyz = {length / 2, 0, 0} },
                  color = colour } },
  }
end

local linkage = torsor.robot{ name = "linkage" }
linkage:link(bar("crank", nil, p.crank, "drive", {0, 0, 0}, {0.9, 0.4, 0.2}))
linkage:link(bar("coupler", "crank", p.coupler, "elbow", {p.crank, 0, 0}, {0.6, 0.6, 0.65}))
linkage:link(bar("rocker", nil, p.rocker, "hinge", {p.ground, 0, 0}, {0.25, 0.5, 0.8}))
linkage:frame{ name = "coupler_end", link = "coupler", origin = { xyz = {p.coupler, 0, 0} } }
linkage:frame{ name = "rocker_end", link = "rocker", origin = { xyz = {p.rocker, 0, 0} } }
linkage:close{
  "revolute", name = "pin", between = { "coupler_end", "rocker_end" }, axis = {0, 1, 0},
}

-- The drive keeps its angle. The other values choose one of the two assemblies.
linkage:set{ q = { drive = -p.angle, elbow = -0.2, hinge = -1.7 }, hold = { "drive" } }
linkage:apply{ tau = { drive = -p.torque } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(linkage)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 5,
  record = { "linkage.q", "linkage.v", "closure.pin", "energy" },
  record_interval = 1e-2,
}
