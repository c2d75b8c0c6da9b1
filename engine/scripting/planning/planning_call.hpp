#pragma once
// Functions shared by the functions and methods for planning.

#include "torsor/integration/integrator.hpp"
#include "torsor/planning/step_dynamics.hpp"
#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/fields.hpp"

namespace torsor::lua {

struct StepRequest {
  Integrator integrator;  // requested by the script; step.method is its linearised method
  Step step;
};
// Reads dt and an integrator (default: euler).
StepRequest read_step(const TableReader& table);
// Returns an estimate of the cost of a linearised step in script steps.
long long work_of(const StepRequest& request, long long n);
// Reads a whole number from `least` to `most`.
int whole_number(const TableReader& table, const char* key, int otherwise, int least, int most);
// Reads the key angles. Returns true for "absolute", false for "relative" (default).
bool reads_absolute_angles(const TableReader& table);

Eigen::VectorXd stacked(std::span<const double> q, std::span<const double> v);
// Sets a field of the table on top to a list: n entries of each vector, beginning at `first`.
void set_lists(lua_State* L, const char* key, const std::vector<Eigen::VectorXd>& rows,
               Eigen::Index first, Eigen::Index n);

// Reads a list of torques [n_v] per step.
std::vector<Eigen::VectorXd> torques_per_step(const TableReader& table, const char* key,
                                              size_t n_v);

// Reads the cost at a stack index as a sum of its terms for one plan. Throws Error if the value is
// not a cost.
CostSum cost_at(int index, const Place& place, const PlanContext& plan);

}  // namespace torsor::lua
