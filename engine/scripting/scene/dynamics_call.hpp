#pragma once
// Functions shared by the methods of arm:dynamics.

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/scripting/objects/scene.hpp"

namespace torsor::lua {

// Charges steps for calls of the engine's algorithms (kernels). A kernel call costs about fifty Lua
// instructions per link.
void charge_kernels(lua_State* L, const Model& model, int kernels);
// Returns the steps of kernel calls whose results stay in the engine: about ten Lua instructions
// per link.
double steps_of_kernels(const Model& model, double kernels);
// Charges the steps and the memory of a method call. The constructor charges both before the
// computation starts. The destructor releases the memory. The constructor throws Error, with the
// name of the result, if the script has too few steps or too little memory left.
class CallCost {
 public:
  struct Size {
    double kernels;   // number of kernel calls, see charge_kernels()
    double numbers;   // count of numbers in the results, which are also stored in Lua
    double work = 0;  // count of numbers in intermediate results
  };
  CallCost(lua_State* L, const Model& model, std::string_view what, const Size& size);

 private:
  TemporaryMemory memory_;
};
// Returns the dynamics object of a method call. Throws Error unless the call has exactly `values`
// arguments.
DynamicsObject& called(lua_State* L, const char* usage, int values);
// Throws Error if the dynamics object has no solver.
void require_solver(const DynamicsObject& d);
// Calls an engine function. An Error that the function throws is thrown again with the owner before
// the message.
template <class Function>
auto owned(const std::string& owner, Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", owner, error.what()));
  }
}
// Returns the list of n_v numbers at a stack index. name: the name of the argument in error
// messages.
std::vector<double> rates_at(lua_State* L, int index, const DynamicsObject& d, const char* name);
// Sets q of the state to the value at a stack index. Sets v to zero.
void set_state(lua_State* L, DynamicsObject& d, int index);
// Pushes an array [n][n][n] as n matrices. Each matrix is a list of rows.
void push_cube(lua_State* L, std::span<const double> entries, size_t n);

// Pushes { joint1 = six numbers, .. }: at_link() of each joint. W_B: the result of
// joint_wrenches(). Throws Error if a wrench is not finite.
void push_joint_wrenches(lua_State* L, const DynamicsObject& d, std::span<const Wrench<double>> W_B,
                         Axes axes);
// Computes the joint wrenches of a closed mechanism at the state of d, with the reactions of the
// closures: those of constrained_inverse for vdot (bind_constraints.cpp).
std::vector<Wrench<double>> closed_joint_wrenches(lua_State* L, DynamicsObject& d,
                                                  const std::vector<double>& vdot);

// Returns the methods implemented in bind_derivatives.cpp.
std::span<const Function> derivative_functions();
// Returns the methods implemented in bind_contact.cpp.
std::span<const Function> contact_functions();
// Returns the methods implemented in bind_constraints.cpp.
std::span<const Function> constraint_functions();

}  // namespace torsor::lua
