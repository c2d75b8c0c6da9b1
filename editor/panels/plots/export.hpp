#pragma once
// Exports plots as numbers or as a picture.

#include <filesystem>
#include <span>

#include "editor/panels/plots/plots.hpp"

namespace torsor::editor {

class Editor;

// Exports plots to a .csv file, or the rectangle `drawn` of the window to a .png file after this
// frame. Throws Error for another extension, if the signals are still being sampled, if there is
// nothing to export, or if the rectangle is not completely visible.
void export_plots(Editor& editor, const std::filesystem::path& file,
                  std::span<const PlotsPanel::Shown> plots, const PlotsPanel::Rect& drawn);

}  // namespace torsor::editor
