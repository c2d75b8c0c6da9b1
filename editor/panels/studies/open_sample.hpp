#pragma once
// Opens the scene of a study, or the run of one sample.

#include <string>

#include "editor/panels/studies/study_data.hpp"

namespace torsor::editor {

class Editor;

// Opens the scene with its nominal values. Throws Error if the scene is not found.
void open_study_scene(Editor& editor, const StudyData& data);
// Opens the scene with the parameters and settings of a sample, as
// `torsor run SCENE --sample STUDY.h5:K` does. scene: replaces the scene that the study names; "":
// no replacement. Throws Error if the sample has not been run or the scene is not found.
void open_sample(Editor& editor, const StudyData& data, uint64_t sample, const std::string& scene);
// Draws a line about the sample of this study that the scene repeats, if there is one. At the end
// of the run, it says whether the final state is that of the study.
void draw_opened_sample(Editor& editor, const StudyData& data);

}  // namespace torsor::editor
