#pragma once
// Iterative LQR (Li and Todorov 2004, with the regularised value update and line search of Tassa,
// Erez and Todorov 2012). It reduces the cost of a trajectory by following the optimal feedback of
// its linearisation.

#include <functional>
#include <string>
#include <vector>

#include "torsor/planning/cost.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

// The way in which an iteration computes the change of the controls. Both minimise the same model
// of the cost, so they have the same optimum.
enum class IlqrForm {
  recursion,  // backwards in time; the change includes feedback of the state
  batch       // all controls at once, by normal equations (batch.hpp); without feedback
};

struct IlqrOptions {
  int iterations = 100;  // maximum number of iterations
  IlqrForm form = IlqrForm::recursion;
  // Relative reduction of the cost below which the iteration has converged.
  double tolerance = 1e-5;
};

// One successful iteration.
struct IlqrIteration {
  double cost;            // cost after the iteration
  double reduction;       // reduction of the cost, > 0
  double step;            // factor that the line search selected, 1 .. 1/8
  double regularisation;  // mu in this iteration
  double error;           // error of the last state (Cost::error); NaN if it has no goal
};

enum class IlqrEnd {
  converged,
  iterations,  // maximum number reached
  stuck        // no step reduces the cost, even with the largest regularisation
};

struct IlqrPlan {
  std::vector<Eigen::VectorXd> x, u;  // [T], [T - 1]
  double first_cost;                  // cost with the initial controls
  std::vector<IlqrIteration> iterations;
  IlqrEnd end;
  double cost, error;
};

// Optimises a trajectory from x_1 with the initial controls u [T - 1]. The cost never rises from
// one iteration to the next. working is called for every computed time step and may throw to stop
// the computation.
// Throws Error if the dynamics cannot be computed for the initial controls, or cannot be
// linearised. Throws Error if the cost of the initial trajectory is not finite, or does not
// determine the controls.
IlqrPlan ilqr(DiscreteDynamics& dynamics, Cost& cost, const Eigen::VectorXd& x_1,
              std::vector<Eigen::VectorXd> u, const IlqrOptions& options,
              const std::function<void()>& working);

}  // namespace torsor
