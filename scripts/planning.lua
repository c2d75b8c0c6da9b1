-- Functions that follow a plan of torsor.ilqr and report its convergence.
local planning = {}

-- Adds a control that applies each torque of the plan for one step, and then holds the last torque.
-- The robot moves as planned if the experiment has the integrator, dt and solver of the plan.
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
