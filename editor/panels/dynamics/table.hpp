#pragma once
// Tables with names and units for the views of the Dynamics panel.

#include <optional>
#include <span>

#include "editor/widgets/number_table.hpp"
#include "torsor/handles/quantity.hpp"

namespace torsor::editor {

class Probe;

// The views of the panel, followed by the quantities of solvers in the order of Quantity. Inverse
// and forward dynamics have separate views: tau and vdot refer to the complete mechanism.
enum class DynamicsView : int {
  vdot,
  tau,
  split,
  J,
  Lambda,
  tau_dot,
  tau_ddot,
  M_dot,
  C_dot,
  g_dot,
  dtau_dq,
  dtau_dv,
  dvdot_dq,
  dvdot_dv,
  first_quantity,
  M = first_quantity + int(Quantity::mass_matrix),
  Minv = first_quantity + int(Quantity::inverse_mass_matrix),
  C = first_quantity + int(Quantity::coriolis_matrix),
  christoffel = first_quantity + int(Quantity::christoffel_symbols),
  g = first_quantity + int(Quantity::gravity),
  bias = first_quantity + int(Quantity::bias)
};
enum class DynamicsGroup { matrices, vectors, frame, derivatives };
inline constexpr DynamicsGroup dynamics_groups[] = {DynamicsGroup::matrices, DynamicsGroup::vectors,
                                                    DynamicsGroup::frame,
                                                    DynamicsGroup::derivatives};
enum class DynamicsLook { heat_map, bars, stacked_bars };

struct DynamicsRow {
  DynamicsView view;
  DynamicsGroup group;
  DynamicsLook look;
  const char* name;   // in actions and copies: "Minv"
  const char* label;  // on a button
  const char* title;  // description
  EntryUnit unit;
};
std::span<const DynamicsRow> dynamics_rows();  // the rows of a group are adjacent
const DynamicsRow& row_of(DynamicsView view);
const char* label(DynamicsGroup group);
// Returns a view by name. Throws Error with "did you mean" if there is none.
DynamicsView dynamics_view(const std::string& name);

// Returns the quantity of a solver that a view shows, or nullopt if it shows another one.
std::optional<Quantity> quantity_of(DynamicsView view);

// The selections that some of the views need.
struct DynamicsChoice {
  int frame = 0;   // for J and Lambda: index of a frame in the model
  int column = 0;  // k of the Christoffel symbols G_ijk
  bool operator==(const DynamicsChoice&) const = default;
};
NumberTable dynamics_table(Probe& probe, DynamicsView view, const DynamicsChoice& choice);

}  // namespace torsor::editor
