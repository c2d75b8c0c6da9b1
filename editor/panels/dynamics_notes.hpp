#pragma once
// What stands below the tables of the dynamics.

#include "editor/app/widgets.hpp"
#include "editor/panels/matrix_plot.hpp"
#include "editor/session/probe.hpp"

namespace torsor::editor {

void note(const std::string& text, Shade shade);  // wrapped

void note_spectrum(Probe& probe, const NumberTable& M);
void note_skew(Probe& probe);
void note_operational(Probe& probe, int frame);
// The Christoffel symbol of entry (i, j) of the table of one k, and what it adds to a torque.
void note_symbol(Probe& probe, const NumberTable& table, Cell entry, int k);

}  // namespace torsor::editor
