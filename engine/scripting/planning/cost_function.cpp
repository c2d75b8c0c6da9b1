#include "torsor/scripting/planning/cost_function.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/scripting/objects/dual_values.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"

namespace torsor::lua {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// Returns the derivative of q (+) d with respect to d [n_v] at d = 0, [n_q x n_v]. Along one dof,
// the entries of q (+) d are linear in d, except those of quaternions: these contain cos(d/2) and
// sin(d/2). The difference over d = +-1 is therefore the derivative, times 2 sin(1/2) for a
// quaternion.
MatrixXd position_slope(const Model& model, const VectorXd& x) {
  MatrixXd out(model.n_q, model.n_v);
  VectorXd up(model.n_q), down(model.n_q);
  for (Index k = 0; k < model.n_v; ++k) {
    const VectorXd d = VectorXd::Unit(model.n_v, k);
    integrate(model, x.data(), d.data(), 1, up.data());
    integrate(model, x.data(), d.data(), -1, down.data());
    out.col(k) = (up - down) / 2;
  }
  for (const MappedBody& mapped : model.mapped)
    if (const JointMaps* maps = mapped.kind->maps; maps && maps->quaternion >= 0)
      out.middleRows(model.q_index[size_t(mapped.body)] + maps->quaternion, 4) /= 2 * std::sin(0.5);
  return out;
}

// Pushes a list of numbers, or of dual numbers with the rows of `slope` as gradients.
void push_entries(lua_State* L, const VectorXd& values, const MatrixXd* slope) {
  lua_createtable(L, int(values.size()), 0);
  for (Index k = 0; k < values.size(); ++k) {
    if (slope)
      push_dual(L, values[k], slope->row(k));
    else
      lua_pushnumber(L, values[k]);
    lua_rawseti(L, -2, k + 1);
  }
}

// Returns the nearest positive semidefinite matrix.
MatrixXd without_negative(const MatrixXd& H) {
  const SymmetricEigen eigen = symmetric_eigen(H);
  return eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
}

}  // namespace

FunctionCost::FunctionCost(const PlanContext& plan, int function, std::string owner,
                           CostInstants instants, std::vector<Frame> frames)
    : plan_(plan),
      function_(function),
      owner_(std::move(owner)),
      instants_(instants),
      frames_(std::move(frames)),
      state_(plan.model) {}

void FunctionCost::fail(double t, const std::string& what) const {
  throw Error(fmt::format("{} {} at t = {:.6g} s", owner_, what, t));
}

bool FunctionCost::counts_at(size_t step) const {
  return !instants_.at_end && (!instants_.step || *instants_.step == step);
}

void FunctionCost::push_state(const VectorXd& x, const VectorXd* u, bool with_derivatives) {
  lua_State* const L = plan_.L;
  const Model& model = *plan_.model;
  const Index n = model.n_v, m = u ? 3 * n : 2 * n;
  const auto part = [&](const char* key, const VectorXd& values, const MatrixXd& own, Index first) {
    MatrixXd slope = MatrixXd::Zero(own.rows(), m);
    slope.middleCols(first, own.cols()) = own;
    push_entries(L, values, with_derivatives ? &slope : nullptr);
    lua_setfield(L, -2, key);
  };
  const MatrixXd one = MatrixXd::Identity(n, n);
  lua_createtable(L, 0, 4);
  part("q", x.head(model.n_q), position_slope(model, x), 0);
  part("v", x.tail(n), one, n);
  if (u) part("tau", *u, one, 2 * n);
  lua_createtable(L, 0, int(frames_.size()));
  if (!frames_.empty()) state_.set_q({x.data(), size_t(model.n_q)});
  for (const Frame& frame : frames_) {
    const Vec3<double> p = frame_pose(state_, frame).p;
    part(frame.name.c_str(), Eigen::Vector3d(p.x, p.y, p.z),
         frame_jacobian(state_, frame, Axes::world).bottomRows(3), 0);
  }
  lua_setfield(L, -2, "frames");
}

// Leaves the result of the function on top of the stack.
void FunctionCost::call(double t, const VectorXd& x, const VectorXd* u, bool with_derivatives) {
  lua_State* const L = plan_.L;
  luaL_checkstack(L, 20, nullptr);
  charge_kernels(L, *plan_.model, frames_.empty() ? 1 : 3);
  lua_rawgeti(L, LUA_REGISTRYINDEX, function_);
  lua_pushnumber(L, t);
  push_state(x, u, with_derivatives);
  lua_call(L, 2, 1);
}

double FunctionCost::value(double t, const VectorXd& x, const VectorXd* u) {
  lua_State* const L = plan_.L;
  const int top = lua_gettop(L);
  call(t, x, u, false);
  if (lua_type(L, -1) != LUA_TNUMBER)
    fail(t, fmt::format("returns a {} instead of a number", luaL_typename(L, -1)));
  const double out = lua_tonumber(L, -1);
  lua_settop(L, top);
  if (!std::isnan(out)) return out;
  if (!has_started_) fail(t, "returns NaN");
  return std::numeric_limits<double>::infinity();
}

void FunctionCost::add(double t, const VectorXd& x, const VectorXd* u, double weight,
                       CostModel& out) {
  lua_State* const L = plan_.L;
  const int top = lua_gettop(L);
  has_started_ = true;
  const Index n = plan_.model->n_v, n_x = 2 * n, m = u ? 3 * n : n_x;
  call(t, x, u, true);
  const SecondOrder f = second_order_at(L, lua_gettop(L), {owner_, "the result"}, m);
  lua_settop(L, top);
  if (!f.gradient.allFinite() || !f.hessian.allFinite())
    fail(t, "has a derivative that is not finite");
  const MatrixXd H = weight * without_negative(f.hessian);
  out.l_x += weight * f.gradient.head(n_x);
  out.l_xx += H.topLeftCorner(n_x, n_x);
  if (!u) return;
  out.l_u += weight * f.gradient.tail(n);
  out.l_ux += H.bottomLeftCorner(n, n_x);
  out.l_uu += H.bottomRightCorner(n, n);
}

double FunctionCost::running(size_t step, const VectorXd& x, const VectorXd& u) {
  if (!counts_at(step)) return 0;
  return (instants_.step ? 1 : plan_.dt) * value(double(step) * plan_.dt, x, &u);
}
void FunctionCost::add_running(size_t step, const VectorXd& x, const VectorXd& u, double weight,
                               CostModel& out) {
  if (counts_at(step))
    add(double(step) * plan_.dt, x, &u, weight * (instants_.step ? 1 : plan_.dt), out);
}
double FunctionCost::terminal(const VectorXd& x) {
  return instants_.at_end ? value(double(plan_.steps) * plan_.dt, x, nullptr) : 0;
}
void FunctionCost::add_terminal(const VectorXd& x, double weight, CostModel& out) {
  if (instants_.at_end) add(double(plan_.steps) * plan_.dt, x, nullptr, weight, out);
}

}  // namespace torsor::lua
