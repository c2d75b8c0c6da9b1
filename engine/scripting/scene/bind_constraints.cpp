// The methods of arm:dynamics for mechanisms with closures and mimic joints.

#include <Eigen/Core>

#include "torsor/constraints/closure_wrenches.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/frame_values.hpp"
#include "torsor/scripting/values/parameter_choice.hpp"
#include "torsor/scripting/values/read_task.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

namespace {

using Vector = Eigen::VectorXd;

std::span<const double> entries_of(const Vector& x) {
  return {x.data(), size_t(x.size())};
}
Vector vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
}

// Reads the lists `independent` and `actuated` of the options at a stack index.
ConstrainedChoice choice_at(lua_State* L, int index, const DynamicsObject& d, const char* method,
                            std::initializer_list<const char*> keys) {
  const TableReader table(L, index, {fmt::format("{} in {}", method, d.owner), ""}, keys);
  ConstrainedChoice out;
  const auto read = [&](const char* key, std::vector<int>& dofs) {
    if (!table.has(key)) return;
    dofs = dofs_named(d.state.model(), table.texts(key), key);
    if (dofs.empty())
      table.place().inside(key).fail("is empty; name at least one joint, or leave it out");
  };
  read("independent", out.independent);
  read("actuated", out.actuated);
  return out;
}

// A call d:METHOD(q, v, vector, options) of a method that evaluates the constraints.
struct Call {
  DynamicsObject& d;
  ConstrainedDynamics dynamics;
  Vector given;  // [n_v] vdot or tau; empty if the method takes none
};

// Reads the arguments and evaluates the constraints. given: the name of the third argument, or
// nullptr. numbers: the count of numbers of the result.
template <class Numbers>
Call evaluated(lua_State* L, const char* method, const char* usage, const char* given,
               std::initializer_list<const char*> keys, Numbers numbers) {
  const int options = given ? 5 : 4;
  if (lua_gettop(L) == options - 1) lua_newtable(L);
  DynamicsObject& d = called(L, usage, options - 1);
  require_solver(d);
  set_state(L, d, 2);
  d.state.v = rates_at(L, 3, d, "v");
  Call out{d,
           owned(d.owner,
                 [&] {
                   return ConstrainedDynamics(d.state.model(),
                                              choice_at(L, options, d, method, keys));
                 }),
           given ? vector_of(rates_at(L, 4, d, given)) : Vector()};
  const double n = double(d.state.v.size()), rows = double(out.dynamics.rows().size());
  const CallCost cost(L, d.state.model(), fmt::format("{}: {}", d.owner, method),
                      {10 + 3 * n, numbers(n, rows), 10 * (n + rows) * (n + rows)});
  owned(d.owner, [&] {
    out.dynamics.evaluate(*d.solver, d.state);
    return 0;
  });
  return out;
}

void require_closed(const Call& call) {
  owned(call.d.owner, [&] {
    call.dynamics.require_closed();
    return 0;
  });
}

std::vector<std::string> names_of(const DynamicsObject& d, std::span<const int> dofs) {
  const std::vector<std::string> names = d.state.model().dof_names();
  std::vector<std::string> out;
  for (const int dof : dofs) out.push_back(names[size_t(dof)]);
  return out;
}

