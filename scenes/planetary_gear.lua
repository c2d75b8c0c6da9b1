-- A planetary gear: the teeth of the sun, of three planets and of the ring mesh relative to the
-- carrier (arm:close of gears with `carrier`). Three planets share the load, so that gears are
-- redundant. A motor turns the sun, the carrier drives a fan with viscous friction, and a brake
-- holds the ring. The torque of the motor rises until the brake slips: then the ring turns too. The
-- gear keeps Willis' equation, (sun - carrier) z_sun = -(ring - carrier) z_ring.
local torsor = require "torsor"

local p = torsor.params{ sun = 20, planet = 16, torque = 2, brake = 1.5, fan = 0.05 }
local ring = p.sun + 2 * p.planet      -- teeth
local module_of_teeth = 0.004          -- m: the diameter of a wheel per tooth
local function radius(teeth) return module_of_teeth * teeth / 2 end

local gear = torsor.robot{ name = "gear" }
local function wheel(name, parent, x, z, teeth, colour, joint)
  joint[1], joint.name, joint.axis = "revolute", name, {0, 0, 1}
  gear:link{
    name = name .. "_wheel", parent = parent, joint = joint, origin = { xyz = {x, 0, z} },
    inertia = { density = 7800 },
    visuals = { { cylinder = { radius = radius(teeth), length = 0.01 }, color = colour },
                { box = {2 * radius(teeth), 0.006, 0.012}, color = {0.15, 0.15, 0.15} } },
  }
end
wheel("sun", nil, 0, 0, p.sun, {0.9, 0.7, 0.2}, {})
wheel("ring", nil, 0, -0.04, ring, {0.4, 0.4, 0.45, 0.5},
      { passive = true, friction = { "coulomb", coulomb = p.brake } })
local arm = radius(p.sun + p.planet)
gear:link{
  name = "carrier_plate",
  joint = { "revolute", name = "carrier", axis = {0, 0, 1}, damping = p.fan, passive = true },
  origin = { xyz = {0, 0, -0.02} }, inertia = { density = 7800 },
  visuals = { { cylinder = { radius = arm, length = 0.006 }, color = {0.25, 0.5, 0.8, 0.6} } },
}
for k = 1, 3 do
  local a = math.rad(120) * (k - 1)
  gear:link{ name = "pin" .. k, parent = "carrier_plate", massless = true, joint = { "fixed" },
             origin = { xyz = {arm * math.cos(a), arm * math.sin(a), 0.02} } }
  wheel("planet" .. k, "pin" .. k, 0, 0, p.planet, {0.8, 0.35, 0.25}, { passive = true })
  gear:close{ "gear", name = "inner" .. k, joints = { "sun", "planet" .. k }, carrier = "carrier",
              ratio = -p.planet / p.sun }
  gear:close{ "gear", name = "outer" .. k, joints = { "ring", "planet" .. k }, carrier = "carrier",
              ratio = p.planet / ring }
end
gear:apply{ tau = { sun = function(t) return p.torque * t end } }

local world = torsor.world{ gravity = {0, 0, 0} }
world:add(gear)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1,
  record = { "gear.q", "gear.v", "closure.inner1", "closure.outer1", "energy" },
  record_interval = 1e-2,
}
