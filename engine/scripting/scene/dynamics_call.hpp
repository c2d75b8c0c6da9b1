#pragma once
// Helpers shared by the methods of arm:dynamics.

#include "torsor/base/memory.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Charges the steps of kernel calls. One link costs about as much as fifty Lua instructions.
void charge_kernels(lua_State* L, const Model& model, int kernels);
// The cost of a call in steps and memory. The constructor takes both before the work begins. The
// destructor returns the memory. Throws Error, which names the result, if the script has less left.
class CallCost {
 public:
  struct Size {
    double kernels;   // number of kernel calls, as for charge_kernels
    double numbers;   // numbers in the results, which Lua stores
    double work = 0;  // numbers in intermediate results
  };
  CallCost(lua_State* L, const Model& model, std::string_view what, const Size& size);

 private:
  TemporaryMemory memory_;
};
// Returns the object of a method call. Throws Error unless exactly `values` arguments follow it.
DynamicsObject& called(lua_State* L, const char* usage, int values);
// Throws Error if the object has no solver.
void require_solver(const DynamicsObject& d);
// Returns the [n_v] numbers at a stack index. name is the name of the argument in messages.
std::vector<double> rates_at(lua_State* L, int index, const DynamicsObject& d, const char* name);
// Sets the state to the q at a stack index, at rest.
void set_state(lua_State* L, DynamicsObject& d, int index);
// Pushes an array [n][n][n]: n lists of rows.
void push_cube(lua_State* L, std::span<const double> entries, size_t n);

// Returns the methods that compute derivatives.
std::span<const Function> derivative_functions();

}  // namespace torsor::lua
