-- A KUKA iiwa swings with the solver that is generated for it, compared with one for any tree. The
-- first run compiles the solver, which takes a second. Later runs use the same file.
local torsor = require "torsor"

local p = torsor.params{ duration = 2.0, payload = 2.0 }

local arm = require("robots.iiwa").build()
arm:set{ q = {0.3, 0.8, -0.4, 1.0, 0.5, -0.7, 0.2} }

-- The laden arm is another model, so it has a generated solver of its own.
if p.payload > 0 then
  arm:payload{ frame = "link7", inertia = { mass = p.payload, com = {0, 0, 0.1},
               about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } }, attach = 0.5, release = 1.5 }
end

local quantities = { "inverse_dynamics", "forward_dynamics", "mass_matrix" }
local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = torsor.generated{ quantities = quantities },
  compare = { "articulated_body" },
  integrator = { "rk4", dt = 1e-3 },
  duration = p.duration,
  record = { "iiwa.q", "iiwa.v", "energy", "compare.vdot" },
  record_interval = 0.01,
}
