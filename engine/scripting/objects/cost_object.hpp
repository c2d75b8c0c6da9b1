#pragma once
// Costs of planning as objects of a script: weighted sums of terms. A term is a function of
// torsor.cost with its arguments. They are read when a plan uses the cost, because they need the
// robot and the time step.

#include <functional>
#include <lua.hpp>
#include <memory>
#include <string>
#include <vector>

#include "torsor/planning/cost_sum.hpp"

namespace torsor {
struct Model;
}

namespace torsor::lua {

inline constexpr const char* cost_type = "cost";

// The plan for which a cost is made.
struct PlanContext {
  lua_State* L;
  std::shared_ptr<const Model> model;
  double dt;  // s
  size_t steps;
};

struct CostTerm {
  double weight;
  std::function<std::shared_ptr<Cost>(const PlanContext&)> make;
};

struct CostObject {
  std::vector<CostTerm> terms;
};

}  // namespace torsor::lua
