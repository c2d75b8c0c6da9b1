-- Shapes for the visuals of links, along the axes of the link's frame.
local shapes = {
  white = {0.92, 0.92, 0.90}, grey = {0.62, 0.64, 0.66}, dark = {0.24, 0.25, 0.27},
  orange = {0.93, 0.45, 0.12}, yellow = {0.93, 0.73, 0.20}, blue = {0.20, 0.42, 0.66},
}

local quarter = math.pi / 2
-- Rotations from z, the axis of a cylinder, to each axis.
local axes = {
  x = { index = 1, rpy = {0, quarter, 0} }, y = { index = 2, rpy = {quarter, 0, 0} }, z = { index = 3, rpy = {0, 0, 0} },
}

-- Returns a cylinder along "x", "y" or "z" between two coordinates on this axis. If `at` is given,
-- the cylinder is parallel to the axis, through this point.
function shapes.bar(axis, radius, from, to, color, at)
  local along = axes[axis]
  local center = at and {at[1], at[2], at[3]} or {0, 0, 0}
  center[along.index] = center[along.index] + (from + to) / 2
  return { cylinder = { radius = radius, length = to - from }, origin = { xyz = center, rpy = along.rpy }, color = color }
end

function shapes.box(size, center, color)
  return { box = size, origin = { xyz = center }, color = color }
end

function shapes.ball(radius, color)
  return { sphere = { radius = radius }, color = color }
end

return shapes
