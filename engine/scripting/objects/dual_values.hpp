#pragma once
// Dual numbers of second order as Lua values: a number with its first and second derivatives with
// respect to m variables. Scripts compute with them as with numbers: + - * / ^, comparisons by
// value, and the functions abs, acos, asin, atan, cos, exp, log, max, min, sin, sqrt and tan of
// math. With a = (value, g_a, H_a) and b, every result f(a, b) has the derivatives
//   g = f_a g_a + f_b g_b
//   H = f_a H_a + f_b H_b + f_aa g_a g_a^T + f_ab (g_a g_b^T + g_b g_a^T) + f_bb g_b g_b^T

#include <Eigen/Core>
#include <lua.hpp>

#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Creates the Lua type of dual numbers.
void add_dual_type(lua_State* L);

// Pushes a dual number with these first derivatives [m]. Its second derivatives are 0.
void push_dual(lua_State* L, double value, const Eigen::VectorXd& gradient);

struct SecondOrder {
  double value;
  Eigen::VectorXd gradient;  // [m]
  Eigen::MatrixXd hessian;   // [m x m]
};
// Reads a dual number of m variables, or a number, whose derivatives are 0. Throws Error if the
// value at the stack index is neither, or if the dual number has other variables.
SecondOrder second_order_at(lua_State* L, int index, const Place& place, Eigen::Index m);

}  // namespace torsor::lua
