-- A SCARA moves under constant motor torques. The motor of the spindle carries the weight of
-- spindle, tool and payload.
local torsor = require "torsor"

local p = torsor.params{ payload = 2.0 }

local arm = require("robots.scara").build{ payload = p.payload }
local weight = 9.81 * (1.2 + 0.4 + p.payload)  -- spindle, tool and payload; joint 3 moves down
arm:set{ q = { joint1 = 0.3, joint2 = -0.8 } }
arm:apply{ tau = { joint1 = 6, joint2 = -2, joint3 = -weight, joint4 = 0.05 } }

local world = torsor.world{ gravity = {0, 0, -9.81} }
world:add(arm)

return world:experiment{
  solver = "articulated_body",
  integrator = { "semi_implicit_euler", dt = 1e-3 },
  duration = 2,
  record = { "scara.q", "scara.v", "scara.pose.tool", "energy" },
  record_interval = 0.01,
}
