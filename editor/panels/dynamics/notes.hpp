#pragma once
// Draws the notes below the tables of the Dynamics panel.

#include "editor/probe/probe.hpp"
#include "editor/widgets/matrix_plot.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

// Draws a note with line breaks.
void note(const std::string& text, Shade shade);

void note_spectrum(const Spectrum& spectrum, const NumberTable& M);
void note_skew(const SkewResidual& skew);
void note_operational(const FrameDynamics& found);
// Shows the Christoffel symbol of entry (i, j) in the table of k, and its torque at the velocities
// v.
void note_symbol(const NumberTable& table, const std::vector<double>& v, Cell entry, int k);

}  // namespace torsor::editor