// Pushes { closure = six numbers, .. }: the wrench of A on B at the origin of B, in the axes of A.
void push_wrenches(lua_State* L, const Call& call, const ConstrainedDynamics::Motion& motion) {
  const std::vector<Wrench<double>> wrenches =
      transmitted_wrenches(call.d.state, entries_of(motion.vdot),
                           call.dynamics.rows().closure_wrenches(call.d.state, motion.multipliers));
  lua_createtable(L, 0, int(wrenches.size()));
  for (size_t k = 0; k < wrenches.size(); ++k) {
    const Wrench<double>& F = wrenches[k];
    set_list(L, call.d.state.model().closures[k].name.c_str(),
             std::vector{F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  }
}

// Returns the joint wrenches of a motion, with the reactions of the closures.
std::vector<Wrench<double>> wrenches_of(const DynamicsObject& d,
                                        const ConstrainedDynamics& dynamics,
                                        const ConstrainedDynamics::Motion& motion) {
  return joint_wrenches(d.state, entries_of(motion.vdot),
                        dynamics.rows().closure_wrenches(d.state, motion.multipliers));
}

// Implements d:constraints(q, v, { independent =, actuated = }). scripts/README.md lists the
// returned fields.
int constraints_of_robot(lua_State* L) {
  const Call call = evaluated(L, "constraints", "d:constraints(q, v, {...})", nullptr,
                              {"independent", "actuated"},
                              [](double n, double rows) { return (n + 6) * rows + 3 * n; });
  const ConstraintRows& rows = call.dynamics.rows();
  const ConstrainedMotions& motions = call.dynamics.motions();
  std::vector<std::string> names, units;
  for (Eigen::Index row = 0; row < rows.size(); ++row) {
    names.push_back(rows.name(row));
    units.emplace_back(rows.is_distance(row) ? "m" : "rad");
  }
  lua_newtable(L);
  const auto set = [&](const char* key) { lua_setfield(L, -2, key); };
  push_texts(L, names), set("rows");
  push_texts(L, units), set("units");
  push_matrix(L, rows.jacobian()), set("jacobian");
  push_list(L, entries_of(rows.error())), set("error");
  push_list(L, entries_of(rows.bias())), set("bias");
  lua_pushinteger(L, motions.rank()), set("rank");
  lua_pushinteger(L, motions.mobility()), set("mobility");
  push_list(L, entries_of(motions.singular_values())), set("singular_values");
  push_texts(L, names_of(call.d, call.dynamics.independent())), set("independent");
  push_texts(L, names_of(call.d, call.dynamics.actuated())), set("actuated");
  push(L, call.dynamics.unactuated_motion()), set("unactuated");
  const std::vector<Eigen::Index> redundant = motions.redundant_rows(rows);
  lua_newtable(L);
  for (size_t k = 0; k < redundant.size(); ++k) {
    if (redundant[k] == 0) continue;
    lua_pushinteger(L, redundant[k]);
    lua_setfield(L, -2, rows.groups()[k].name.c_str());
  }
  set("redundant");
  return 1;
}

// Implements d:assemble{ q =, v =, hold = { joint, .. } }. Returns q and v with closed loops.
int assemble_robot(lua_State* L) {
  DynamicsObject& d = called(L, "d:assemble{...}", 1);
  require_solver(d);
  const TableReader table(L, 2, {fmt::format("assemble in {}", d.owner), ""}, {"q", "v", "hold"});
  const Model& model = d.state.model();
  lua_getfield(L, 2, "q");
  d.state.set_q(positions_at(L, lua_gettop(L), table.place().inside("q"), model));
  std::ranges::fill(d.state.v, 0.0);
  if (table.has("v")) d.state.v = table.numbers("v", d.state.v.size());
  std::vector<char> held(size_t(model.n_v), 0);
  charge_kernels(L, model, 100 + 10 * model.n_v);
  owned(d.owner, [&] {
    if (table.has("hold"))
      for (const int dof : dofs_named(model, table.texts("hold"), "hold")) held[size_t(dof)] = 1;
    ConstrainedDynamics::assemble(*d.solver, d.state, held);
    return 0;
  });
  push_list(L, d.state.q());
  push_list(L, d.state.v);
  return 2;
}

// Implements d:constrained_forward(q, v, tau). Returns vdot, the wrenches in the closures, the
// multipliers of the rows of d:constraints, and the joint wrenches.
int constrained_forward(lua_State* L) {
  const Call call = evaluated(L, "constrained_forward", "d:constrained_forward(q, v, tau)", "tau",
                              {}, [](double n, double rows) { return 7 * (n + rows); });
  require_closed(call);
  const auto motion = call.dynamics.forward(call.given);
  push_list(L, entries_of(motion.vdot));
  push_wrenches(L, call, motion);
  push_list(L, entries_of(motion.multipliers));
  push_joint_wrenches(L, call.d, wrenches_of(call.d, call.dynamics, motion), Axes::frame);
  return 4;
}

// Implements d:constrained_inverse(q, v, vdot, { independent =, actuated = }). Returns tau, vdot of
// all joints, the wrenches in the closures, and the joint wrenches.
int constrained_inverse(lua_State* L) {
  const Call call = evaluated(L, "constrained_inverse", "d:constrained_inverse(q, v, vdot, {...})",
                              "vdot", {"independent", "actuated"},
                              [](double n, double rows) { return 8 * n + 6 * rows; });
  require_closed(call);
  const auto motion = owned(call.d.owner, [&] { return call.dynamics.inverse(call.given); });
  push_list(L, entries_of(motion.tau));
  push_list(L, entries_of(motion.vdot));
  push_wrenches(L, call, motion);
  push_joint_wrenches(L, call.d, wrenches_of(call.d, call.dynamics, motion), Axes::frame);
  return 4;
}

// Implements d:reduced_dynamics(q, v, { independent = }). scripts/README.md lists the returned
// fields.
int reduced_dynamics(lua_State* L) {
  const Call call = evaluated(L, "reduced_dynamics", "d:reduced_dynamics(q, v, {...})", nullptr,
                              {"independent"}, [](double n, double) { return 2 * n * n + 3 * n; });
  require_closed(call);
  lua_newtable(L);
  const auto set = [&](const char* key) { lua_setfield(L, -2, key); };
  push_matrix(L, call.dynamics.reduced_mass_matrix()), set("M");
  push_list(L, entries_of(call.dynamics.reduced_bias())), set("bias");
  push_matrix(L, call.dynamics.transfer()), set("transfer");
  push_list(L, entries_of(call.dynamics.gamma())), set("gamma");
  push_texts(L, names_of(call.d, call.dynamics.independent())), set("independent");
  return 1;
}

// Implements d:constrained_partials(q, v, tau, { independent = }). Returns d vdot/dq_i, d
// vdot/dv_i, d vdot/dtau, and the names of the independent dof.
int constrained_partials(lua_State* L) {
  const Call call = evaluated(L, "constrained_partials", "d:constrained_partials(q, v, tau, {...})",
                              "tau", {"independent"}, [](double n, double) { return 3 * n * n; });
  require_closed(call);
  charge_kernels(L, call.d.state.model(), 100 * int(call.dynamics.motions().mobility()));
  const auto partials = owned(
      call.d.owner, [&] { return call.dynamics.forward_partials(*call.d.solver, call.given); });
  push_matrix(L, partials.dvdot_dq);
  push_matrix(L, partials.dvdot_dv);
  push_matrix(L, partials.dvdot_dtau);
  push_texts(L, names_of(call.d, call.dynamics.independent()));
  return 4;
}

}  // namespace

std::vector<Wrench<double>> closed_joint_wrenches(lua_State* L, DynamicsObject& d,
                                                  const std::vector<double>& vdot) {
  require_solver(d);
  return owned(d.owner, [&] {
    ConstrainedDynamics dynamics(d.state.model());
    const double n = double(d.state.v.size()), rows = double(dynamics.rows().size());
    const CallCost cost(L, d.state.model(), "joint_wrenches",
                        {10 + 3 * n, 6 * (n + rows), 10 * (n + rows) * (n + rows)});
    dynamics.evaluate(*d.solver, d.state);
    dynamics.require_closed();
    return wrenches_of(d, dynamics, dynamics.inverse(vector_of(vdot)));
  });
}

std::span<const Function> constraint_functions() {
  static constexpr Function functions[] = {{"assemble", guarded<assemble_robot>},
                                           {"constrained_forward", guarded<constrained_forward>},
                                           {"constrained_inverse", guarded<constrained_inverse>},
                                           {"constrained_partials", guarded<constrained_partials>},
                                           {"constraints", guarded<constraints_of_robot>},
                                           {"reduced_dynamics", guarded<reduced_dynamics>}};
  return functions;
}

}  // namespace torsor::lua
