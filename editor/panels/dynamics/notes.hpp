#pragma once
// Draws the notes below the tables of the Dynamics panel.

#include "editor/probe/probe.hpp"
#include "editor/widgets/matrix_plot.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

// Draws text in the colour of a shade, with line breaks as needed.
void note(const std::string& text, Shade shade);

void note_spectrum(const Spectrum& spectrum, const NumberTable& M);
void note_skew(const SkewResidual& skew);
void note_operational(const FrameDynamics& found);
// Shows the Christoffel symbol of entry (i, j) in the table of dof k. Also shows its torque at the
// velocities v [n_v].
void note_symbol(const NumberTable& table, const std::vector<double>& v, Cell entry, int k);

}  // namespace torsor::editor
