#include "torsor/symbolic/formulae.hpp"

#include <fmt/format.h>

#include "articulated_body/inverse_mass_matrix.hpp"
#include "articulated_body/trace.hpp"
#include "lagrange_christoffel/algorithm.hpp"
#include "newton_euler/algorithm.hpp"
#include "newton_euler/partials.hpp"
#include "newton_euler/rates.hpp"
#include "newton_euler/trace.hpp"
#include "torsor/base/error.hpp"
#include "torsor/symbolic/body_formulae.hpp"

namespace torsor::symbolic {

namespace {

using std::vector;
using Scalars = vector<Expression>;

size_t bodies(const SymbolicModel& model) {
  return size_t(model.model().n_body);
}
size_t dof(const SymbolicModel& model) {
  return size_t(model.model().n_v);
}
const Wrench<Expression>* wrenches(const SymbolicModel& model) {
  return model.F_B.empty() ? nullptr : model.F_B.data();
}

// Names the quantities that a kernel traces: the symbol of the quantity, the number of the body or
// dof, and the component.
class NameTrace {
 public:
  NameTrace(std::span<const torsor_trace_pass> passes, NodeNames& names) : names_(&names) {
    for (const torsor_trace_pass& pass : passes)
      for (uint32_t k = 0; k < pass.n_quantity; ++k) quantities_.push_back(&pass.quantity[k]);
  }
  template <class Value>
  void operator()(int number, int row, const Value& value) const {
    const torsor_trace_quantity& quantity = *quantities_[size_t(number)];
    const int index = sdk::traced_by_column(quantity.kind) ? row + 1 : row;
    visit(fmt::format("{}{}", quantity.symbol, index), value);
  }

 private:
  void visit(const std::string& name, const Expression& x) const {
    // A negative quantity is a node with a minus sign, which must not have the name of the
    // quantity.
    if (x.is_constant() || x.ref().is_negative() ||
        operands(x.graph()->nodes()[x.ref().node()].op) == 0)
      return;
    names_->emplace(x.ref().node(), name);
  }
  void visit(const std::string& name, const Vec3<Expression>& x) const {
    visit(name + "x", x.x), visit(name + "y", x.y), visit(name + "z", x.z);
  }
  void visit(const std::string& name, const Twist<Expression>& x) const {
    visit(name + "w", x.w), visit(name + "v", x.v);
  }
  void visit(const std::string& name, const Wrench<Expression>& x) const {
    visit(name + "n", x.n), visit(name + "f", x.f);
  }
  void visit(const std::string& name, const Sym3<Expression>& x) const {
    visit(name + "xx", x.xx), visit(name + "yy", x.yy), visit(name + "zz", x.zz);
    visit(name + "xy", x.xy), visit(name + "xz", x.xz), visit(name + "yz", x.yz);
  }
  void visit(const std::string& name,
             const articulated_body::ArticulatedInertia<Expression>& P) const {
    visit(name + "A", P.A), visit(name + "D", P.D);
    for (int k = 0; k < 9; ++k)
      visit(fmt::format("{}B{}{}", name, "xyz"[k / 3], "xyz"[k % 3]), P.B.m[k]);
  }

