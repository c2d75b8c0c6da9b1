#pragma once
// The settings of the runs of a study as text, as stored in its description.

#include "torsor/run/run_settings.hpp"
#include "torsor/study/sampling/plan.hpp"

namespace torsor {

// Returns the options: "--dt" = "0.001".
StudySettings study_settings(const RunSettings& run);
// Returns the options of a description. given_set: receives the values of --set.
RunSettings run_settings(const StudySettings& settings, StudySettings& given_set);

}  // namespace torsor
