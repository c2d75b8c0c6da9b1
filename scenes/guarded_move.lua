-- A probe measures the heights of three steps by guarded moves. It moves down until the
-- force-torque sensor at its wrist measures a push, and then up and to the next step. The sensor
-- has noise and a delay: compare probe.sensor.wrist with the exact probe.joint_wrench.down.
local torsor = require "torsor"
local p = torsor.params{ noise = 0.3, delay = 0.006, push = 5, speed = 0.1 }

local mass, gravity, radius, top = 0.5, 9.81, 0.01, 0.15
local probe = torsor.robot{ name = "probe" }
probe:link{
  name = "carriage", joint = { "prismatic", name = "across", axis = {1, 0, 0} }, origin = { xyz = {0, 0, top} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1e-3, Iyy = 1e-3, Izz = 1e-3 } },
  visuals = { { box = {0.06, 0.04, 0.04}, origin = { xyz = {0, 0, 0.1} } } },
}
probe:link{
  name = "stylus", parent = "carriage", joint = { "prismatic", name = "down", axis = {0, 0, 1} },
  inertia = { mass = mass, com = {0, 0, 0.05}, about_com = { Ixx = 1e-3, Iyy = 1e-3, Izz = 1e-4 } },
  visuals = { { cylinder = { radius = 0.004, length = 0.1 }, origin = { xyz = {0, 0, 0.05} } } },
  collisions = { { sphere = { radius = radius }, name = "tip" } },
}
probe:sensor("joint_wrench", { name = "wrist", joint = "down", rate = 500, delay = p.delay,
                               noise = { moment = 0.01, force = p.noise }, seed = 1 })

-- memory: the direction of the move (-1 down, 1 up), the time of its start, and the step's number
probe:control(function(t, state, ref, memory)
  local push = mass * gravity - state.sensors.wrist.force[3]
  if memory[1] < 0 and t > memory[2] and push > p.push then memory[1], memory[2] = 1, t end
  if memory[1] > 0 and state.q[2] > 0 and memory[3] < 2 then
    memory[1], memory[2], memory[3] = -1, t + 0.4, memory[3] + 1
  end
  local ramp = math.min(math.max((t - memory[2]) / 0.1, 0), 1)       -- speeds up within 0.1 s
  local v = memory[1] > 0 and state.q[2] > 0 and 0 or memory[1] * p.speed * ramp
  local x = 0.1 * memory[3]
  return { 200 * (x - state.q[1]) - 30 * state.v[1], mass * gravity + 80 * (v - state.v[2]) }
end, { name = "guard", rate = 500, memory = {-1, 0.1, 0}, sensors = { "wrist" } })

local world = torsor.world{ gravity = {0, 0, -gravity} }
world:add(probe)
for k, height in ipairs{ 0.05, 0.08, 0.03 } do
  world:collision{ box = {0.1, 0.1, height}, origin = { xyz = {0.1 * (k - 1), 0, height / 2} }, name = "step" .. k }
end
return world:experiment{
  solver = "articulated_body", integrator = { dt = 1e-3 }, duration = 7, record_interval = 0.002,
  record = { "probe.q", "probe.touch.stylus", "probe.joint_wrench.down", "probe.sensor.wrist", "energy" },
}
