#pragma once
// Recordings of selected samples of a study. A sample gives the same bits each time, so that it is
// run again with a recording when the study has ended.

#include "torsor/cli/study/study_options.hpp"
#include "torsor/cli/study/study_request.hpp"
#include "torsor/scripting/study/scene_study.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::cli {

// Writes FOLDER/SCENE-SAMPLE for each selected sample, and prints their names. Throws Interrupted
// after a signal.
void keep_recordings(const Keep& keep, const StudyReader& results, const StudyOptions& options,
                     const SceneStudy& study);

}  // namespace torsor::cli
