-- A ball is thrown through the air onto the ground. A weak spring pulls it. It bounces and slides
-- until it rolls. From 1 s on, a time-dependent torque spins it.
local torsor = require "torsor"
local p = torsor.params{ radius = 0.1, friction = 0.4, stiffness = 5e3, dissipation = 0.3, push = 0.2 }

local ball = torsor.robot{ name = "ball" }
local I = 0.4 * p.radius^2
local function carriage(name, parent, axis)    -- massless: the ball moves in the x-z plane
  ball:link{ name = name, parent = parent, joint = { "prismatic", name = name, axis = axis }, massless = true }
end
carriage("along", nil, {1, 0, 0})
carriage("up", "along", {0, 0, 1})
ball:link{
  name = "sphere", parent = "up", joint = { "revolute", name = "turn", axis = {0, 1, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = I, Iyy = I, Izz = I } },
  visuals = { { sphere = { radius = p.radius }, color = {0.8, 0.3, 0.2} } },
}
ball:set{ q = { up = 0.4 }, v = { along = 1 } }
ball:apply{ wrenches = { sphere = function(t)
  return { moment = {0, t > 1 and p.push * (t - 1)^2 or 0, 0} }
end } }

local world = torsor.world()
world:add(ball)
world:force("ground", { plane = "world", frames = "ball.sphere", radius = {p.radius}, stiffness = p.stiffness,
                        dissipation = p.dissipation, friction = p.friction, transition = 0.01 })
world:force("fluid_drag", { frames = "ball.sphere", drag_area = {0.47 * math.pi * p.radius^2} })
world:force("spring_damper", { from = { frame = "world", origin = { xyz = {-1, 0, 0.1} } }, to = "ball.sphere",
                               stiffness = 0.5, damping = 0.1, rest_length = 0.5 })
return world:experiment{
  solver = "articulated_body",
  integrator = { "dormand_prince", dt = 5e-3, rtol = 1e-10, atol = 1e-11 },
  duration = 2,
  record = { "ball.q", "ball.v", "energy" },
}