  std::vector<const torsor_trace_quantity*> quantities_;
  NodeNames* names_;
};

Scalars newton_euler_torques(const SymbolicModel& model, const Scalars& v, const Scalars& vdot,
                             const Twist<Expression>& V_W, bool with_wrenches, NodeNames& names) {
  Scalars tau(dof(model));
  vector<newton_euler::BodyMotion<Expression>> body(bodies(model));
  newton_euler::inverse(model.tree(), sdk::joint_axes(model.tree()).data(), model.X_PB.data(),
                        v.data(), vdot.data(), V_W, model.A_W,
                        with_wrenches ? wrenches(model) : nullptr, body.data(), tau.data(),
                        NameTrace(newton_euler::trace_passes, names));
  return tau;
}

// Equations: KHALIL 7.50, 7.61.
vector<Result> inverse_dynamics(const SymbolicModel& model, NodeNames& names) {
  Scalars tau = newton_euler_torques(model, model.v, model.vdot, model.V_W, true, names);
  for (size_t k = 0; k < model.joint_torques.size(); ++k) tau[k] = tau[k] + model.joint_torques[k];
  return {vector_result("tau", std::move(tau))};
}
vector<Result> bias(const SymbolicModel& model, NodeNames& names) {
  return {vector_result(
      "b", newton_euler_torques(model, model.v, Scalars(dof(model)), model.V_W, false, names))};
}
// The contribution of the twist of the world belongs to C v.
vector<Result> gravity(const SymbolicModel& model, NodeNames& names) {
  const Scalars zero(dof(model));
  return {vector_result(
      "g", newton_euler_torques(model, zero, zero, Twist<Expression>{}, false, names))};
}

vector<Result> mass_matrix(const SymbolicModel& model, NodeNames&) {
  const size_t n = dof(model);
  Scalars M(n * n), work(6 * n);
  vector<SpatialInertia<Expression>> composite(bodies(model));
  newton_euler::mass_matrix(model.tree(), sdk::joint_axes(model.tree()).data(),
                            sdk::Subtrees(model.tree()), model.X_PB.data(), composite.data(),
                            newton_euler::Wrenches<Expression>(work.data(), int(n)), M.data());
  return {matrix_result("M", n, std::move(M))};
}

vector<Result> coriolis_matrix(const SymbolicModel& model, NodeNames&) {
  const size_t n = dof(model);
  Scalars C(n * n);
  vector<newton_euler::AlignedBody<Expression>> body(bodies(model));
  vector<newton_euler::MovingBody<Expression>> moving(bodies(model));
  vector<Twist<Expression>> S(n), Sd(n);
  newton_euler::coriolis_matrix(model.tree(), model.X_PB.data(), model.v.data(), body.data(),
                                moving.data(), S.data(), Sd.data(), C.data());
  return {matrix_result("C", n, std::move(C))};
}

// The work area of lagrange_christoffel.
struct ChristoffelWork {
  explicit ChristoffelWork(const SymbolicModel& model)
      : paths(model.tree()),
        J(size_t(paths.size()) + bodies(model)),
        A(bodies(model)),
        E(dof(model) + 1),
        Mc(bodies(model)),
        F(bodies(model)),
        Q(dof(model) + 1),
        R(dof(model) + 1) {}
  lagrange_christoffel::Tables<Expression> tables() {
    return {J.data(), Mc.data(), A.data(), F.data(), E.data(), Q.data(), R.data()};
  }
  sdk::Paths paths;
  vector<Twist<Expression>> J, A, E;
  vector<SpatialInertia<Expression>> Mc;
  vector<Wrench<Expression>> F, Q, R;
};

vector<Result> coriolis_matrix_by_christoffel_symbols(const SymbolicModel& model, NodeNames&) {
  ChristoffelWork work(model);
  Scalars C(dof(model) * dof(model));
  lagrange_christoffel::coriolis_matrix(model.tree(), work.paths, model.X_PB.data(), model.v.data(),
                                        work.tables(), C.data());
  return {matrix_result("C", dof(model), std::move(C))};
}

vector<Result> christoffel_symbols(const SymbolicModel& model, NodeNames&) {
  ChristoffelWork work(model);
  const int n = int(dof(model));
  Scalars G(size_t(n) * size_t(n) * size_t(n));
  lagrange_christoffel::christoffel_symbols(model.tree(), work.paths, model.X_PB.data(),
                                            work.tables(), G.data());
  return {{"G", {n, n, n}, std::move(G)}};
}

// Throws Error if a pivot is zero in every state: a joint that moves no inertia.
Result pivots(const SymbolicModel& model, Scalars entries) {
  const vector<std::string> names = model.model().dof_names();
  for (size_t k = 0; k < entries.size(); ++k)
    if (entries[k] == 0.0)
      throw Error(
          fmt::format("the mass matrix of this robot is singular: joint '{}' moves no inertia; "
                      "give its link an "
                      "inertia or the joint an armature, or generate inverse dynamics only",
                      names[k]));
  Result d = vector_result("d", std::move(entries));
  d.is_pivots = true;
  return d;
}
Result pivots(const SymbolicModel& model,
              const vector<articulated_body::Column<Expression>>& column) {
  Scalars d;
  for (const auto& entry : column) d.push_back(entry.d);
  return pivots(model, std::move(d));
}

// tau: torques of the motors, without those that friction and springs require.
vector<Result> forward_dynamics_for(const SymbolicModel& model, const Scalars& tau,
                                    NodeNames& names) {
  Scalars vdot(dof(model));
  vector<articulated_body::ArticulatedBody<Expression>> body(bodies(model));
  vector<articulated_body::Column<Expression>> column(dof(model));
  articulated_body::forward(model.tree(), sdk::joint_axes(model.tree()).data(), model.X_PB.data(),
                            model.v.data(), tau.data(), model.V_W, model.A_W, wrenches(model),
                            body.data(), column.data(), vdot.data(),
                            NameTrace(articulated_body::trace_passes, names));
  return {vector_result("vdot", std::move(vdot)), pivots(model, column)};
}

// Returns tau without the torques that friction and springs require.
// Equations: KHALIL 7.82.
Scalars remaining_torques(const SymbolicModel& model) {
  Scalars tau = model.tau;
  for (size_t k = 0; k < model.joint_torques.size(); ++k) tau[k] = tau[k] - model.joint_torques[k];
  return tau;
}

vector<Result> forward_dynamics(const SymbolicModel& model, NodeNames& names) {
  return forward_dynamics_for(model, remaining_torques(model), names);
}

// Solves M vdot = tau - b with M = L^T D L. The last dof is eliminated first, so that L has a zero
// wherever M has one (tree_factor.hpp).
vector<Result> forward_dynamics_by_mass_matrix(const SymbolicModel& model, NodeNames& names) {
  const size_t n = dof(model);
  Scalars M = mass_matrix(model, names)[0].entries, x = remaining_torques(model),
          d(n, Expression(1.0));
  const Scalars b = newton_euler_torques(model, model.v, Scalars(n), model.V_W, true, names);
  for (size_t k = 0; k < n; ++k) x[k] = x[k] - b[k];
  for (size_t k = n; k-- > 0;) {
    d[k] = M[k * n + k];
    if (d[k] == 0.0) break;  // pivots() throws
    for (size_t i = k; i-- > 0;) {
      const Expression l = M[k * n + i] / d[k];
      for (size_t j = 0; j <= i; ++j) M[i * n + j] = M[i * n + j] - l * M[k * n + j];
      x[i] = x[i] - l * x[k];
      M[k * n + i] = l;
    }
  }
  Result checked = pivots(model, std::move(d));
  for (size_t k = 0; k < n; ++k) {
    x[k] = x[k] / checked.entries[k];
    for (size_t i = 0; i < k; ++i) x[k] = x[k] - M[k * n + i] * x[i];
  }
  return {vector_result("vdot", std::move(x)), std::move(checked)};
}

vector<Result> inverse_mass_matrix(const SymbolicModel& model, NodeNames&) {
  const size_t n = dof(model);
  const sdk::Subtrees subtrees(model.tree());
  const sdk::FactorPattern pattern(model.tree(), lanes<Expression>);
  using Work = articulated_body::InverseWork<Expression>;
  Scalars Minv(n * n), y(Work::y_size(pattern)), numbers(Work::numbers(pattern)), pivot(n);
  vector<articulated_body::ArticulatedInertia<Expression>> P(bodies(model));
  const Work at(y.data(), numbers.data(), P.data(), pattern);
  articulated_body::inverse_mass_matrix(model.tree(), sdk::joint_axes(model.tree()).data(),
                                        subtrees, pattern, model.X_PB.data(), at, Minv.data());
  for (size_t k = 0; k < n; ++k) pivot[k] = at.d[pattern.pivot(int(k))];
  return {matrix_result("Minv", n, std::move(Minv)), pivots(model, std::move(pivot))};
}

// Along a motion of the joints, in a world at rest: gravity is constant.
vector<Result> torque_rates(const SymbolicModel& model, NodeNames&) {
  constexpr int order = 2;
  const size_t n = dof(model);
  Scalars tau((order + 1) * n), vdot;
  for (const Scalars* x : {&model.vdot, &model.vddot, &model.vdddot})
    vdot.insert(vdot.end(), x->begin(), x->end());
  vector<newton_euler::BodySeries<Expression, order>> body(bodies(model));
  body[0].a[0] = model.A_W.v;
  newton_euler::rates<Expression, order>(
      model.tree(), sdk::joint_axes(model.tree()).data(), model.X_PB.data(), model.v.data(),
      vdot.data(), static_cast<const Wrench<Expression>*>(nullptr), body.data(), tau.data());
  const auto part = [&](size_t k) {
    return Scalars(tau.begin() + long(k * n), tau.begin() + long((k + 1) * n));
  };
  return {vector_result("tau", part(0)), vector_result("taudot", part(1)),
          vector_result("tauddot", part(2))};
}

vector<Result> inverse_partials_at(const SymbolicModel& model, const Scalars& vdot) {
  const size_t n = dof(model);
  Scalars dq(n * n), dv(n * n);
  const newton_euler::PartialsTables<Expression> tables(model.tree());
  vector<newton_euler::PartialsGroup<Expression>> group(size_t(tables.n_groups()));
  newton_euler::inverse_partials(model.tree(), tables, model.X_PB.data(), model.v.data(),
                                 vdot.data(), model.V_W, model.A_W, wrenches(model), group.data(),
                                 dq.data(), dv.data());
  return {matrix_result("dtau_dq", n, std::move(dq)), matrix_result("dtau_dv", n, std::move(dv))};
}
vector<Result> inverse_partials(const SymbolicModel& model, NodeNames&) {
  return inverse_partials_at(model, model.vdot);
}

// The derivatives of M vdot + b = tau give dvdot/dx = -M^-1 dtau/dx at constant vdot.
vector<Result> forward_partials(const SymbolicModel& model, NodeNames& names) {
  const size_t n = dof(model);
  const vector<Result> forward = forward_dynamics_for(model, model.tau, names);
  const vector<Result> inverse = inverse_partials_at(model, forward[0].entries);
  Scalars Minv = inverse_mass_matrix(model, names)[0].entries;
  const auto solved = [&](const Scalars& dtau) {
    Scalars out(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        for (size_t k = 0; k < n; ++k)
          out[i * n + j] = out[i * n + j] + Minv[i * n + k] * dtau[k * n + j];
        out[i * n + j] = -out[i * n + j];
      }
    return out;
  };
  Scalars dq = solved(inverse[0].entries), dv = solved(inverse[1].entries);
  return {matrix_result("dvdot_dq", n, std::move(dq)), matrix_result("dvdot_dv", n, std::move(dv)),
          matrix_result("dvdot_dtau", n, std::move(Minv))};
}

}  // namespace

std::span<const FormulaRow> formula_rows() {
  static const FormulaRow rows[] = {
      {.name = "inverse_dynamics",
       .summary = "tau for q, v, vdot (recursive Newton-Euler)",
       .inputs = {"q", "v", "vdot"},
       .evaluate = inverse_dynamics,
       .passes = newton_euler::trace_passes,
       .has_wrenches = true,
       .has_joint_torques = true},
      {.name = "forward_dynamics",
       .summary = "vdot for q, v, tau (articulated bodies)",
       .inputs = {"q", "v", "tau"},
       .evaluate = forward_dynamics,
       .passes = articulated_body::trace_passes,
       .has_wrenches = true,
       .has_joint_torques = true},
      {.name = "forward_dynamics_by_mass_matrix",
       .summary = "vdot for q, v, tau (M = L^T D L)",
       .inputs = {"q", "v", "tau"},
       .evaluate = forward_dynamics_by_mass_matrix,
       .has_wrenches = true,
       .has_joint_torques = true},
      {.name = "mass_matrix",
       .summary = "M (composite bodies)",
       .inputs = {"q"},
       .evaluate = mass_matrix},
      {.name = "inverse_mass_matrix",
       .summary = "M^-1 (articulated bodies)",
       .inputs = {"q"},
       .evaluate = inverse_mass_matrix},
      {.name = "coriolis_matrix",
       .summary = "C, for which Mdot - 2C is skew-symmetric (recursive Newton-Euler)",
       .inputs = {"q", "v"},
       .evaluate = coriolis_matrix},
      {.name = "coriolis_matrix_by_christoffel_symbols",
       .summary = "C_ij = sum_k G_ijk v_k, with the Christoffel symbols G",
       .inputs = {"q", "v"},
       .evaluate = coriolis_matrix_by_christoffel_symbols},
      {.name = "gravity",
       .summary = "g",
       .inputs = {"q"},
       .evaluate = gravity,
       .passes = newton_euler::trace_passes},
      {.name = "bias",
       .summary = "C v + g",
       .inputs = {"q", "v"},
       .evaluate = bias,
       .passes = newton_euler::trace_passes},
      {.name = "christoffel_symbols",
       .summary = "Christoffel symbols of the first kind",
       .inputs = {"q"},
       .evaluate = christoffel_symbols},
      {.name = "torque_rates",
       .summary = "tau, tau' and tau'' (power series)",
       .inputs = {"q", "v", "vdot", "vddot", "vdddot"},
       .evaluate = torque_rates},
      {.name = "inverse_partials",
       .summary = "derivatives of tau with respect to q and v",
       .inputs = {"q", "v", "vdot"},
       .evaluate = inverse_partials,
       .has_wrenches = true},
      {.name = "forward_partials",
       .summary = "derivatives of vdot with respect to q, v and tau",
       .inputs = {"q", "v", "tau"},
       .evaluate = forward_partials,
       .has_wrenches = true},
      {.name = "regressor",
       .summary = "Y with tau = Y pi, for the inertial parameters pi of the bodies",
       .inputs = {"q", "v", "vdot"},
       .evaluate = regressor},
      {.name = "poses",
       .summary = "X_WF of frames: the rotation by rows, then the position",
       .inputs = {"q"},
       .evaluate = poses,
       .has_frames = true},
      {.name = "jacobians",
       .summary = "J of frames: the twist in the axes of the frame is J v",
       .inputs = {"q"},
       .evaluate = jacobians,
       .has_frames = true},
      {.name = "energies",
       .summary = "the kinetic energy T and the potential energy U",
       .inputs = {"q", "v"},
       .evaluate = energies},
  };
  return rows;
}

const FormulaRow& formula_row(std::string_view name) {
  vector<std::string> names;
  for (const FormulaRow& row : formula_rows()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(fmt::format("there is no quantity '{}'{}; use one of {}", name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace torsor::symbolic
