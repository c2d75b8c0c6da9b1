#include "editor/panels/dynamics/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "editor/panels/dynamics/units.hpp"
#include "editor/probe/derivatives.hpp"
#include "editor/probe/frame_dynamics.hpp"
#include "editor/probe/probe.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor::editor {

namespace {

using View = DynamicsView;
using Group = DynamicsGroup;
using Look = DynamicsLook;

const DynamicsRow other_rows[] = {
    {View::tau, Group::vectors, Look::bars, "tau", "τ",
     "Total joint torque τ, friction and constraints included", torque_unit},
    {View::split, Group::vectors, Look::stacked_bars, "split", "Split",
     "Terms of M v̇ + C v + g for each joint", torque_unit},
    {View::J, Group::frame, Look::heat_map, "J", "J", "Frame Jacobian J", jacobian_unit},
    {View::Lambda, Group::frame, Look::heat_map, "Lambda", "Λ",
     "Operational-space inertia Λ = (J M⁻¹ Jᵀ)⁻¹", inertia_unit},
    {View::tau_dot, Group::derivatives, Look::bars, "tau_dot", "dτ/dt", "Torque rate dτ/dt",
     torque_rate_unit},
    {View::tau_ddot, Group::derivatives, Look::bars, "tau_ddot", "d²τ/dt²",
     "Second torque derivative d²τ/dt²", torque_second_rate_unit},
    {View::M_dot, Group::derivatives, Look::heat_map, "M_dot", "dM/dt", "dM/dt", coriolis_unit},
    {View::C_dot, Group::derivatives, Look::heat_map, "C_dot", "dC/dt", "dC/dt",
     coriolis_rate_unit},
    {View::g_dot, Group::derivatives, Look::bars, "g_dot", "dg/dt", "dg/dt", torque_rate_unit},
    {View::dtau_dq, Group::derivatives, Look::heat_map, "dtau_dq", "∂τ/∂q",
     "∂τ/∂q of inverse dynamics, at constant v̇", stiffness_unit},
    {View::dtau_dv, Group::derivatives, Look::heat_map, "dtau_dv", "∂τ/∂v",
     "∂τ/∂v of inverse dynamics, at constant v̇", damping_unit},
    {View::dvdot_dq, Group::derivatives, Look::heat_map, "dvdot_dq", "∂v̇/∂q",
     "∂v̇/∂q of forward dynamics, at constant τ", acceleration_per_q},
    {View::dvdot_dv, Group::derivatives, Look::heat_map, "dvdot_dv", "∂v̇/∂v",
     "∂v̇/∂v of forward dynamics, at constant τ", acceleration_per_v},
};

static_assert(std::ranges::count(quantities, 3, &QuantityRow::indices) == 1,
              "the view of three indices is that of the Christoffel symbols");

DynamicsView view_of(Quantity quantity) {
  return DynamicsView(int(View::first_quantity) + int(quantity));
}

// Returns the units of a quantity's entries. A table of a quantity with three indices shows the
// first two. k_turns is true if the dof of the third index is an angle.
EntryUnit entry_unit(const QuantityRow& row, bool k_turns = true) {
  return [&row, k_turns](bool row_turns, bool column_turns) {
    const bool turns[] = {row_turns, column_turns, k_turns};
    return row.unit(std::span(turns).first(size_t(row.indices)));
  };
}

DynamicsRow row_of_quantity(const QuantityRow& row, DynamicsView view) {
  const bool is_vector = row.indices == 1;
  return {view,
          is_vector ? Group::vectors : Group::matrices,
          is_vector ? Look::bars : Look::heat_map,
          row.letters,
          row.symbol,
          row.title,
          entry_unit(row)};
}

std::vector<DynamicsRow> all_rows() {
  std::vector<DynamicsRow> out;
  for (const QuantityRow& row : quantities)
    if (row.quantity != Quantity::inverse && row.quantity != Quantity::forward)
      out.push_back(row_of_quantity(row, view_of(row.quantity)));
  std::ranges::stable_sort(out, {}, &DynamicsRow::group);
  out.push_back(row_of_quantity(row_of(Quantity::forward), View::vdot));
  out.insert(out.end(), std::begin(other_rows), std::end(other_rows));
  return out;
}

std::string solver_clause(const Solver& solver, bool derived) {
  return fmt::format("{}{}", without_kind(solver.id()), derived ? ", derived" : "");
}

void make_square(NumberTable& table) {
  table.columns = table.rows;
  table.column_turns = table.row_turns;
}

void fill(NumberTable& table, const Answer& answer) {
  table.x = answer.x;
  table.failure = answer.failure;
}

void fill_quantity(NumberTable& table, Probe& probe, Quantity quantity) {
  if (indices(quantity) == 2) make_square(table);
  fill(table, probe.answer(quantity));
  table.source =
      solver_clause(probe.solver(), probe.solver().capability(quantity) == Capability::derived);
}

void fill_christoffel(NumberTable& table, Probe& probe, int k) {
  const Christoffel& found = probe.christoffel();
  const size_t n = table.rows.size();
  make_square(table);
  table.name = fmt::format("christoffel_{}", k + 1);
  table.entry_unit = entry_unit(row_of(Quantity::christoffel_symbols), table.row_turns[size_t(k)]);
  table.failure = found.answer.failure;
  if (!table.failure.empty()) return;
  for (size_t i = 0; i < n * n; ++i) table.x.push_back(found.answer.x[i * n + size_t(k)]);
  const Solver& solver = probe.solver();
  table.source =
      fmt::format("k = {}; {}, at {:.6g} s", table.rows[size_t(k)],
                  solver_clause(solver, solver.capability(Quantity::christoffel_symbols) ==
                                            Capability::derived),
                  found.time);
}

void name_components(NumberTable& table) {
  table.rows = {"ωx", "ωy", "ωz", "vx", "vy", "vz"};
  table.row_turns = {true, true, true, false, false, false};
}

void fill_jacobian(NumberTable& table, Probe& probe, int frame) {
  make_square(table);
  name_components(table);
  table.x = probe.jacobian(frame);
  table.source = fmt::format("V = J v: twist of frame '{}' in its own axes, angular part first",
                             probe.state().model().frames[size_t(frame)].name);
}

void fill_operational(NumberTable& table, Probe& probe, int frame) {
  const FrameDynamics& found = probe.frame_dynamics(frame);
  name_components(table);
  make_square(table);
  table.failure = found.failure;
  // Lambda is symmetric, so its column-major storage is also its order by rows.
  const Eigen::MatrixXd& Lambda = found.space.Lambda;
  table.x.assign(Lambda.data(), Lambda.data() + Lambda.size());
  table.source = fmt::format("frame '{}', in its own axes, angular part first; {}",
                             probe.state().model().frames[size_t(frame)].name,
                             without_kind(probe.solver().id()));
}

void fill_split(NumberTable& table, const Split& split) {
  table.columns = {"Inertial", "Centrifugal", "Coriolis", "Gravity", "Sum"};
  table.column_turns.assign(table.columns.size(), false);
  table.failure = split.failure;
  if (!split.failure.empty()) return;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const double parts[] = {split.inertial[i], split.centrifugal[i], split.coriolis[i],
                            split.gravity[i]};
    table.x.insert(table.x.end(), std::begin(parts), std::end(parts));
    table.x.push_back(parts[0] + parts[1] + parts[2] + parts[3]);
  }
}

