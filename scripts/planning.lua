-- Functions for a plan of torsor.ilqr: follow it, report its convergence.
local planning = {}

-- Adds a control that applies the torques of the plan, each one for a step, and then the last one.
-- For the integrator, dt and solver of the plan, the robot moves as planned.
function planning.follow(arm, plan)
  local controls, dt = plan.controls, plan.dt
  arm:control(function(t)
    return controls[math.min(math.floor(t / dt + 0.5) + 1, #controls)]
  end, { name = "plan", rate = 1 / dt })
end

-- Prints a line for each iteration, and the reason why the iteration ended.
function planning.report(plan)
  print(string.format("%9s %14s %11s %7s %8s %11s", "iteration", "cost", "reduction", "step", "mu", "error"))
  print(string.format("%9d %14.7g", 0, plan.first_cost))
  for i, it in ipairs(plan.iterations) do
    print(string.format("%9d %14.7g %11.3g %7.3g %8.0e %11.3e", i, it.cost, it.reduction, it.step, it.regularisation, it.error))
  end
  print(string.format("%s, final error %.3e m", plan.ended, plan.error))
end

return planning
