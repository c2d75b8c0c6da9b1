#pragma once
// The description of a study: everything that determines its samples. A study is continued, merged
// or repeated only if its description is the same.

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/study/sampling/plan.hpp"

namespace torsor {

class Registry;

struct StudyOrigin {
  std::filesystem::path scene;
  // Files that the scene has read: itself, its modules, its robot files.
  std::vector<std::filesystem::path> files;
  const Registry* plugins = nullptr;
  StudySettings settings;  // values of --set, and other options that change the runs
};

// Returns the description as a JSON object: the version, the files with their hashes (and the text
// of Lua files), the plugins with their hashes, the parameters with their distributions, the plan
// and the settings. plan: a JSON object that determines the samples. Throws Error if a file cannot
// be read.
std::string describe_study(const StudyOrigin& origin, const std::vector<StudyParameter>& parameters,
                           const std::string& plan);
// Returns a plan as a JSON object.
std::string describe_plan(const PlanRequest& request, const PlanAxes& axes);

// Returns the parameters of each dimension of the design `saltelli`, or an empty list if the study
// of this description has another design.
PlanAxes sensitivity_axes(const std::string& description);

// Returns the first difference of two descriptions as a clause, such as "the file 'arm.lua' has
// changed since", or "" if their samples are the same. Plugins that only `now` has are no
// difference.
std::string study_difference(const std::string& before, const std::string& now);

// Returns a difference of the scene or its plugins alone, for a run of one sample.
std::string scene_difference(const std::string& before, const std::string& now);

}  // namespace torsor
