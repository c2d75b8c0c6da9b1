-- A five-bar linkage: two motors at the ground move a pen in the plane. The closure of the pen
-- closes the loop. The cranks' angles follow from the position of the pen in closed form; PD
-- controllers of both cranks draw a circle. The elbows have no motors.
local torsor = require "torsor"

local p = torsor.params{ crank = 0.3, coupler = 0.5, ground = 0.3, radius = 0.08, height = 0.5,
                         period = 1.5 }

-- A bar of steel along x, 2 cm wide.
local function bar(name, parent, length, joint, at, colour)
  return {
    name = name, parent = parent,
    joint = { "revolute", name = joint, axis = {0, 1, 0}, passive = parent ~= nil },
    origin = { xyz = at },
    inertia = { density = 7800 },
    visuals = { { box = {length, 0.02, 0.02}, origin = { xyz = {length / 2, 0, 0} },
                  color = colour } },
  }
end

local robot = torsor.robot{ name = "plotter" }
robot:link(bar("left_crank", nil, p.crank, "left", {0, 0, 0}, {0.9, 0.4, 0.2}))
robot:link(bar("left_coupler", "left_crank", p.coupler, "left_elbow", {p.crank, 0, 0},
               {0.6, 0.6, 0.65}))
robot:link(bar("right_crank", nil, p.crank, "right", {p.ground, 0, 0}, {0.25, 0.5, 0.8}))
robot:link(bar("right_coupler", "right_crank", p.coupler, "right_elbow", {p.crank, 0, 0},
               {0.6, 0.6, 0.65}))
for _, side in ipairs{ "left", "right" } do
  robot:frame{ name = side .. "_end", link = side .. "_coupler",
               origin = { xyz = {p.coupler, 0, 0} } }
end
robot:close{
  "revolute", name = "pen", between = { "left_end", "right_end" }, axis = {0, 1, 0},
}

-- Angle of a crank whose pivot is at x0, with its elbow on the side of `side`, for the pen at x, z.
-- A positive angle about y turns the x axis downwards.
local function crank_angle(x, z, x0, side)
  local d = math.sqrt((x - x0) ^ 2 + z ^ 2)
  local inner = math.acos((p.crank ^ 2 + d ^ 2 - p.coupler ^ 2) / (2 * p.crank * d))
  return -(math.atan(z, x - x0) + side * inner)
end
local function elbow(x, z, x0, angle)
  local ex, ez = x0 + p.crank * math.cos(angle), -p.crank * math.sin(angle)
  return -math.atan(z - ez, x - ex) - angle
end
-- The pen starts at rest and makes a turn in each period.
local function pen(t)
  local s = 2 * math.pi * t / p.period
  local w = s - math.sin(s)
  return p.ground / 2 + p.radius * math.sin(w), p.height + p.radius * math.cos(w)
end
local function angles(t)
  local x, z = pen(t)
  return crank_angle(x, z, 0, 1), crank_angle(x, z, p.ground, -1)
end

local left, right = angles(0)
local x, z = pen(0)
robot:set{
  q = { left = left, left_elbow = elbow(x, z, 0, left), right = right,
        right_elbow = elbow(x, z, p.ground, right) },
  hold = { "left", "right" },
}
robot:control(function(t, state)
  local a, b = angles(t)
  local a2, b2 = angles(t + 1e-4)
  local function pd(k, wanted, later)
    return 4000 * (wanted - state.q[k]) + 100 * ((later - wanted) / 1e-4 - state.v[k])
  end
  return { pd(1, a, a2), 0, pd(3, b, b2), 0 }
end, { name = "cranks" })

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(robot)

return world:experiment{
  solver = "articulated_body",
  integrator = { "rk4", dt = 1e-3 },
  duration = 1.5,
  record = { "plotter.q", "plotter.tau", "plotter.pose.left_end", "closure.pen", "energy" },
  record_interval = 1e-2,
}