void fill_derivative(NumberTable& table, Probe& probe, DynamicsView view) {
  // StateDerivative has the same order as the views from tau_dot on.
  const auto what = StateDerivative(int(view) - int(View::tau_dot));
  if (row_of(view).look == Look::heat_map) make_square(table);
  fill(table, probe.derivative(what));
  if (!table.failure.empty()) return;
  table.source = solver_clause(probe.solver(), is_derived(probe.solver(), what));
  table.source += needed(what) == Offer::partials ? "; applied wrenches constant in body axes"
                                                  : "; along the motion with constant v̇";
}

}  // namespace

std::span<const DynamicsRow> dynamics_rows() {
  static const std::vector<DynamicsRow> rows = all_rows();
  return rows;
}
const DynamicsRow& row_of(DynamicsView view) {
  return *std::ranges::find(dynamics_rows(), view, &DynamicsRow::view);
}
const char* label(DynamicsGroup group) {
  static constexpr const char* labels[] = {"Matrices", "Vectors", "Frame", "Derivatives"};
  return labels[int(group)];
}

DynamicsView dynamics_view(const std::string& wanted) {
  std::vector<std::string> names;
  for (const DynamicsRow& row : dynamics_rows()) {
    if (wanted == row.name) return row.view;
    names.emplace_back(row.name);
  }
  throw Error(fmt::format("there is no quantity '{}'; use one of: {}{}", wanted,
                          fmt::join(names, ", "), did_you_mean(wanted, names)));
}

std::optional<Quantity> quantity_of(DynamicsView view) {
  if (view < View::first_quantity) return std::nullopt;
  return Quantity(int(view) - int(View::first_quantity));
}

NumberTable dynamics_table(Probe& probe, DynamicsView view, const DynamicsChoice& choice) {
  const Model& model = probe.state().model();
  const DynamicsRow& row = row_of(view);
  NumberTable table{.name = row.name, .title = row.title, .source = "", .entry_unit = row.unit};
  table.rows = model.dof_names();
  for (int k = 0; k < model.n_v; ++k) table.row_turns.push_back(model.dof(k).turns());
  table.columns = {""};
  table.column_turns = {false};
  if (view == View::christoffel)
    fill_christoffel(table, probe, choice.column);
  else if (const auto quantity = quantity_of(view))
    fill_quantity(table, probe, *quantity);
  if (view == View::vdot) fill_quantity(table, probe, Quantity::forward);
  if (view == View::tau) fill(table, probe.torque());
  if (view == View::J) fill_jacobian(table, probe, choice.frame);
  if (view == View::Lambda) fill_operational(table, probe, choice.frame);
  if (view == View::split) {
    fill_split(table, probe.split());
    table.source = without_kind(probe.solver().id());
  }
  if (row.group == Group::derivatives) fill_derivative(table, probe, view);
  return table;
}

}  // namespace torsor::editor
