#pragma once
// Iterative LQR (Li and Todorov 2004, with the regularised value update and line search of Tassa,
// Erez and Todorov 2012): controls that make the cost of a trajectory small, improved along the
// optimal feedback of its linearisation.

#include <functional>
#include <string>
#include <vector>

#include "torsor/planning/cost.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

struct IlqrOptions {
  int iterations = 100;     // at most
  double tolerance = 1e-5;  // it has converged where the cost falls by less than this part of it
};

// One improvement.
struct IlqrIteration {
  double cost;            // after it
  double reduction;       // of the cost, > 0
  double step;            // that the line search took, 1 .. 1/8
  double regularisation;  // that it was found with
  double error;           // of the last state, as the cost tells it
};

enum class IlqrEnd {
  converged,
  iterations,  // as many as were allowed
  stuck        // no step makes the cost less, however large the regularisation
};

struct IlqrPlan {
  std::vector<Eigen::VectorXd> x, u;  // [T], [T - 1]
  double first_cost;                  // of the controls that it began with
  std::vector<IlqrIteration> iterations;
  IlqrEnd end;
  double cost, error;
};

// From x_1 with controls u [T - 1] to begin with. The cost never rises from one iteration to the
// next. working is called once for every step of time that is computed, and may throw to end it
// all. Throws Error where the dynamics cannot be computed for the controls at the beginning, or not
// be linearised.
IlqrPlan ilqr(DiscreteDynamics& dynamics, Cost& cost, const Eigen::VectorXd& x_1,
              std::vector<Eigen::VectorXd> u, const IlqrOptions& options,
              const std::function<void()>& working);

}  // namespace torsor
