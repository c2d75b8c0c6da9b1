#pragma once
// What the panel of the dynamics shows, as a table with names and units; also as a text to copy.

#include <string>
#include <string_view>
#include <vector>

#include "editor/session/probe.hpp"

namespace torsor::editor {

enum class DynamicsView { M, Minv, C, g, bias, vdot, tau, J, split };
inline constexpr DynamicsView dynamics_views[] = {DynamicsView::M,   DynamicsView::Minv, DynamicsView::C,
                                                  DynamicsView::g,   DynamicsView::bias, DynamicsView::vdot,
                                                  DynamicsView::tau, DynamicsView::J,    DynamicsView::split};
const char* name(DynamicsView view);    // in actions and copies: "Minv"
const char* label(DynamicsView view);   // on a button
const char* legend(DynamicsView view);  // what it is
// Throws Error with "did you mean".
DynamicsView dynamics_view(const std::string& name);

struct DynamicsTable {
  DynamicsView view;
  std::string source;                      // solver or frame, and the time
  std::vector<std::string> rows, columns;  // names; one column: of a vector
  std::vector<bool> row_turns,
      column_turns;       // whether what stands there is about an angle, else about a length
  std::vector<double> x;  // by rows
  std::string failure;    // why there are no numbers, or ""

  double at(size_t row, size_t column) const { return x[row * columns.size() + column]; }
  std::string unit(size_t row, size_t column) const;
  // Of all entries, or "" where they differ.
  std::string common_unit() const;
  // All there are: "kg m², kg m, kg".
  std::string units() const;
};
// The frame, an index of the model's, is J's.
DynamicsTable dynamics_table(Probe& probe, DynamicsView view, int frame);

// Numbers with 17 digits, what they are as comments before them. Throws Error for a format other than lua, latex and csv.
std::string as_text(const DynamicsTable& table, std::string_view format);

}  // namespace torsor::editor
