#pragma once
// What the methods of arm:dynamics have in common.

#include "torsor/base/memory.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// The steps that kernels take, a link about as long as fifty instructions of Lua.
void charge_kernels(lua_State* L, const Model& model, int kernels);
// The steps and the memory of a call, which are taken before its work begins; the memory is given
// back at the end of the scope. Throws Error, naming the result, where they are more than what the
// script has left.
class CallCost {
 public:
  struct Size {
    double kernels;   // as for charge_kernels
    double numbers;   // of the results, which Lua takes over
    double work = 0;  // numbers in between
  };
  CallCost(lua_State* L, const Model& model, std::string_view what, const Size& size);

 private:
  TemporaryMemory memory_;
};
// The object of a call with so many values after it.
DynamicsObject& called(lua_State* L, const char* usage, int values);
void require_solver(const DynamicsObject& d);
// The [n_v] numbers at an index.
std::vector<double> rates_at(lua_State* L, int index, const DynamicsObject& d, const char* name);
// Puts the state at the q at an index, at rest.
void set_state(lua_State* L, DynamicsObject& d, int index);
// [n][n][n]: n lists of rows.
void push_cube(lua_State* L, std::span<const double> entries, size_t n);

// Methods that give derivatives.
std::span<const Function> derivative_functions();

}  // namespace torsor::lua
